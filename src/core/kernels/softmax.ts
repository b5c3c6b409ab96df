import { active } from './active.ts'

/**
 * p = softmax(sharpness * logits), sharpness being 1 / temperature. Returns the sum of e^(sharpness (logit - largest)), which
 * is NaN where the logits have no softmax (a NaN, +Infinity, or nothing but -Infinity).
 */
export const softmax = (logits: Float32Array | Float64Array, sharpness: number, p: Float64Array): number =>
  logits instanceof Float32Array
    ? active(logits).softmax32(logits, sharpness, p)
    : active(logits).softmax64(logits, sharpness, p)
