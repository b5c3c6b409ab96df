/** Token ids with and without a watermark, made in no time. */

import { seededRandom } from '../../src/core/keys/stream.ts'
import { embedder, gumbel } from '../../src/index.ts'

export const KEY = 'a secret that nobody guesses'
export const VOCAB = 100

/** `length` tokens of a uniform model; gumbel's mark under a key, or none. */
export function tokens(length: number, seed: number, marked: boolean, key = KEY): number[] {
  const text = embedder(gumbel(), { key, vocabSize: VOCAB, seed })
  const p = new Float64Array(VOCAB).fill(1 / VOCAB)
  const q = new Float64Array(VOCAB)
  const stream = seededRandom(seed, 'corpus')
  const out: number[] = []
  while (out.length < length) {
    const drawn = stream.below(VOCAB)
    const token = marked && text.reweight(out, p, q) ? q.indexOf(1) : drawn
    if (marked) text.drew(token, 1 / VOCAB)
    out.push(token)
  }
  return out
}
