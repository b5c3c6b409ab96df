import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { integer, number, outOfRange, refuseUnknown, wrongType } from '../../../input.ts'
import type { LanguageModel } from '../language-model.ts'
import { tableModel } from './table.ts'

export interface NgramModelOptions {
  /** Length of the n-grams counted: the next word depends on `order - 1` words. Default 3. */
  readonly order?: number
  /** Weight of the shorter context, in counts. Default 1. */
  readonly smoothing?: number
}

const PIECE = / ?[\p{L}\p{M}]+| ?\p{N}+| ?[^\s\p{L}\p{M}\p{N}]+|\s/gu
/** Stands for words that the text did not have. */
const UNKNOWN = '\ufffd'

/**
 * Returns the n-gram model of a text, by words: p(w | h) = (count(h w) + s p(w | h')) / (count(h) + s), where h' is h without its
 * first word and s the smoothing; below it all is the uniform distribution. Every word is possible everywhere.
 * @example
 * const model = ngramModel('the cat sat on the mat and the cat ran', { order: 2 })
 * model.vocabSize // 9: words with the blank before them, and one for unknown words
 */
export function ngramModel(text: string, options: NgramModelOptions = {}): LanguageModel {
  if (typeof text !== 'string') throw wrongType('text', 'a string', text)
  refuseUnknown('ngramModel', options, ['order', 'smoothing'])
  const order = integer('order', options.order ?? 3, 1, 16)
  const smoothing = number('smoothing', options.smoothing ?? 1, 0, Number.MAX_VALUE, true)
  const words = [...new Set([UNKNOWN, ...(text.match(PIECE) ?? [])])]
  const ids = new Map(words.map((word, id) => [word, id]))
  const encode = (piece: string): number[] => (piece.match(PIECE) ?? []).map((word) => ids.get(word) ?? 0)
  const tokens = encode(text)
  if (tokens.length === 0) throw outOfRange('text', 'at least one word', text)
  const counts = countNgrams(tokens, order)
  return tableModel({
    id: `ngram(order=${order},smoothing=${smoothing},text=${bytesToHex(sha256(utf8ToBytes(text))).slice(0, 16)})`,
    vocabSize: words.length,
    order: order - 1,
    tokenizer: {
      encode,
      encodePrompt: encode,
      decode: (list) => Array.from(list, (id) => words[id] ?? UNKNOWN).join(''),
    },
    logits(context) {
      const p = new Float64Array(words.length).fill(1 / words.length)
      for (let n = 0; n <= context.length; n++) {
        const seen = counts.get(context.slice(context.length - n).join())
        if (seen === undefined) break
        let total = smoothing
        for (const count of seen.values()) total += count
        for (let w = 0; w < p.length; w++) p[w] = ((seen.get(w) ?? 0) + smoothing * p[w]!) / total
      }
      return Float32Array.from(p, Math.log)
    },
  })
}

/** Counts how often each token followed each context of up to `order - 1` tokens. */
function countNgrams(tokens: readonly number[], order: number): Map<string, Map<number, number>> {
  const counts = new Map<string, Map<number, number>>()
  for (let at = 0; at < tokens.length; at++) {
    for (let n = 0; n < order && n <= at; n++) {
      const context = tokens.slice(at - n, at).join()
      const seen = counts.get(context) ?? new Map<number, number>()
      counts.set(context, seen)
      seen.set(tokens[at]!, (seen.get(tokens[at]!) ?? 0) + 1)
    }
  }
  return counts
}
