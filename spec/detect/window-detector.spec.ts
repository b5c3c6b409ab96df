import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/index.ts'
import { logBinomialTail } from '../../src/core/stats/log-binomial-tail.ts'
import { logGammaTail } from '../../src/core/stats/log-gamma-tail.ts'
import {
  binomial,
  defineWatermark,
  detect,
  exponential,
  fixed,
  gumbel,
  kgw,
  type WindowDetectorOptions,
  windowDetector,
} from '../../src/index.ts'
import { ofBits } from './of-bits.ts'

const windowed = { ...gumbel(), id: 'windowed', detector: windowDetector({ nullLaw: exponential() }) }
const options = { key: 'a secret of sixteen bytes', vocabSize: 5000 }

/** Scores as they are given: token t scores `scores[t]`, but for the first two, which have no context. */
const given = (scores: readonly number[]) =>
  detect(
    defineWatermark({
      ...gumbel(),
      id: 'given',
      score: (token: number) => scores[token]!,
      detector: windowDetector({ nullLaw: exponential() }),
      markedScore: undefined,
    }),
    [...scores.keys()],
    { ...options, vocabSize: Math.max(2, scores.length) },
  )

describe('windows of a text', () => {
  test('a marked stretch in a long text is found where the sum over all of it is not', () => {
    const scores = Array.from({ length: 2000 }, () => 1)
    for (let t = 1000; t < 1064; t++) scores[t] = 3
    const found = given(scores)
    expect(logGammaTail(2128, 2000)).toBeGreaterThan(Math.log(1e-3))
    expect(found.pValue).toBeLessThan(1e-18)
    expect(found.guaranteed).toBe(true)
  })

  test('a text that is marked throughout loses a factor of 2 at the most', () => {
    const scores = Array.from({ length: 300 }, () => 1.6)
    expect(given(scores).logPValue).toBeLessThanOrEqual(logGammaTail(1.6 * 298, 298) + Math.LN2 + 1e-9)
  })

  test('P(p <= a) <= a over keys: 600 keys, false alarm below 1e-6 by binomial tails', () => {
    const random = seededRandom(11)
    const tokens = Array.from({ length: 200 }, () => random.below(5000))
    let [atFive, atOne] = [0, 0]
    for (let k = 0; k < 600; k++) {
      const { pValue } = detect(windowed, tokens, { ...options, key: `a secret of sixteen bytes ${k}` })
      if (pValue <= 0.05) atFive++
      if (pValue <= 0.01) atOne++
    }
    // Binomial(600, 0.05) exceeds 62 and Binomial(600, 0.01) exceeds 22 with probability below 1e-6 each
    expect(atFive).toBeLessThanOrEqual(62)
    expect(atOne).toBeLessThanOrEqual(22)
  })

  test('contexts that recur are refused, and wrong options', () => {
    expect(() => defineWatermark({ ...windowed, context: fixed() })).toThrow(/can follow/)
    expect(() => windowDetector({ nullLaw: binomial(1 / 2), shortest: 0 })).toThrow(/shortest: expected/)
    expect(detect(windowed, [1], options).pValue).toBe(1)
  })
})

describe('stretches of bits', () => {
  /** Every p-value with the probability of its bits. */
  function* all(n: number, rate: number, given: Partial<WindowDetectorOptions>) {
    for (let coins = 0; coins < 2 ** n; coins++) {
      const bits = Array.from({ length: n }, (_, t) => (coins >>> t) & 1)
      const ones = bits.reduce((sum, bit) => sum + bit, 0)
      yield { pValue: ofBits(bits, given, rate).pValue, weight: rate ** ones * (1 - rate) ** (n - ones) }
    }
  }

  test.each([
    [1 / 2, 2 / 3],
    [1 / 4, 0.4],
    [1 / 16, 0.15],
  ])('rate %d, drift %d: P(p <= its value) is that value, over all bits', (rate, drift) => {
    const outcomes = [...all(9, rate, { drift })]
    for (const { pValue } of outcomes.slice(0, 200)) {
      let at = 0
      for (const other of outcomes) if (other.pValue <= pValue * (1 + 1e-12)) at += other.weight
      expect(at).toBeCloseTo(pValue, 11)
    }
    expect(ofBits([1, 0, 1], { drift }, rate).exact).toBe(true)
  })

  test('three drifts and the whole: P(p <= a) <= a, over all bits', () => {
    for (const rate of [1 / 2, 1 / 4]) {
      const outcomes = [...all(10, rate, {})].sort((a, b) => a.pValue - b.pValue)
      let at = 0
      for (const { pValue, weight } of outcomes) {
        at += weight
        expect(at).toBeLessThanOrEqual(pValue * (1 + 1e-9) + 1e-12)
      }
    }
  })

  test('a p-value without the correction is rejected by the same count', () => {
    const outcomes = [...all(10, 1 / 2, {})].map(({ pValue, weight }) => ({ pValue: pValue / 6, weight }))
    const at = (a: number): number =>
      outcomes.reduce((sum, { pValue, weight }) => sum + (pValue <= a ? weight : 0), 0)
    expect(outcomes.some(({ pValue }) => at(pValue) > pValue * 1.01)).toBe(true)
  })

  /** A stretch of `length` bits with 7 ones in 10, in a text of 1,000 with as many ones as zeros elsewhere. */
  const stretch = (length: number): number[] =>
    Array.from({ length: 1000 }, (_, t) => (t >= 400 && t < 400 + length ? (t % 10 < 7 ? 1 : 0) : t % 2))

  test('finds what windows with a union bound do not', () => {
    const bits = stretch(120)
    expect(ofBits(bits).pValue).toBeLessThan(0.01)
    expect(ofBits(bits, { drift: 3 / 5 }).pValue).toBeLessThan(ofBits(bits).pValue)
    expect(ofBits(bits, { shortest: 16 }).pValue).toBeGreaterThan(3 * ofBits(bits).pValue)
  })

  test('a text that is marked throughout loses a factor of 2 at the most', () => {
    const bits = Array.from({ length: 300 }, (_, t) => (t % 10 < 6 ? 1 : 0))
    const whole = logBinomialTail(180, 300, 1 / 2)
    expect(ofBits(bits).logPValue).toBeLessThanOrEqual(whole + Math.LN2 + 1e-9)
  })

  test('reads KGW, at rates near 0 and 1 too, and refuses a drift for other scores', () => {
    const watermark = kgw({ delta: 2 })
    const { nullLaw } = watermark.detector!
    const stretches = { ...watermark, detector: windowDetector({ nullLaw: nullLaw!, bound: 1 }) }
    const tokens = Array.from({ length: 200 }, (_, t) => (t * t * 7) % 4999)
    expect(detect(stretches, tokens, options).pValue).toBeGreaterThan(0)
    for (const rate of [1e-4, 0.999]) expect(ofBits([1, 0, 1, 1, 1], {}, rate).pValue).toBeLessThanOrEqual(1)
    expect(() => ofBits([1, 0], { drift: 0.4 })).toThrow(/drift: expected above the rate 0.5/)
    expect(() => windowDetector({ nullLaw: exponential(), drift: 0.6 })).toThrow(/drift: expected none/)
  })
})
