/** What a detection says besides the p-value, and what it refuses to say. */
import { describe, expect, test } from 'vitest'
import { binomial, type Detector, detect, exponential, gumbel, ngram, sumDetector } from '../../src/index.ts'
import { scoredBy } from '../theorems/texts.ts'

const options = { key: 'secret', vocabSize: 8 }
const tokens = [0, 1, 2, 3, 4, 5, 6, 7]
const half = binomial(1 / 2)

describe('a score that was not declared is an error, not a p-value of 0', () => {
  test('above the bound', () => {
    const two = scoredBy(ngram(1), half, () => 2)
    expect(() => detect(two, tokens, options)).toThrow(
      'score of token 1 at 1: expected a number in [0, 1], got 2',
    )
  })
  test('above the bound of a detector that does not look', () => {
    const detector = { ...sumDetector({ nullLaw: binomial(1 / 2, { trials: 4 }), bound: 4 }), bound: 1 }
    const two = { ...scoredBy(ngram(1), half, () => 2), detector }
    expect(() => detect(two, tokens, options)).toThrow(
      'score at 1: expected a number in [0, 1], as declared, got 2',
    )
  })
  test('negative, or no number', () => {
    for (const score of [-1, Number.NaN]) {
      const wrong = scoredBy(ngram(1), half, () => score)
      expect(() => detect(wrong, tokens, options)).toThrow(`got ${score}`)
      const unbounded = scoredBy(ngram(1), exponential(), () => score, Number.POSITIVE_INFINITY)
      expect(() => detect(unbounded, tokens, options)).toThrow(`got ${score}`)
    }
  })
  test('a sum that the null law rules out', () => {
    const wrong = scoredBy(ngram(1), half, () => 2, 2)
    expect(() => detect(wrong, tokens, options)).toThrow(
      'sum of scores: expected a sum that binomial(0.5) allows for 7 scores, got 14',
    )
  })
})

test('a detector that gives no p-value is an error', () => {
  const says = (logPValue: number, statistic = 1): Detector => ({
    id: 'mine',
    bound: 1,
    test: ({ tokens }) => ({
      statistic,
      logPValue,
      exact: false,
      scored: 1,
      perToken: new Float64Array(tokens.length).fill(Number.NaN),
    }),
  })
  const by = (detector: Detector) => detect({ ...gumbel(), detector }, tokens, options)
  expect(() => by(says(0.1))).toThrow('mine detector: logPValue: expected at most 0, got 0.1')
  expect(() => by(says(Number.NaN))).toThrow('mine detector: logPValue: expected at most 0, got NaN')
  expect(() => by(says(-1, Number.NaN))).toThrow('mine detector: statistic: expected a number, got NaN')
  expect(by(says(-1)).pValue).toBeCloseTo(Math.exp(-1))
})

test('guaranteed, unless the detector says that it is not', () => {
  const { detector } = gumbel()
  expect(detect(gumbel(), tokens, options).guaranteed).toBe(true)
  const published = { ...gumbel(), detector: { ...detector!, guaranteed: false } }
  expect(detect(published, tokens, options).guaranteed).toBe(false)
})

test('contexts whose code no key changes are not scored', () => {
  const keyless = (context: readonly number[]): boolean => context[0] === 3
  const watermark = {
    ...scoredBy(ngram(1), half, () => 1),
    detector: sumDetector({ nullLaw: half, bound: 1, keyless }),
  }
  const { scored, perToken, logPValue } = detect(watermark, tokens, options)
  expect(scored).toBe(6)
  expect(Array.from(perToken)).toEqual([Number.NaN, 1, 1, 1, Number.NaN, 1, 1, 1])
  expect(logPValue).toBeCloseTo(6 * Math.log(1 / 2))
})
