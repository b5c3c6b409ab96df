function softmax(logits: Float32Array | Float64Array, sharpness: number, p: Float64Array): number {
  let top = Number.NEGATIVE_INFINITY
  for (let i = 0; i < p.length; i++) if (logits[i]! > top) top = logits[i]!
  let sum = 0
  for (let i = 0; i < p.length; i++) {
    const e = Math.exp((logits[i]! - top) * sharpness)
    p[i] = e
    sum += e
  }
  const scale = 1 / sum
  for (let i = 0; i < p.length; i++) p[i]! *= scale
  return sum
}

/**
 * p = softmax(sharpness * logits), sharpness being 1 / temperature. Returns the sum of e^(sharpness (logit - largest)), which
 * is NaN where the logits have no softmax (a NaN, +Infinity, or nothing but -Infinity).
 */
export const softmax32: (logits: Float32Array, sharpness: number, p: Float64Array) => number = softmax

/** The same of float64 logits; p may be the logits themselves. */
export const softmax64: (logits: Float64Array, sharpness: number, p: Float64Array) => number = softmax
