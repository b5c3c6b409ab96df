import fc from 'fast-check'
import { expect, test } from 'vitest'
import { logDrawsTail, logWeightedBernoulliTail } from '../../src/core/stats/entry.ts'
import { logRatio } from './exact.ts'

/** C(n, k). */
function choose(n: number, k: number): bigint {
  let value = 1n
  for (let i = 0; i < k; i++) value = (value * BigInt(n - i)) / BigInt(i + 1)
  return k < 0 || k > n ? 0n : value
}

/** The law of one draw as whole weights over C(V, k): every set of items that may win, one by one. */
function listed(counts: readonly number[], size: number, total: number): Map<number, bigint> {
  const law = new Map<number, bigint>()
  for (let set = 0; set < 2 ** counts.length; set++) {
    const winners = counts.filter((_, i) => (set >>> i) & 1)
    const ways = choose(total - counts.length, size - winners.length)
    const sum = winners.reduce((a, b) => a + b, 0)
    if (ways > 0n) law.set(sum, (law.get(sum) ?? 0n) + ways)
  }
  return law
}

/** ln P(sum of the draws >= sum) in integers. */
function exactTail(sum: number, groups: readonly (readonly number[])[], size: number, total: number): number {
  let law = new Map([[0, 1n]])
  for (const counts of groups) {
    const next = new Map<number, bigint>()
    for (const [x, a] of law)
      for (const [y, b] of listed(counts, size, total)) next.set(x + y, (next.get(x + y) ?? 0n) + a * b)
    law = next
  }
  const above = [...law].reduce((mass, [x, ways]) => (x >= sum ? mass + ways : mass), 0n)
  return above === 0n
    ? Number.NEGATIVE_INFINITY
    : logRatio(above, choose(total, size) ** BigInt(groups.length))
}

const close = (found: number, expected: number): void => {
  if (expected === Number.NEGATIVE_INFINITY || expected === 0) expect(found).toBeCloseTo(expected, 12)
  else expect(Math.abs(found - expected)).toBeLessThan(1e-11 * Math.max(1, Math.abs(expected)))
}

test('equals the sum over every set of winners', () => {
  const world = fc.integer({ min: 1, max: 7 }).chain((total) =>
    fc.record({
      total: fc.constant(total),
      size: fc.nat(total),
      groups: fc.array(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: total }), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
  )
  fc.assert(
    fc.property(world, ({ total, size, groups }) => {
      const most = groups.flat().reduce((a, b) => a + b, 0)
      for (let sum = 0; sum <= most + 1; sum++)
        close(logDrawsTail(sum, groups, { sizes: [size], total }), exactTail(sum, groups, size, total))
    }),
  )
})

test('far in the tail: the hypergeometric law, below 1e-300', () => {
  const [total, size, items] = [5000, 1250, 1200]
  const counts = new Array<number>(items).fill(1)
  for (const sum of [300, 400, 500, 700, 900]) {
    let above = 0n
    for (let k = sum; k <= items; k++) above += choose(items, k) * choose(total - items, size - k)
    close(logDrawsTail(sum, [counts], { sizes: [size], total }), logRatio(above, choose(total, size)))
  }
  expect(logDrawsTail(900, [counts], { sizes: [size], total })).toBeLessThan(-700)
})

test('several sizes are a mixture', () => {
  const groups = [[2, 1, 1]]
  for (let sum = 1; sum <= 4; sum++) {
    const parts = [2, 2, 3].map((size) => Math.exp(exactTail(sum, groups, size, 5)) / 3)
    const mixed = Math.log(parts.reduce((a, b) => a + b, 0))
    close(logDrawsTail(sum, groups, { sizes: [2, 2, 3], total: 5 }), mixed)
  }
})

test('one item per draw: independent items', () => {
  const counts = [3, 1, 1, 2, 5]
  for (let sum = 0; sum <= 12; sum++)
    expect(
      logDrawsTail(
        sum,
        counts.map((c) => [c]),
        { sizes: [3], total: 12 },
      ),
    ).toBe(logWeightedBernoulliTail(sum, counts, 1 / 4))
})

test('names what is wrong', () => {
  expect(() => logDrawsTail(1, [[1, 1, 1]], { sizes: [1], total: 2 })).toThrow(/groups: expected at most 2/)
  expect(() => logDrawsTail(0.5, [[1, 1]], { sizes: [1], total: 2 })).toThrow(/sum/)
})
