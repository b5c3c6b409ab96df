import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AlignmentProblem, alignmentGain, bestAlignment } from '../../src/core/kernels/alignment.ts'

/** The recurrence as it is written in the paper, in float64. */
function definition({ gain, tokens, keyLength, block, penalty }: AlignmentProblem): number {
  const cost = (start: number, offset: number): number => {
    const gap = (k: number): number => (k === 0 ? 0 : k * penalty)
    const d = Array.from({ length: block + 1 }, (_, i) => [gap(i)])
    for (let j = 1; j <= block; j++) d[0]![j] = gap(j)
    for (let i = 1; i <= block; i++)
      for (let j = 1; j <= block; j++)
        d[i]![j] = Math.min(
          d[i - 1]![j - 1]! - gain[(start + i - 1) * keyLength + ((offset + j - 1) % keyLength)]!,
          d[i - 1]![j]! + penalty,
          d[i]![j - 1]! + penalty,
        )
    return d[block]![block]!
  }
  let least = Number.POSITIVE_INFINITY
  for (let start = 0; start + block <= tokens; start++)
    for (let offset = 0; offset < keyLength; offset++) least = Math.min(least, cost(start, offset))
  return -least
}

test('the statistic is that of the recurrence, to half a unit per token', () => {
  const problem = fc
    .record({
      tokens: fc.integer({ min: 1, max: 12 }),
      keyLength: fc.integer({ min: 1, max: 40 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      penalty: fc.constantFrom(0, 0.25, 1, 5, Number.POSITIVE_INFINITY),
      gains: fc.array(fc.double({ min: -3, max: 20, noNaN: true }), {
        minLength: 480,
        maxLength: 480,
        size: 'max',
      }),
    })
    .map(({ tokens, keyLength, share, penalty, gains }) => ({
      gain: Float64Array.from(gains.slice(0, tokens * keyLength)),
      tokens,
      keyLength,
      block: Math.max(1, Math.ceil(share * tokens)),
      penalty,
    }))
  fc.assert(
    fc.property(problem, (p) => {
      const expected = definition(p)
      // half a unit per pair; a unit is at most 2^-29 of the largest possible sum
      const rounding = 2 ** -30 * p.block * p.block * (20 + 2 * Math.min(5, p.penalty)) + 1e-9
      const best = bestAlignment(p)
      expect(Math.abs(best.statistic - expected)).toBeLessThanOrEqual(rounding)
      // in float64 the place found may lose to another one by no more than the rounding of both
      const gain = alignmentGain(p, best)
      expect(gain).toBeLessThanOrEqual(expected + 1e-9)
      expect(gain).toBeGreaterThanOrEqual(expected - 2 * rounding)
    }),
  )
})

test('a score that is no number is an error, not a statistic', () => {
  const problem = { tokens: 1, keyLength: 1, block: 1, penalty: 1 }
  for (const gain of [Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => bestAlignment({ ...problem, gain: Float64Array.of(gain) })).toThrow('finite scores')
})
