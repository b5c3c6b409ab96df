/**
 * The law of the SPMG gap and of DetWmk where the metric is an integer: exact, by convolution.
 *
 * Each prompt has m generations of the model (M), of the model under test (T) and of a clone (M'); with sums x, y, z of their
 * metrics over the generations, the gap is |x - y| and DetWmk is |x - y| - |x - z|, both over m and averaged over prompts.
 */

/** Masses at 0, 1, 2, ... */
export type Masses = Float64Array

/** The law of the sum of two independent numbers. */
export function convolve(a: Masses, b: Masses): Masses {
  const out = new Float64Array(a.length + b.length - 1)
  for (let i = 0; i < a.length; i++)
    if (a[i] !== 0) for (let j = 0; j < b.length; j++) out[i + j]! += a[i]! * b[j]!
  return out
}

/** The law of a sum of independent numbers. */
export const sumLaw = (laws: readonly Masses[]): Masses => laws.reduce(convolve, Float64Array.of(1))

/** E |x - y|. */
export function meanDistance(a: Masses, b: Masses): number {
  let mean = 0
  for (let i = 0; i < a.length; i++)
    for (let j = 0; j < b.length; j++) mean += a[i]! * b[j]! * Math.abs(i - j)
  return mean
}

/** The law of |x - y| for a given x. */
function distanceFrom(x: number, law: Masses): Masses {
  const out = new Float64Array(law.length)
  for (let y = 0; y < law.length; y++) out[Math.abs(x - y)]! += law[y]!
  return out
}

/** The law of |x - y| - |x - z| + n, with n the largest value of each. */
export function detWmkLaw(original: Masses, test: Masses, clone: Masses): Masses {
  const out = new Float64Array(2 * original.length - 1)
  for (let x = 0; x < original.length; x++) {
    // reversed, so that a sum is a difference
    const differences = convolve(distanceFrom(x, test), distanceFrom(x, clone).reverse())
    for (let i = 0; i < out.length; i++) out[i]! += original[x]! * differences[i]!
  }
  return out
}

/** The chance that a number with this law is at least `least`. */
export function chanceOfAtLeast(law: Masses, least: number): number {
  let sum = 0
  for (let i = Math.max(0, Math.ceil(least - 1e-9)); i < law.length; i++) sum += law[i]!
  return Math.min(1, sum)
}
