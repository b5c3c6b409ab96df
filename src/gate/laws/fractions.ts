/** Distributions from integer weights: exact to write down, and readable when a counterexample shrinks to them. */

/** The distribution of integer weights: each over their sum. */
export function probabilities(weights: readonly number[]): Float64Array {
  const total = weights.reduce((sum, w) => sum + w, 0)
  return Float64Array.from(weights, (w) => w / total)
}

export function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b)
}

/**
 * The probabilities of integer weights as fractions in lowest terms.
 * @example fractions([2, 6, 0]) // ['1/4', '3/4', '0']
 */
export function fractions(weights: readonly number[]): string[] {
  const total = weights.reduce((sum, w) => sum + w, 0)
  return weights.map((w) => {
    if (w === 0) return '0'
    if (!Number.isInteger(w) || !Number.isInteger(total)) return `${w / total}`
    const d = gcd(w, total)
    return d === total ? '1' : `${w / d}/${total / d}`
  })
}
