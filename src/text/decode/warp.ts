/**
 * Warpers: from logits to the distribution p that the user asked for, in the order temperature, top-k, top-p.
 * The watermark comes after them and the draw last, so that nothing is cut off after the watermark (that would be biased).
 */

import { active } from '../../core/kernels/index.ts'
import { integer, number, outOfRange, wrongType } from '../../input.ts'
import { cutoff } from './cutoff.ts'

/** Settings that shape a distribution before the watermark. */
export interface Sampling {
  /** Divides the logits; 0 is greedy. Default 1. */
  readonly temperature?: number
  /** Keep the k most likely tokens (and what ties with the last of them); 0, the default, keeps all. */
  readonly topK?: number
  /** Keep the fewest most likely tokens whose mass reaches this (and what ties with the last of them); 1, the default, keeps all. */
  readonly topP?: number
}

/** Writes p for the logits at `from .. from + p.length` and returns its entropy in nats. */
export type Warp = (logits: Float32Array, from: number, p: Float64Array) => number

const one = (): number => 1
const itself = (value: number): number => value

/** Divides p by its sum and returns the entropy, from ln p_i = ln(weight_i) - ln(sum). */
function normalise(p: Float64Array): number {
  let sum = 0
  for (let i = 0; i < p.length; i++) sum += p[i]!
  let entropy = 0
  for (let i = 0; i < p.length; i++) {
    if (p[i] === 0) continue
    p[i] = p[i]! / sum
    entropy -= p[i]! * Math.log(p[i]!)
  }
  return entropy
}

/** Makes the error for logits without a softmax: the model or its inputs are broken. */
function broken(logits: Float32Array, from: number, size: number): RangeError {
  const at = logits.subarray(from, from + size).findIndex((logit) => !(logit < Number.POSITIVE_INFINITY))
  if (at < 0) return outOfRange('logits', 'a finite one among them', Number.NEGATIVE_INFINITY)
  return outOfRange(`logits[${at}]`, 'a number or -Infinity', logits[from + at])
}

/** Writes a point mass on the first of the largest logits. */
function greedy(logits: Float32Array, from: number, p: Float64Array): number {
  let top = Number.NEGATIVE_INFINITY
  let best = 0
  let valid = true
  for (let i = 0; i < p.length; i++) {
    const logit = logits[from + i]!
    if (!(logit < Number.POSITIVE_INFINITY)) valid = false
    if (logit <= top) continue
    top = logit
    best = i
  }
  if (!valid || !Number.isFinite(top)) throw broken(logits, from, p.length)
  p.fill(0)
  p[best] = 1
  return 0
}

/** Sums p_i logit_i over tokens with mass. Four sums at a time: an addition need not wait for the previous one. */
function meanLogit(logits: Float32Array, from: number, p: Float64Array): number {
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  let i = 0
  for (; i + 4 <= p.length; i += 4) {
    a += p[i]! * logits[from + i]!
    b += p[i + 1]! * logits[from + i + 1]!
    c += p[i + 2]! * logits[from + i + 2]!
    d += p[i + 3]! * logits[from + i + 3]!
  }
  for (; i < p.length; i++) a += p[i]! * logits[from + i]!
  const mean = a + b + (c + d)
  if (!Number.isNaN(mean)) return mean
  // 0 times -Infinity: leave those out
  let sum = 0
  for (i = 0; i < p.length; i++) if (p[i]! > 0) sum += p[i]! * logits[from + i]!
  return sum
}

/** Returns the first token whose probability has all its digits. */
function firstLikely(p: Float64Array): number {
  let i = 0
  while (p[i]! < 1e-290) i++
  return i
}

/**
 * Writes the softmax of the logits x times `sharpness` s and returns its entropy -sum p_i ln p_i. As ln p_i = s x_i - C, the entropy
 * is C - s E[x], with C from any one token.
 */
function softmax(logits: Float32Array, from: number, p: Float64Array, sharpness: number): number {
  const sum = active(p).softmax32(logits.subarray(from, from + p.length), sharpness, p)
  if (!Number.isFinite(sum)) throw broken(logits, from, p.length)
  const i = firstLikely(p)
  return (logits[from + i]! - meanLogit(logits, from, p)) * sharpness - Math.log(p[i]!)
}

/**
 * Returns the warpers as one function from logits to probabilities, in float64.
 * @example
 * const p = new Float64Array(3)
 * warper({ temperature: 0.5 })(Float32Array.of(0, 1, 2), 0, p) // the entropy in nats = 0.4411
 * p // Float64Array [0.0159, 0.1173, 0.8668]
 */
export function warper(sampling: Sampling = {}): Warp {
  if (typeof sampling !== 'object' || sampling === null)
    throw wrongType('sampling', 'an object with temperature, topK, topP', sampling)
  const temperature = number('temperature', sampling.temperature ?? 1, 0, Number.MAX_VALUE)
  const topK = integer('topK', sampling.topK ?? 0, 0)
  const topP = number('topP', sampling.topP ?? 1, 0, 1)
  if (topP === 0) throw outOfRange('topP', 'a number in (0, 1]', topP)
  const sharpness = 1 / temperature
  // also where the temperature is so small that it has no inverse
  if (!Number.isFinite(sharpness)) return greedy
  let scratch = new Float64Array(0)
  const cut = (p: Float64Array, mass: number, weight: (value: number) => number): void => {
    if (scratch.length !== p.length) scratch = new Float64Array(p.length)
    scratch.set(p)
    const limit = cutoff(scratch, mass, weight)
    for (let i = 0; i < p.length; i++) if (p[i]! < limit) p[i] = 0
  }
  return (logits, from, p) => {
    let entropy = softmax(logits, from, p, sharpness)
    if (topK > 0 && topK < p.length) {
      cut(p, topK, one)
      entropy = normalise(p)
    }
    if (topP < 1) {
      cut(p, topP, itself)
      entropy = normalise(p)
    }
    return entropy
  }
}

/** Blocks of the vocabulary whose mass is summed at once. */
const BLOCK = 1024

/**
 * Returns the token at quantile `u` of q, for u in (0, 1): one uniform number per draw, whatever q is.
 * @example draw(Float64Array.of(0.5, 0.3, 0.2), 0.6) // 1
 */
export function draw(q: Float64Array, u: number): number {
  if (!(q instanceof Float64Array)) throw wrongType('q', 'a Float64Array of probabilities', q)
  number('u', u, 0, 1)
  let mass = 0
  let i = 0
  for (; i + BLOCK < q.length; i += BLOCK) {
    const block = q.subarray(i, i + BLOCK)
    const next = mass + active(block).total(block)
    if (!(u >= next)) break
    mass = next
  }
  for (; i < q.length; i++)
    if (q[i]! > 0) {
      mass += q[i]!
      if (u < mass) return i
    }
  // rounding left the mass a little under u
  const last = q.findLastIndex((value) => value > 0)
  if (last < 0) throw outOfRange('q', 'a distribution with some mass', mass)
  return last
}

/** Returns ln(softmax(logits))[token] for `size` logits that `read` gives from `from` on, in float64. */
export function logSoftmaxAt(read: (i: number) => number, from: number, size: number, token: number): number {
  let top = Number.NEGATIVE_INFINITY
  for (let i = from; i < from + size; i++) top = Math.max(top, read(i))
  let sum = 0
  for (let i = from; i < from + size; i++) sum += Math.exp(read(i) - top)
  return read(from + token) - top - Math.log(sum)
}
