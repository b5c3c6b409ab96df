/** Permutations as published generators draw them, by enumeration of the words they draw from. */

/** Every permutation of n that "partner of place i from the i places before it" can give, with the number of ways. */
export function demoPermutations(n: number): Map<string, number> {
  const count = new Map<string, number>()
  const visit = (order: number[], i: number): void => {
    if (i === 0) {
      const name = order.join(' ')
      count.set(name, (count.get(name) ?? 0) + 1)
      return
    }
    for (let j = 0; j < i; j++) {
      const next = [...order]
      ;[next[i], next[j]] = [next[j]!, next[i]!]
      visit(next, i - 1)
    }
  }
  visit(
    Array.from({ length: n }, (_, i) => i),
    n - 1,
  )
  return count
}

export const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1))

/** Total variation between a permutation's law (equally likely names) and the uniform law on all n! permutations. */
export const distanceFromUniform = (n: number, reached: number): number => 1 - reached / factorial(n)

/** Total variation between a 32-bit word mod n and the uniform law on 0..n-1: r (n - r) / (n 2^32), r = 2^32 mod n. */
export function moduloBias(n: number): number {
  const r = 2 ** 32 % n
  return (r * (n - r)) / (n * 2 ** 32)
}
