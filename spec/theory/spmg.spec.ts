import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { detWmk, spmgGap, spmgTailBound, spmgThreshold } from '../../src/theory/spmg.ts'
import { spmgTest } from '../../src/theory/spmg-test.ts'

describe('gap and DetWmk', () => {
  test('by hand', () => {
    expect(
      spmgGap(
        [
          [1, 3],
          [0, 0],
        ],
        [
          [1, 1],
          [0, 2],
        ],
      ),
    ).toBe(1)
    expect(detWmk([[0]], [[1]], [[0]])).toBe(1)
    expect(
      detWmk(
        [
          [0, 2],
          [1, 1],
        ],
        [
          [2, 2],
          [1, 1],
        ],
        [
          [1, 1],
          [2, 2],
        ],
      ),
    ).toBe((1 + 0) / 2 - (0 + 1) / 2)
  })

  test('prompts may have different numbers of generations; none, or a NaN, is an error', () => {
    expect(spmgGap([[1, 3]], [[2]])).toBe(0)
    expect(() => spmgGap([], [])).toThrow(/a: expected at least one prompt/)
    expect(() => spmgGap([[]], [[1]])).toThrow(/a\[0\]: expected at least one generation/)
    expect(() => spmgGap([[1]], [[Number.NaN]])).toThrow(/b\[0\]\[0\]: expected a number, got NaN/)
    expect(() => spmgGap([[1]], [[1], [2]])).toThrow(/prompts: expected 1 in both, got 2/)
  })
})

describe('thresholds', () => {
  const design = { generations: 1000, prompts: 10, bound: 0.5, alpha: 0.05 }

  test('sharp, theorem and printed', () => {
    expect(spmgThreshold(design)).toBeCloseTo(0.0173082, 6)
    expect(spmgThreshold({ ...design, form: 'theorem' })).toBeCloseTo(0.0299787, 6)
    expect(spmgThreshold({ ...design, form: 'printed' })).toBeCloseTo(0.0149893, 6)
  })

  test('the tail bound at the threshold is alpha', () => {
    for (const form of ['sharp', 'theorem'] as const)
      expect(spmgTailBound(spmgThreshold({ ...design, form }), { ...design, form })).toBeCloseTo(0.05, 12)
    expect(spmgTailBound(-1, design)).toBe(1)
  })

  test('name a wrong argument', () => {
    expect(() => spmgThreshold({ ...design, bound: 0 })).toThrow(/bound: expected a number in/)
    expect(() => spmgThreshold({ ...design, alpha: 1 })).toThrow(
      /alpha: expected a number in \(0, 1\), got 1/,
    )
    expect(() => spmgThreshold({ ...design, generations: 1.5 })).toThrow(/generations: expected an integer/)
  })
})

describe('the permutation test', () => {
  test('by hand: one of six assignments is as large', () => {
    expect(spmgTest([[0, 0]], [[1, 1]], [[0, 0]])).toEqual({
      statistic: 1,
      pValue: 1 / 6,
      exhaustive: true,
      assignments: 6,
    })
  })

  test('swapping whole sets flips signs: two prompts give four assignments', () => {
    const result = spmgTest([[0], [0]], [[1], [2]], [[0], [0]], { exchange: 'prompt' })
    expect(result).toMatchObject({ statistic: 1.5, pValue: 1 / 4, assignments: 4 })
  })

  test('sampled assignments agree with listed ones', () => {
    const stream = seededRandom('agree')
    const set = (shift: number) => [0, 1].map(() => Array.from({ length: 4 }, () => stream.uniform() + shift))
    const [original, shifted, clone] = [set(0), set(0.3), set(0)]
    const listed = spmgTest(original, shifted, clone)
    const sampled = spmgTest(original, shifted, clone, { enumerate: 0, runs: 20_000 })
    expect(listed).toMatchObject({ exhaustive: true, assignments: 70 ** 2 })
    expect(sampled.exhaustive).toBe(false)
    // Hoeffding: off by more than 0.023 with probability below 1e-9
    expect(Math.abs(listed.pValue - sampled.pValue)).toBeLessThan(0.023)
  })

  test('a clear shift is found, its absence is not', () => {
    const stream = seededRandom('shift')
    const set = (shift: number) =>
      [0, 1, 2].map(() => Array.from({ length: 20 }, () => stream.uniform() + shift))
    expect(spmgTest(set(0), set(3), set(0), { seed: 1 }).pValue).toBeLessThan(0.001)
    const same = set(0)
    expect(spmgTest(same, same, same, { seed: 1 }).pValue).toBe(1)
  })

  test('does not change its arguments, and is deterministic', () => {
    const sets = [[[1, 2, 3, 4]], [[5, 6, 7, 8]], [[1, 3, 5, 7]]] as const
    const before = JSON.stringify(sets)
    const run = () => spmgTest(...sets, { enumerate: 0, runs: 99, seed: 'x' })
    expect(run()).toEqual(run())
    expect(JSON.stringify(sets)).toBe(before)
  })

  test('names what does not fit', () => {
    expect(() => spmgTest([[1]], [[1, 2]], [[1]])).toThrow(/clone\[0\]: expected 2 generations/)
    expect(() => spmgTest([[1]], [[1], [2]], [[1]])).toThrow(/test: expected 1 prompts/)
    expect(() => spmgTest([[1]], [[1]], [[1]], { runs: 0 })).toThrow(
      /runs: expected an integer in \[1, 10000000\]/,
    )
  })
})
