/** The demo of Kuditipudi et al. keeps its uniforms as float32. */

/** How many 32-bit words w make w / 2^32 round to `value` in float32, counted around it. */
export function wordsThatRoundTo(value: number): number {
  const centre = value * 2 ** 32
  let count = 0
  for (let w = Math.max(0, centre - 4096); w < Math.min(2 ** 32, centre + 4096); w++)
    if (Math.fround(w * 2 ** -32) === value) count++
  return count
}

/**
 * P(some token of the tail is sampled) where one token has nearly all mass and `tail` others have next to none: a
 * uniform of exactly 1 wins whatever its probability is, because 1^(1/p) = 1; the head token's must not be 1 itself.
 */
export function tailWins(tail: number): number {
  const one = wordsThatRoundTo(1) * 2 ** -32
  return -Math.expm1(tail * Math.log1p(-one)) * (1 - one)
}
