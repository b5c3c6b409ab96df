import fc from 'fast-check'
import { expect, test } from 'vitest'
import { latticeTails } from '../../../src/core/stats/sums/lattice-tails.ts'
import { logLatticeTail } from '../../../src/core/stats/sums/log-lattice-tail.ts'

test('tables agree with the inversion to a relative 1e-10, at the mean and far in the tail', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 12 }),
      fc.integer({ min: 1, max: 18 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (weights, n, place) => {
        const total = weights.reduce((sum, w) => sum + w, 0)
        const pmf = weights.map((w) => w / total)
        const sum = Math.round(place * n * (weights.length - 1))
        expect(Math.abs(latticeTails(pmf)(sum, n) - logLatticeTail(pmf, sum, n))).toBeLessThan(1e-10)
      },
    ),
  )
})

test('what cannot happen has probability 0, what must happen 1', () => {
  const tail = latticeTails([0.5, 0.5])
  expect(tail(4, 3)).toBe(Number.NEGATIVE_INFINITY)
  expect(tail(0, 3)).toBe(0)
  expect(tail(3, 3)).toBeCloseTo(Math.log(1 / 8), 14)
})

test('what a table of float64 cannot hold is not taken for impossible', () => {
  const rare = 1e-100
  const tail = latticeTails([1 - rare, rare])
  expect(tail(3, 3)).toBeCloseTo(3 * Math.log(rare), 9)
  expect(tail(5, 6)).toBeCloseTo(5 * Math.log(rare) + Math.log(6), 9)
})
