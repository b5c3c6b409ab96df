/**
 * Exact oracles for the tails: BigInt rational sums, and fixed-point numbers where a transcendental enters.
 * Nothing here shares a formula with src/core/stats.
 */

/** A float64 as an exact fraction num/den, den a power of two. */
export function fraction(value: number): [num: bigint, den: bigint] {
  let den = 1n
  let scaled = value
  while (!Number.isInteger(scaled)) {
    scaled *= 2
    den *= 2n
  }
  return [BigInt(scaled), den]
}

/** ln(num/den) of positive integers of any size, to float64 rounding of the logarithm. */
export function logRatio(num: bigint, den: bigint): number {
  const shift = bits(den) - bits(num) + 62
  const scaled = shift >= 0 ? (num << BigInt(shift)) / den : num / (den << BigInt(-shift))
  return Math.log(Number(scaled)) - shift * Math.LN2
}

const bits = (value: bigint) => {
  const hex = value.toString(16)
  return 4 * (hex.length - 1) + Math.floor(Math.log2(Number.parseInt(hex[0]!, 16))) + 1
}

/** ln P(X >= k), X ~ Binomial(n, num/den), term by term. */
export function exactBinomialTail(k: number, n: number, num: bigint, den: bigint): number {
  const rest = den - num
  // the shorter side is summed; terms a^j b^(n-j) C(n, j) with the common power of `num` or `rest` divided out
  if (k <= 0) return 0
  let term = 1n
  let sum = 0n
  if (2 * k > n) {
    // j = n, n-1, ..., k: C(n, j) num^(j-k) rest^(n-j), times num^k
    term = num ** BigInt(n - k)
    for (let j = n; j >= k; j--) {
      sum += term
      if (j > k) term = (term * BigInt(j) * rest) / (BigInt(n - j + 1) * num)
    }
    return logRatio(sum * num ** BigInt(k), den ** BigInt(n))
  }
  // complement: j = 0..k-1: C(n, j) num^j rest^(k-1-j), times rest^(n-k+1)
  term = rest ** BigInt(k - 1)
  for (let j = 0; j < k; j++) {
    sum += term
    if (j < k - 1) term = (term * BigInt(n - j) * num) / (BigInt(j + 1) * rest)
  }
  const total = den ** BigInt(n)
  return logRatio(total - sum * rest ** BigInt(n - k + 1), total)
}

/**
 * ln P(Y >= x), Y ~ Gamma(shape, 1), whole shape: -x + ln of the sum of x^j/j!, j < shape, as 1 + x/1 (1 + x/2 (1 +
 * ...)).
 */
export function exactGammaTail(x: number, shape: number): number {
  const [num, den] = fraction(x)
  let above = 1n
  let below = 1n
  for (let j = shape - 1; j >= 1; j--) {
    below *= BigInt(j) * den
    above = below + num * above
  }
  return logRatio(above, below) - x
}

const precision = 2600n // bits after the point: room for the cancellation in an alternating series at |z| = 38
const one = 1n << precision

function squareRoot(value: bigint): bigint {
  let guess = 1n << BigInt(Math.ceil(bits(value) / 2))
  for (;;) {
    const next = (guess + value / guess) >> 1n
    if (next >= guess) return guess
    guess = next
  }
}

/** arctan(1/m), in fixed point. */
function arctanInverse(m: bigint): bigint {
  let power = one / m
  let sum = 0n
  for (let j = 1n; power !== 0n; j += 2n) {
    sum += j % 4n === 1n ? power / j : -(power / j)
    power /= m * m
  }
  return sum
}

const pi = 4n * (4n * arctanInverse(5n) - arctanInverse(239n)) // Machin

/** ln P(Z >= z), Z standard normal: 1/2 - (z - z^3/(2·3) + z^5/(2^2 2! 5) - ...) / sqrt(2π). */
export function exactNormalTail(z: number): number {
  const [num, den] = fraction(z)
  const at = (num * one) / den
  const square = (at * at) / one
  let power = at
  let sum = 0n
  for (let j = 0n; power !== 0n; j++) {
    sum += power / (2n * j + 1n)
    power = -(power * square) / (one * 2n * (j + 1n))
    if (power === -1n) break
  }
  const root = squareRoot(2n * pi * one)
  return logRatio(one / 2n - (sum * one) / root, one)
}

/**
 * The distribution of a sum as one integer: the mass of s, times the common denominator, in slot s of `slot` bits.
 * The product of such integers is the convolution (Kronecker substitution), so BigInt's own multiplication does the
 * work.
 */
export interface Packed {
  value: bigint
  slot: number
  denominator: bigint
}

/** n independent copies of a variable with P(x) = weights[x] / (sum of weights). */
export function packedPower(weights: readonly number[], n: number): Packed {
  const total = BigInt(weights.reduce((a, b) => a + b, 0))
  const denominator = total ** BigInt(n)
  const slot = bits(denominator) + 1
  const base = weights.reduce((value, weight, x) => value + (BigInt(weight) << BigInt(slot * x)), 0n)
  return { value: base ** BigInt(n), slot, denominator }
}

/** The weighted sum of independent bits of rate num/den. */
export function packedBits(
  weights: readonly number[],
  counts: readonly number[],
  num: bigint,
  den: bigint,
): Packed {
  const size = counts.reduce((a, b) => a + b, 0)
  const denominator = den ** BigInt(size)
  const slot = bits(denominator) + 1
  const value = weights.reduce(
    (product, weight, g) => product * (den - num + (num << BigInt(slot * weight))) ** BigInt(counts[g]!),
    1n,
  )
  return { value, slot, denominator }
}

/** ln P(sum >= s). The sum of the slots is the remainder modulo 2^slot - 1. */
export function packedTail({ value, slot, denominator }: Packed, s: number): number {
  const above = value >> BigInt(slot * Math.max(0, s))
  return above === 0n ? Number.NEGATIVE_INFINITY : logRatio(above % ((1n << BigInt(slot)) - 1n), denominator)
}
