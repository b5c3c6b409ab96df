/** The oracle for p-values against whole-number sums and closed forms: nothing here shares a formula with it. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { convolvedTail, type Term, tiltedSum, tiltFor } from '../../src/gate/laws/engine/convolved-tail.ts'
import { fourier } from '../../src/gate/laws/engine/fourier.ts'
import { latticeGrid, type ScoreGrid, smoothGrid } from '../../src/gate/laws/engine/score-grid.ts'
import { oneScoreLaw } from '../../src/gate/laws/null-law/score-laws.ts'
import { twoExponentials } from '../../src/watermarks/mechanisms/exponential-laws.ts'
import { exactGammaTail, packedBits, packedPower, packedTail } from '../stats/exact.ts'

test('the transform is the sum that defines it', () => {
  const size = 16
  const re = Float64Array.from({ length: size }, (_, k) => Math.sin(k * k))
  const im = Float64Array.from({ length: size }, (_, k) => Math.cos(3 * k))
  const sum = (j: number, part: (angle: number, k: number) => number): number =>
    Array.from({ length: size }, (_, k) => part((2 * Math.PI * j * k) / size, k)).reduce((a, b) => a + b, 0)
  const real = Array.from(re, (_, j) => sum(j, (a, k) => re[k]! * Math.cos(a) - im[k]! * Math.sin(a)))
  const imaginary = Array.from(re, (_, j) => sum(j, (a, k) => re[k]! * Math.sin(a) + im[k]! * Math.cos(a)))
  fourier(re, im)
  for (let j = 0; j < size; j++) {
    expect(re[j]).toBeCloseTo(real[j]!, 12)
    expect(im[j]).toBeCloseTo(imaginary[j]!, 12)
  }
})

/** The tail at a sum about `depth` nats deep, and the sum. */
function at(grid: ScoreGrid, terms: readonly Term[], depth: number): { sum: number; log: number } {
  const theta = tiltFor(grid, terms, depth)
  const sum = Math.round(tiltedSum(grid, terms, theta).mean)
  return { sum, log: convolvedTail(grid, terms, sum, theta) }
}

const close = (found: number, exact: number, relative = 1e-10): void =>
  expect(Math.abs(found - exact)).toBeLessThan(relative * (1 + Math.abs(exact)))

describe('lattices, against sums of integers', () => {
  test('any law of a few values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(9), { minLength: 2, maxLength: 7 }),
        fc.integer({ min: 1, max: 60 }),
        fc.constantFrom(0, 1, 5, 40, 690),
        (weights, n, depth) => {
          fc.pre(weights[0]! > 0 && weights[weights.length - 1]! > 0)
          const total = weights.reduce((a, b) => a + b, 0)
          const grid = latticeGrid(Float64Array.from(weights, (w) => w / total))
          const { sum, log } = at(grid, [{ times: 1, copies: n }], depth)
          close(log, packedTail(packedPower(weights, n), sum))
        },
      ),
    )
  })

  test('a tail below 1e-300', () => {
    const grid = latticeGrid(Float64Array.of(0.75, 0.25))
    const { sum, log } = at(grid, [{ times: 1, copies: 1500 }], 690)
    expect(log).toBeLessThan(-690)
    close(log, packedTail(packedPower([3, 1], 1500), sum))
  })

  test('scores that count several times', () => {
    const terms = [
      { times: 1, copies: 40 },
      { times: 2, copies: 9 },
      { times: 7, copies: 3 },
    ]
    const grid = latticeGrid(Float64Array.of(0.75, 0.25))
    const exact = packedBits(
      terms.map(({ times }) => times),
      terms.map(({ copies }) => copies),
      1n,
      4n,
    )
    for (const depth of [0, 2, 20, 60]) {
      const { sum, log } = at(grid, terms, depth)
      close(log, packedTail(exact, sum))
    }
  })

  test('whatever the tilt', () => {
    const grid = latticeGrid(Float64Array.of(0.5, 0.3, 0.2))
    const exact = packedTail(packedPower([5, 3, 2], 50), 60)
    for (const theta of [0, 0.3, 0.6, 1])
      close(convolvedTail(grid, [{ times: 1, copies: 50 }], 60, theta), exact, 1e-7)
  })
})

describe('a continuous law, against the Gamma tail', () => {
  test.each([
    [1, 690],
    [2, 30],
    [7, 690],
    [40, 5],
    [300, 100],
    [1000, 0],
  ])('%s exponentials, about e^-%s', (n, depth) => {
    const terms = [{ times: 1, copies: n }]
    const coarse = smoothGrid((x) => -x, 1 / 16, 780 * 16)
    const fine = smoothGrid((x) => -x, 1 / 32, 780 * 32)
    const theta = tiltFor(coarse, terms, depth)
    const sum = Math.round(tiltedSum(coarse, terms, theta).mean)
    const [first, second] = [
      convolvedTail(coarse, terms, sum, theta),
      convolvedTail(fine, terms, 2 * sum, theta / 2),
    ]
    const exact = exactGammaTail(sum / 16, n)
    // each alone is good to 1e-3, and both together to 1e-6: the error is of second order
    expect(Math.abs(first - exact)).toBeLessThan(1e-3)
    expect(Math.abs(second - exact)).toBeLessThan(0.3 * Math.abs(first - exact) + 1e-9)
    expect(Math.abs(second + (second - first) / 3 - exact)).toBeLessThan(1e-6)
  })

  test('an atom at 0 stays there', () => {
    const grid = smoothGrid((x) => (x > 0 ? Math.log(0.25) - x : 0), 1 / 32, 100 * 32)
    const { masses, first } = grid.tilted(0)
    expect(first).toBe(0)
    expect(masses[0]).toBeGreaterThan(0.75)
    expect(masses[0]).toBeLessThan(0.76)
    expect(masses.reduce((sum, mass, k) => sum + (mass * k) / 32, 0)).toBeCloseTo(0.25, 6)
  })
})

describe('a law that bends within a cell: (1 - w) A + w B', () => {
  // ln P(sum >= x) by the series of logTwoGammasTail in 60 decimal digits (mpmath), which was once blamed for the error of the grid
  test.each([
    [0.1, 1, 0.25, -0.172108712338795],
    [0.1, 1346, 1345.5, -0.688276361816863],
    [0.03, 39, 38.25, -0.637970278438456],
    [0.01, 20, 20.125, -0.778525491642265],
    [0.01, 5, 4.375, -0.584830885411839],
  ])('w = %s, %s scores', (w, n, x, exact) => {
    const law = twoExponentials(1 - w, w)
    expect(Math.abs(law.logTail(x, n) - exact)).toBeLessThan(1e-9)
    const { grids } = oneScoreLaw(law, Number.POSITIVE_INFINITY, Float64Array.of(0.3, 0.1, 0.7), 1e-3)!
    const terms = [{ times: 1, copies: n }]
    const sum = x / grids[0]!.step
    const logs = grids.map((grid, i) => convolvedTail(grid, terms, sum * 2 ** i, 0))
    const [before, after] = [1, 2].map((i) => logs[i]! + (logs[i]! - logs[i - 1]!) / 3)
    // the law allows 1e-6 beside a fifth of what the finest grid changed
    expect(Math.abs(after! - exact)).toBeLessThan(4e-7 + 0.2 * Math.abs(after! - before!))
    expect(Math.abs(after! - exact)).toBeLessThan(1e-5)
  })
})
