import { describe, expect, test } from 'vitest'
import {
  binomial,
  defineWatermark,
  detect,
  exponential,
  fixed,
  gumbel,
  windowDetector,
} from '../../src/index.ts'
import { seededRandom } from '../../src/keys/index.ts'
import { logGammaTail } from '../../src/stats/log-gamma-tail.ts'

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
