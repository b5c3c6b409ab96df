/** What the law of p-values says about detectors of all kinds. */
import { describe, expect, test } from 'vitest'
import { Expansion, type Random } from '../../src/core/keys/random.ts'
import type { Tokens } from '../../src/core/keys/rule.ts'
import type { Context, Site } from '../../src/core/keys/schedule.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { checkWatermark, type LawResult } from '../../src/gate/laws/entry.ts'
import { isSum } from '../../src/gate/laws/null-law/computed-tail.ts'
import { lengthFor, sampledScores } from '../../src/gate/laws/null-law/sampled-scores.ts'
import { oneScoreLaw } from '../../src/gate/laws/null-law/score-laws.ts'
import { freshSeed } from '../../src/gate/laws/seed.ts'
import {
  binomial,
  exponential,
  type NullLaw,
  ngram,
  sta1,
  sumDetector,
  weightedBits,
} from '../../src/index.ts'
import { paperWatermarks, parseWatermark, shippedMethods } from '../../src/watermarks/entry.ts'
import { dip, drawWords, half, type Words } from '../mutants/bases.ts'
import { changed, law } from '../mutants/mutant.ts'
import { pValues } from '../mutants/p-values.ts'
import { scores } from '../mutants/scores.ts'
import { validPValues } from '../mutants/valid-p-values.ts'

const check = async (watermark: Parameters<typeof checkWatermark>[0], options = {}): Promise<LawResult> =>
  (await checkWatermark(watermark, { laws: [law.nullLaw], effort: 'quick', ...options }))[0]!

test('sums are told from what is no sum', () => {
  for (const watermark of paperWatermarks())
    expect(isSum(watermark), watermark.id).toBe(!/Edit/.test(watermark.id))
  expect(isSum(parseWatermark('christ'))).toBe(false)
  expect(shippedMethods().map(({ name }) => name)).toContain('christ')
  const kinds = new Map(validPValues.map((watermark) => [watermark.id, isSum(watermark)]))
  expect(kinds.get('the largest score')).toBe(false)
  expect(kinds.get('a randomised p-value')).toBe(false)
  expect(kinds.get('halves')).toBe(true)
})

describe('what a result says', () => {
  test('of a sum: computed, and promised per size of vocabulary', async () => {
    const result = await check(parseWatermark('gumbel'))
    expect(result).toMatchObject({ verdict: 'holds', evidence: { kind: 'sampled' } })
    expect(result.detail).toContain('tails of up to 100000 scores computed, down to 1e-300')
    const { promises } = result.evidence as Extract<LawResult['evidence'], { kind: 'sampled' }>
    expect(promises!.map(({ vocabSize }) => vocabSize)).toEqual([2, 3, 5, 7, 16, 64, 257, 1009, 50_257])
    for (const { bias } of promises!) expect(bias).toBeLessThan(0.7)
  })

  test('beyond the quick effort: what is seen over the ids of large vocabularies', async () => {
    const { verdict, detail, evidence } = await check(parseWatermark('gumbel'), { effort: 'usual' })
    expect(verdict).toBe('holds')
    const [, percent] = detail.match(/over all ids sees P\(p <= 50%\) from ([\d.]+)% on/)!
    expect(Number(percent)).toBeLessThan(85)
    expect(evidence).toMatchObject({ kind: 'sampled' })
  })

  test('of a scan: sampled, and how far down', async () => {
    const { verdict, detail } = await check(parseWatermark('christ'))
    expect(verdict).toBe('holds')
    expect(detail).toMatch(
      /tails sampled \(no sum of scores\): sees P\(p <= 1%\) from [\d.]+% on, P\(p <= 0.1%\) from/,
    )
  })

  test('of a scan whose other parts are replayed: nothing about how far down', async () => {
    const { verdict, detail } = await check(parseWatermark('christ'), { path: 'pairs/0' })
    expect(verdict, detail).toBe('holds')
    expect(detail).toMatch(/tails sampled \(no sum of scores\)$/)
  })

  test('of a detector that promises nothing: its rate of false positives', async () => {
    const published = changed(dip(), {
      detector: {
        ...half,
        guaranteed: false,
        test: (e) => ({ ...half.test(e), logPValue: Math.log(0.005) }),
      },
    })
    const { verdict, detail } = await check(published)
    expect(verdict).toBe('not applicable')
    expect(detail).toContain(
      'declares no guarantee; p <= 1% for 100.0% of 2000 keys on a random text of 14 tokens',
    )
  })
})

test('seed and path lead to the same counterexample, in each part', async () => {
  const parts = new Set<string>()
  for (const name of [
    'below 1e-4 squared',
    'ceil(V / 4) green against a rate of 1/4',
    'never above 1/2',
    'eight contexts remembered, and said to be all',
    'one u for all tokens of a context, contexts reused, taken for independent',
  ]) {
    const { watermark } = [...pValues, ...scores].find((mutant) => mutant.name === name)!
    const first = await check(watermark)
    expect(first.verdict, name).toBe('fails')
    const { seed, path } = first.counterexample!
    parts.add(path.split('/')[0]!)
    const again = await check(watermark, { seed, path })
    expect(again.detail, name).toBe(first.detail)
  }
  expect([...parts].sort()).toEqual(['one', 'pairs', 'tail', 'text'])
})

describe('the law of one score is recognised', () => {
  const kindOf = (nullLaw: NullLaw, scores: readonly number[], bound = Number.POSITIVE_INFINITY) => {
    const found = oneScoreLaw(nullLaw, bound, Float64Array.from(scores), 1e-9)
    if (found === undefined) return undefined
    return { step: found.grids[0]!.step, grids: found.grids.length, lower: found.lower }
  }
  const { uniform } = seededRandom(1)
  const exponentials = Array.from({ length: 200 }, () => -Math.log(uniform()))
  test('integers, fractions, continuous ones and bounds', () => {
    expect(kindOf(binomial(1 / 2), [0, 1, 1, 0], 1)).toEqual({ step: 1, grids: 1, lower: false })
    expect(kindOf(weightedBits([3, 2]), [0, 3, 5, 2], 5)).toEqual({ step: 1, grids: 1, lower: false })
    const tenths: NullLaw = {
      ...binomial(1 / 2, { trials: 10 }),
      logTail: (sum, n) => binomial(1 / 2, { trials: 10 }).logTail(Math.ceil(10 * sum - 1e-9), n),
    }
    const scores = Array.from({ length: 100 }, (_, i) => (i % 11) / 10)
    expect(kindOf(tenths, scores, 1)!.step).toBeCloseTo(0.1)
    expect(kindOf(exponential(), exponentials)).toEqual({ step: 1 / 8, grids: 3, lower: false })
    expect(kindOf({ ...binomial(1 / 2), exact: false }, [0, 1, 1, 0], 1)).toMatchObject({ lower: true })
  })
  test('a law with jumps at odd places is not computed', () => {
    const odd: NullLaw = {
      name: 'odd',
      exact: true,
      mean: 1,
      logTail: (sum) =>
        sum <= 0 ? 0 : sum <= Math.SQRT2 ? Math.log(0.5) : sum <= Math.PI ? Math.log(0.2) : -1e9,
    }
    expect(kindOf(odd, [0, Math.SQRT2, Math.PI, 0, 0, 0, 0, 0, 0, 0, 0, 0])).toBeUndefined()
  })
})

test('texts are long enough to have scores, whatever the rule', () => {
  const late = validPValues.find(({ id }) => id.startsWith('nothing is scored'))!
  expect(lengthFor(late.context, 64, 1)).toBeGreaterThan(150)
  expect(sampledScores(late, 64, 50, 1).length).toBe(50)
  const halves = sampledScores(dip(), 5, 400, 1)
  expect(halves.length).toBe(400)
  const mean = halves.reduce((a, b) => a + b, 0) / 400
  expect(Math.abs(mean - 1 / 2)).toBeLessThan(0.2)
})

test('a law that is no number is refused, in its own words', async () => {
  const nan = changed(dip(), {
    detector: sumDetector({ nullLaw: { ...binomial(1 / 2), logTail: () => Number.NaN }, bound: 1 }),
  })
  const { verdict, detail } = await check(nan)
  expect(verdict).toBe('fails')
  expect(detail).toContain('NaN')
})

test('one score of 0 has the p-value 1, also where the law is cut into cells', async () => {
  // half of the first cell of a grid lies below 0
  const replayed = { effort: 'usual', seed: -295283438, path: 'tail/36:0:0' } as const
  expect((await check(parseWatermark('gumbel'), replayed)).verdict).toBe('holds')
})

describe('scores over the ids of large vocabularies', () => {
  const usual = (watermark: Parameters<typeof checkWatermark>[0], options = {}) =>
    check(watermark, { effort: 'usual', seed: freshSeed(), ...options })

  test.each([
    ['one coin per position, whatever the token', (_: number, { word }: Words) => word(0) >>> 31],
    ['as many coins as ids have low bytes', (token: number, { word }: Words) => word(token & 255) >>> 31],
    ['complements side by side', (token: number, { word }: Words) => ((word(token >> 1) >>> 31) ^ token) & 1],
  ])('%s: right, though scores of one code depend on each other', async (_, score) => {
    const { verdict, detail } = await usual(changed(dip(), { score, orbit: undefined }))
    expect(verdict, detail).toBe('holds')
  })
  test('contexts that the detector leaves out, since no key changes their code, are left out', async () => {
    const isKeyless = ([token]: Context): boolean => token! >= 100 && token! < 120
    const parts = {
      context: ngram(1),
      draw: (random: Random, _: number, { context }: Site) =>
        drawWords(isKeyless(context) ? new Expansion([1, 2, 3, 4]) : random),
      orbit: undefined,
    }
    const detector = { nullLaw: binomial(1 / 2), bound: 1 }
    const left = await usual(
      changed(dip(), { ...parts, detector: sumDetector({ ...detector, keyless: isKeyless }) }),
      { path: 'ids/0' },
    )
    expect(left.verdict, left.detail).toBe('holds')
    expect(left.detail).toContain('computed')
  })
  test('where few texts are scored, nothing is promised', async () => {
    const { context } = dip()
    const rarely = {
      ...context,
      scored: (tokens: Tokens, skip: (token: number) => boolean) =>
        tokens[0]! % 2 === 0 ? [] : context.scored(tokens, skip),
    }
    const { detail } = await usual(changed(dip(), { context: rarely }), { path: 'ids/1' })
    expect(detail).not.toContain('over all ids')
  })
  test('rare scores are right too', async () => {
    const { verdict, detail } = await usual(sta1({ gamma: 0.003 }))
    expect(verdict, detail).toBe('holds')
  })
  test('which ids, and how often', async () => {
    const wrong = scores.find(({ name }) => name.startsWith('tokens from 45,000'))!
    const { verdict, detail, counterexample } = await usual(wrong.watermark, { path: 'ids/2' })
    expect(verdict).toBe('fails')
    expect(detail).toMatch(
      /^one score with 50,257 tokens: p <= 0.5 for \d+(\.\d+)?% of tokens 43,974 to 50,256, over \d+ keys$/,
    )
    expect(counterexample).toMatchObject({ path: 'ids/2', also: expect.stringContaining('50257') })
  })
})
