/**
 * Small arrays go to the plain kernels: crossing into WebAssembly and copying costs about a microsecond, more than a loop over a
 * toy vocabulary. The laws run on such vocabularies, millions of times.
 */
import type { Kernels } from './kernels.ts'
import { plain } from './plain.ts'

/** Fewer elements than this are not worth the crossing. */
const SMALL = 64

export function bySize(fast: Kernels): Kernels {
  const choice = (array: { readonly length: number }): Kernels => (array.length < SMALL ? plain : fast)
  return {
    kind: fast.kind,
    softmax: (logits, sharpness, p) => choice(p).softmax(logits, sharpness, p),
    fill: (out, keys) => choice(out).fill(out, keys),
    total: (p) => choice(p).total(p),
    support: (p, ids) => choice(p).support(p, ids),
    greenMass: (p, words, shift, threshold) => choice(p).greenMass(p, words, shift, threshold),
    greenScale: (p, words, shift, threshold, green, red, q) =>
      choice(p).greenScale(p, words, shift, threshold, green, red, q),
    classMass: (p, words, shift, mass) => choice(p).classMass(p, words, shift, mass),
    classScale: (p, words, shift, factor, q) => choice(p).classScale(p, words, shift, factor, q),
    remainders: (words, l, out) => choice(words).remainders(words, l, out),
    inBucket: (words, shift, bucket, ids) => choice(words).inBucket(words, shift, bucket, ids),
    orderScale: (p, words, lowWord, highWord, low, high, q) =>
      choice(p).orderScale(p, words, lowWord, highWord, low, high, q),
    nextRunner: (p, words, from, best) => choice(p).nextRunner(p, words, from, best),
    seed: (key, words, count, length, step, out) => choice(words).seed(key, words, count, length, step, out),
    exponentialScores: (keys, tokens, out) => choice(out).exponentialScores(keys, tokens, out),
    align: (pairs, k, period, costs) => choice(pairs).align(pairs, k, period, costs),
  }
}
