/** Keys and contexts that matter: found without a guess of how often codes differ. */
import { describe, expect, test } from 'vitest'
import { gumbel, ngram, sta1, unigram } from '../../src/index.ts'
import { seededRandom } from '../../src/keys/stream.ts'
import { checkWatermark } from '../../src/laws/index.ts'
import { contextPairs, missOfContexts } from '../../src/laws/key-matters.ts'
import { freshSeed } from '../../src/laws/seed.ts'
import { dip } from '../mutants/bases.ts'
import { changed, law } from '../mutants/mutant.ts'

const check = async (watermark: Parameters<typeof checkWatermark>[0]) =>
  (await checkWatermark(watermark, { laws: [law.deterministic], effort: 'quick' }))[0]!

test('a watermark most of whose codes do nothing passes every time', async () => {
  for (let run = 0; run < 40; run++) expect((await check(sta1({ gamma: 0.003 }))).verdict).toBe('holds')
})

test('the same randomness at every position is no mistake where the rule says so', async () => {
  expect((await check(unigram({ delta: 2 }))).verdict).toBe('holds')
})

describe('pairs of contexts', () => {
  const placesOf = (context: ReturnType<typeof ngram>) =>
    contextPairs({ context }, seededRandom(freshSeed(), 'pairs')).map(([a, b]) =>
      a.flatMap((x, j) => (x === b[j] ? [] : [j])).join(),
    )
  test('differ in each place alone, also where texts seldom have such pairs', () => {
    expect(placesOf(ngram(2))).toEqual(expect.arrayContaining(['0', '1', '0,1']))
    expect(placesOf(ngram(6))).toEqual(expect.arrayContaining(['0', '1', '2', '3', '4', '5']))
  })
  test('that share a code are found for sure where codes differ under 4% of keys', () => {
    expect(missOfContexts(0.04, 1e-12)).toBeLessThan(1e-3)
    expect(missOfContexts(0.005, 1e-12)).toBeGreaterThan(0.5)
  })
})

test('an error says which contexts share a code', async () => {
  const lastOnly = changed(dip(), {
    draw: (_, __, { context, shared }) => ({ word: (i) => shared.uint32(1000 * (context.at(-1)! + 1) + i) }),
  })
  const { verdict, detail, counterexample } = await check(lastOnly)
  expect(verdict).toBe('fails')
  expect(detail).toMatch(/^contexts \[\d+,(\d+)\] and \[\d+,\1\] always have the same code$/)
  expect(counterexample!.replay).toContain(law.deterministic)
})

test('gumbel needs two keys to tell them apart', async () => {
  const { evidence } = await check(gumbel())
  expect(evidence).toMatchObject({ kind: 'sampled', smallestBias: 0.04 })
})
