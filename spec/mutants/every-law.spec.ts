/**
 * For every law, wrong watermarks that it rejects and correct, unusual ones that it accepts, at the quick effort. All others are in the
 * slow specs beside this one, and `npm run mutants` runs every law on each of them.
 */
import { describe, expect, test } from 'vitest'
import { withMessage } from '../../src/core/method/index.ts'
import { allLaws } from '../../src/gate/laws/all-laws.ts'
import { checkLaw, settingsOf } from '../../src/gate/laws/check.ts'
import { type AnyWatermark, dipmark, kgw } from '../../src/watermarks/entry.ts'
import { allMutants } from './all.ts'
import { bases } from './bases.ts'
import { correct } from './correct.ts'
import { named } from './messages.ts'
import { law } from './mutant.ts'
import { oddSpeculation } from './speculation.ts'
import { verdictOn } from './verdict.ts'

const rare = ['one position in twenty marked', 'dip, one position in twenty marked']
const late = ['a burn-in of 150 tokens', 'dip, a burn-in of 150 tokens']

/** Names of mutants and of correct oddities, by law. */
const cases: Readonly<Record<string, { rejects: readonly string[]; accepts: readonly string[] }>> = {
  [law.distribution]: {
    rejects: ['dip: running mass one token late', 'dip: sorts p in place'],
    accepts: rare,
  },
  [law.deterministic]: {
    rejects: [
      'dip: only the last token of the context counts',
      'dip: Math.random',
      'race: seeds of 16 bits in all',
    ],
    accepts: rare,
  },
  [law.orbit]: {
    rejects: ['dip: running mass in float32', 'dip: lower part removed, the rest renormalised'],
    accepts: ['dip, one position in twenty marked', 'every second position marked'],
  },
  [law.honest]: {
    rejects: ['tournament: the same bit in every layer', 'inverse: u from the middle half of [0, 1]'],
    accepts: ['dip, one position in twenty marked', 'every second position marked'],
  },
  [law.keys]: {
    rejects: [
      'sta: green mass of the wrong set (shifted by one token)',
      'race: largest u p instead of u^(1/p)',
    ],
    accepts: rare,
  },
  [law.texts]: {
    rejects: ['dip: a context counts by the sum of its tokens', 'gumbel: no repeated-context rule'],
    accepts: late,
  },
  [law.pairs]: {
    rejects: ['race: only the last 3 contexts remembered', 'dip: only the last 8 contexts remembered'],
    accepts: rare,
  },
  [law.warping]: {
    rejects: ['decoder: top-k after dipmark', 'decoder: top-k after mcmark'],
    accepts: rare,
  },
  [law.nullLaw]: {
    rejects: ['race: uniforms squared', 'z-score tail', 'strictly greater instead of at least'],
    accepts: ['dip, one position in twenty marked'],
  },
  [law.detectable]: { rejects: ['only the prompt is scored'], accepts: late },
  [law.drift]: {
    rejects: ['no mark: generated texts are looked up in a list', 'dip without a detector'],
    accepts: rare,
  },
  [law.reach]: {
    rejects: ['a reach of one score', 'the published reach n + 1, under the repeated-context rule'],
    accepts: rare,
  },
  [law.certificate]: { rejects: ['a bound that forgets the number of layers'], accepts: late },
  [law.biased]: {
    rejects: ['dipmark with alpha 0 declared biased', 'gumbel declared biased'],
    accepts: ['kgw with little strength'],
  },
  [law.everyMessage]: {
    rejects: [
      'family: unbiased only on average over messages',
      'family: four secret chunks, one for each value',
    ],
    accepts: ['gumbel with a message', 'dipmark with a message'],
  },
  [law.decoded]: {
    rejects: [
      'family: a position map that depends on the message',
      'decoder: a certificate of a hundred times as many edits',
    ],
    accepts: ['gumbel with a message'],
  },
  [law.speculation]: {
    rejects: [
      'top-p drafts accepted with untruncated probabilities',
      'bonus tokens with the noise of the last draft',
    ],
    accepts: ['drafts without a mark', 'every draft is thrown away'],
  },
  [law.noMessage]: {
    rejects: ['decoder: the smallest of 16 tails without a correction'],
    accepts: ['gumbel with a message', 'dipmark with a message'],
  },
}

const accepted = new Map<string, AnyWatermark>([
  ...correct.map(({ name, watermark }) => [name, watermark] as const),
  ['kgw with little strength', kgw({ delta: 0.5 })],
  ['gumbel with a message', named()],
  ...oddSpeculation,
  ['dipmark with a message', withMessage(dipmark({ alpha: 0.4 }), { bits: 4 })],
])

test('every law has cases, and none is what the others are made of', () => {
  expect(Object.keys(cases).sort()).toEqual(allLaws.map(({ name }) => name).sort())
  const plain = bases().map(({ id }) => id)
  for (const { rejects, accepts } of Object.values(cases)) {
    expect(rejects.length).toBeGreaterThan(0)
    expect(accepts.filter((name) => !plain.includes(name)).length).toBeGreaterThan(0)
  }
})

describe.each(Object.entries(cases))('%s', (name, { rejects, accepts }) => {
  test.each(rejects)('rejects %s', async (wrong) => {
    const mutant = allMutants.find((one) => one.name === wrong)!
    expect(mutant.killedBy).toContain(name)
    const { verdict, detail } = await verdictOn(mutant, name, { effort: 'quick' })
    expect(verdict, detail).toBe('fails')
    expect(detail).not.toBe('')
  })

  test.each(accepts)('accepts %s', async (right) => {
    const checked = allLaws.find((one) => one.name === name)!
    const { verdict, detail } = await checkLaw(checked, accepted.get(right)!, settingsOf({ effort: 'quick' }))
    expect(verdict, detail).toBe('holds')
  })
})
