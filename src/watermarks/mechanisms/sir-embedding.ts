/**
 * The embedding that `sir()` computes of token ids: every id has eight public random coordinates with random signs, and a text is the sum over its different ids, of length 1. Texts that
 * share many tokens lie close together. It stands in for a sentence encoder, which a declaration cannot call: codes are drawn at once, and see ids instead of words.
 */
import { Expansion, labelSeed, STRIDE } from '../../core/keys/index.ts'

/** Dimensions: those of MiniLM. */
const SIR_INPUTS = 384

/** Coordinates of a token that are not 0. */
const ENTRIES = 8
const words = new Expansion(labelSeed('sir'))

/** Returns the embedding of a list of token ids. */
export function sirEmbedding(tokens: ArrayLike<number>): Float64Array {
  const sum = new Float64Array(SIR_INPUTS)
  for (const id of new Set(Array.from(tokens)))
    for (let k = 0; k < ENTRIES; k++) {
      const word = words.uint32(STRIDE * k + id)
      sum[(word >>> 1) % SIR_INPUTS]! += word & 1 ? 1 : -1
    }
  const length = Math.sqrt(sum.reduce((total, x) => total + x * x, 0))
  return length === 0 ? sum : sum.map((x) => x / length)
}
