/**
 * Small arrays go to the plain kernels: crossing into WebAssembly and copying costs about a microsecond, more than a loop over a
 * toy vocabulary. The laws run on such vocabularies, millions of times.
 */
import type { Kernels } from './kernels.ts'
import { plain } from './plain.ts'

/** Fewer elements than this are not worth the crossing. */
const SMALL = 64

export function bySize(fast: Kernels): Kernels {
  const fit = (array: { readonly length: number }): Kernels => (array.length < SMALL ? plain : fast)
  return {
    kind: fast.kind,
    softmax: (logits, sharpness, p) => fit(p).softmax(logits, sharpness, p),
    fill: (out, keys) => fit(out).fill(out, keys),
    total: (p) => fit(p).total(p),
    support: (p, ids) => fit(p).support(p, ids),
    greenMass: (p, words, shift, threshold) => fit(p).greenMass(p, words, shift, threshold),
    greenScale: (p, words, shift, threshold, green, red, q) =>
      fit(p).greenScale(p, words, shift, threshold, green, red, q),
    classMass: (p, words, shift, mass) => fit(p).classMass(p, words, shift, mass),
    classScale: (p, words, shift, factor, q) => fit(p).classScale(p, words, shift, factor, q),
    remainders: (words, l, out) => fit(words).remainders(words, l, out),
    inBucket: (words, shift, bucket, ids) => fit(words).inBucket(words, shift, bucket, ids),
    orderScale: (p, words, lowWord, highWord, low, high, q) =>
      fit(p).orderScale(p, words, lowWord, highWord, low, high, q),
    nextRunner: (p, words, from, best) => fit(p).nextRunner(p, words, from, best),
    seed: (key, words, count, length, step, out) => fit(words).seed(key, words, count, length, step, out),
    align: (pairs, k, period) => fit(pairs).align(pairs, k, period),
  }
}
