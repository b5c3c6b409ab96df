/**
 * Published green lists hold exactly k of V tokens, so tokens after one context are not independent; and published rules score a
 * context again and again. Every choice of codes is listed: P(p <= a) <= a for every a, and = a at the values p takes.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Context } from '../../src/core/keys/schedule.ts'
import { fixed, ngram } from '../../src/index.ts'
import type { Watermark } from '../../src/watermark.ts'
import { dipmark, gammaReweight, kgw, mcmark, sta1, synthid } from '../../src/watermarks/entry.ts'
import { synthidContexts } from '../../src/watermarks/published/index.ts'

const codes = 'reference'
const reuse = ngram(1, { repeated: 'reuse' })

// biome-ignore lint/suspicious/noExplicitAny: a list of watermarks with different codes
const watermarks: Watermark<any>[] = [
  kgw({ delta: 2, codes, context: reuse }),
  kgw({ delta: 2, gamma: 0.3, codes, context: reuse }),
  kgw({ delta: 2, codes }),
  sta1({ codes, context: reuse }),
  sta1({ gamma: 0.7, codes, context: reuse }),
  dipmark({ alpha: 0.4, codes, context: reuse }),
  dipmark({ alpha: 0.4, codes, context: fixed() }),
  gammaReweight({ codes, context: synthidContexts({ ngramLength: 2, history: 1 }) }),
  mcmark({ channels: 2, codes, context: reuse }),
  mcmark({ channels: 3, codes, context: reuse }),
  // a hash per token: marked and scored at every position, or again once forgotten
  synthid({ layers: 1, context: synthidContexts({ ngramLength: 2, history: 0 }) }),
  synthid({ layers: 1, context: synthidContexts({ ngramLength: 2, history: 2 }) }),
]

/** ln p of a text under every choice of one code per context, with its probability. */
function* everyPValue<Code>(
  watermark: Watermark<Code>,
  tokens: readonly number[],
  vocabSize: number,
): Generator<{ logPValue: number; exact: boolean; weight: number }> {
  const contexts = watermark.context.scored(tokens, () => false)
  const names = [...new Set(contexts.filter((c) => c !== undefined).map((c) => c.join()))]
  // the green list after token 0 is the same under every key, and not scored
  const random = watermark.id.startsWith('kgw') ? names.filter((name) => name !== '0') : names
  const listed = [...watermark.enumerate!(vocabSize)]
  const place = new Array<number>(random.length).fill(0)
  for (let index = 0; index < listed.length ** random.length; index++) {
    let rest = index
    for (let i = 0; i < random.length; i++) {
      place[i] = rest % listed.length
      rest = Math.floor(rest / listed.length)
    }
    const code = (context: Context): Code => {
      const at = random.indexOf(context.join())
      return listed[at < 0 ? 0 : place[at]!]!.code
    }
    const score = (token: number, context: Context): number => watermark.score(token, code(context))
    const { logPValue, exact } = watermark.detector!.test({
      tokens,
      vocabSize,
      alpha: 0.01,
      rule: watermark.context,
      contexts,
      score,
      scoreEach: () =>
        Float64Array.from(tokens, (token, t) => (contexts[t] ? score(token, contexts[t]) : Number.NaN)),
      scores: (several, context, _run, out) => {
        for (let i = 0; i < several.length; i++) out[i] = score(several[i]!, context)
        return out
      },
      scoresUnder: (several, own, out) => {
        for (let i = 0; i < several.length; i++) out[i] = score(several[i]!, own[i]!)
        return out
      },
    })
    yield { logPValue, exact, weight: place.reduce((product, at) => product * listed[at]!.weight, 1) }
  }
}

/** P(p <= a) - a at each value a that p takes. */
function excess(watermark: Watermark<unknown>, tokens: readonly number[], vocabSize: number): number[] {
  const masses = new Map<number, number>()
  for (const { logPValue, exact, weight } of everyPValue(watermark, tokens, vocabSize)) {
    expect(exact).toBe(true)
    const p = +Math.exp(logPValue).toPrecision(10)
    masses.set(p, (masses.get(p) ?? 0) + weight)
  }
  let below = 0
  return [...masses]
    .sort(([a], [b]) => a - b)
    .map(([p, mass]) => {
      below += mass
      return below - p
    })
}

describe.each(watermarks.map((watermark) => [watermark.id, watermark] as const))('%s', (_, watermark) => {
  test('p-values are exact on every text, over all codes', () => {
    const world = fc
      .integer({ min: 2, max: 4 })
      .chain((vocabSize) =>
        fc.tuple(
          fc.constant(vocabSize),
          fc.array(fc.nat(Math.min(2, vocabSize - 1)), { minLength: 2, maxLength: vocabSize === 4 ? 8 : 14 }),
        ),
      )
    fc.assert(
      fc.property(world, ([vocabSize, tokens]) => {
        for (const off of excess(watermark, tokens, vocabSize)) expect(Math.abs(off)).toBeLessThan(1e-9)
      }),
      { numRuns: 12, examples: [[[2, [0, 0, 1, 1, 0]]]] },
    )
  })
})

test('with two tokens and one of them green, four pairs have always two green: p = 1', () => {
  const watermark = sta1({ codes, context: reuse })
  for (const { logPValue } of everyPValue(watermark, [0, 0, 1, 1, 0], 2)) expect(logPValue).toBe(0)
})

test('the law that takes them for independent is refused', () => {
  const watermark = sta1({ codes, context: reuse })
  const independent = { ...watermark, detector: sta1({ context: reuse }).detector }
  expect(Math.max(...excess(independent, [0, 0, 1, 1, 0], 2))).toBeCloseTo(1 - 0.6875)
})
