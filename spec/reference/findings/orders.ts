/** Draws of published generators, by enumeration of the words they draw from. */

/** Total variation between a 32-bit word mod n and the uniform law on 0..n-1: r (n - r) / (n 2^32), r = 2^32 mod n. */
export function moduloBias(n: number): number {
  const r = 2 ** 32 % n
  return (r * (n - r)) / (n * 2 ** 32)
}
