import { entropy } from '../../src/theory/expected-score.ts'

/** Tokens of the laws. */
export const VOCABULARY = 100

/** Zipf's law with the exponent that gives an entropy. */
export function zipf(nats: number): Float64Array {
  const law = (exponent: number): Float64Array => {
    const weights = Float64Array.from({ length: VOCABULARY }, (_, i) => (i + 1) ** -exponent)
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    return weights.map((weight) => weight / total)
  }
  let [low, high] = [0, 10]
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2
    if (entropy(law(middle)) > nats) low = middle
    else high = middle
  }
  return law(high)
}
