import { expect, test } from 'vitest'
import { logBinomialTail, logLawsTail } from '../../src/core/stats/index.ts'

/** All masses of the sum, one variable after the other. */
function massesOf(laws: readonly Float64Array[]): number[] {
  let masses = [1]
  for (const law of laws) {
    const next = new Array<number>(masses.length + law.length - 1).fill(0)
    for (const [i, mass] of masses.entries()) for (const [x, own] of law.entries()) next[i + x]! += mass * own
    masses = next
  }
  return masses
}

const laws = [
  [0.5, 0.5],
  [0.9, 0, 0.1],
  [0.25, 0.25, 0.25, 0.25],
  [0.999, 0.001],
  [0, 1],
].map((law) => Float64Array.from(law))

test('the tail is the sum of the masses', () => {
  const masses = massesOf(laws)
  for (let sum = -1; sum <= masses.length; sum++) {
    const tail = masses.slice(Math.max(0, sum)).reduce((a, b) => a + b, 0)
    const { logTail, exact } = logLawsTail(sum, laws)
    expect(exact).toBe(true)
    if (tail === 0) expect(logTail).toBe(Number.NEGATIVE_INFINITY)
    else expect(Math.abs(logTail - Math.log(tail))).toBeLessThan(1e-12)
  }
})

test('equal laws have a binomial tail, where it underflows too', () => {
  const bits = Array.from({ length: 3000 }, () => Float64Array.of(0.5, 0.5))
  for (const sum of [1400, 1500, 1700, 2900, 3000])
    expect(Math.abs(logLawsTail(sum, bits).logTail / logBinomialTail(sum, 3000, 1 / 2) - 1)).toBeLessThan(
      1e-10,
    )
})

test('beyond 8,192 the tail is a bound, and says so', () => {
  const bits = Array.from({ length: 9000 }, () => Float64Array.of(0.5, 0.5))
  const { logTail, exact } = logLawsTail(4700, bits)
  expect(exact).toBe(false)
  expect(logTail).toBeGreaterThan(logBinomialTail(4700, 9000, 1 / 2))
  expect(logTail).toBeLessThan(0.6 * logBinomialTail(4700, 9000, 1 / 2))
  expect(logLawsTail(4400, bits).logTail).toBe(0)
})
