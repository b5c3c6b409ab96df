/** Walks texts of a language model token by token, with the next-token distributions in hand. */

import type { Embedder } from '../core/embed/index.ts'
import type { Stream, Tokens } from '../core/keys/index.ts'
import { integer } from '../input.ts'
import type { LanguageModel } from '../text/decode/index.ts'
import { checkedTokens, MAX_NEW_TOKENS, roomAfter } from '../text/decode/index.ts'

/** Writes the softmax of one row of logits, in float64. */
function softmax(logits: Float32Array, row: number, p: Float64Array): void {
  const from = row * p.length
  let top = Number.NEGATIVE_INFINITY
  for (let i = 0; i < p.length; i++) top = Math.max(top, logits[from + i]!)
  let sum = 0
  for (let i = 0; i < p.length; i++) {
    p[i] = Math.exp(logits[from + i]! - top)
    sum += p[i]!
  }
  for (let i = 0; i < p.length; i++) p[i]! /= sum
}

/** Draws a token in proportion to weights that sum to `total`. */
export function drawFrom(weights: Float64Array, total: number, stream: Stream): number {
  let left = stream.uniform() * total
  let last = 0
  for (let i = 0; i < weights.length; i++) {
    if (weights[i]! <= 0) continue
    last = i
    left -= weights[i]!
    if (left < 0) break
  }
  return last
}

/** Checks a prompt, and a length that the model has room for after it. */
export function checkWalk(
  model: LanguageModel,
  name: string,
  given: Tokens,
  length: number,
): { readonly prompt: number[]; readonly length: number } {
  const prompt = checkedTokens(name, given, model.vocabSize)
  return {
    prompt,
    length: integer('length', length, 1, Math.min(MAX_NEW_TOKENS, roomAfter(name, model, prompt))),
  }
}

export interface Walk {
  readonly prompt: Tokens
  /** Texts side by side. */
  readonly count: number
  /** Tokens of each text; end tokens do not end it. */
  readonly length: number
  /** Makes the embedder of text `row`; absent for texts without a watermark. */
  readonly mark?: ((row: number) => Embedder) | undefined
  /** Draws the token that text `row` goes on with; q is the watermarked distribution, and p itself without a watermark. */
  next(row: number, p: Float64Array, q: Float64Array): number
}

/** Texts that a model carries side by side. */
const BATCH = 32

/** Writes `count` texts, asking `next` for every token. */
export async function walkTexts(model: LanguageModel, walk: Walk): Promise<void> {
  for (let first = 0; first < walk.count; first += BATCH)
    await walkBatch(model, walk, first, Math.min(BATCH, walk.count - first))
}

async function walkBatch(model: LanguageModel, walk: Walk, first: number, rows: number): Promise<void> {
  const { prompt, length, mark, next } = walk
  const session = await model.begin([prompt])
  try {
    session.select(new Array<number>(rows).fill(0))
    const start = model.kind === 'causal' ? Array.from(prompt) : []
    const seen = Array.from({ length: rows }, () => [...start])
    const marks = seen.map((_, row) => mark?.(first + row))
    const p = new Float64Array(model.vocabSize)
    const q = mark ? new Float64Array(model.vocabSize) : p
    for (let t = 0; t < length; t++) {
      const tokens = seen.map((text, row) => {
        softmax(session.logits, row, p)
        marks[row]?.reweight(text, p, q)
        const token = next(first + row, p, q)
        marks[row]?.drew(token, p[token]!)
        return token
      })
      for (const [row, text] of seen.entries()) text.push(tokens[row]!)
      if (t + 1 < length) await session.step(tokens)
    }
  } finally {
    session.dispose()
  }
}
