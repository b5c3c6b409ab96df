/** Walks texts of a language model token by token, with the next-token distributions in hand. */
import { integer, outOfRange } from '../input.ts'
import type { Tokens } from '../keys/rule.ts'
import type { Stream } from '../keys/stream.ts'
import type { LanguageModel } from '../models/language-model.ts'
import { checkedTokens } from '../models/prompt.ts'

/** softmax of one row of logits, in float64. */
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

/** A token drawn in proportion to weights that sum to `total`. */
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

/** The longest text, whatever the model has room for. */
const MAX_LENGTH = 1_000_000

/** A prompt in the vocabulary and a length that the model has room for after it. */
export function checkWalk(
  model: LanguageModel,
  name: string,
  given: Tokens,
  length: number,
): { readonly prompt: number[]; readonly length: number } {
  const prompt = checkedTokens(name, given, model.vocabSize)
  const room = model.maxLength - (model.kind === 'causal' ? prompt.length : 0)
  if (room < 1) throw outOfRange(name, `fewer than ${model.maxLength} tokens`, `${prompt.length} tokens`)
  return { prompt, length: integer('length', length, 1, Math.min(MAX_LENGTH, room)) }
}

export interface Walk {
  readonly prompt: Tokens
  /** Texts side by side. */
  readonly count: number
  /** Tokens of each text; end tokens do not end it. */
  readonly length: number
  /** The token that text `row` goes on with; `seen` is what a watermark sees: the prompt (of a causal model) and the text so far. */
  next(row: number, seen: readonly number[], p: Float64Array): number
}

/** Texts that a model carries side by side. */
const BATCH = 32

/** Writes `count` texts, asking `next` for every token. */
export async function walkTexts(model: LanguageModel, walk: Walk): Promise<void> {
  for (let first = 0; first < walk.count; first += BATCH)
    await walkBatch(model, walk, first, Math.min(BATCH, walk.count - first))
}

async function walkBatch(model: LanguageModel, walk: Walk, first: number, rows: number): Promise<void> {
  const { prompt, length, next } = walk
  const session = await model.begin([prompt])
  try {
    session.select(new Array<number>(rows).fill(0))
    const start = model.kind === 'causal' ? Array.from(prompt) : []
    const seen = Array.from({ length: rows }, () => [...start])
    const p = new Float64Array(model.vocabSize)
    for (let t = 0; t < length; t++) {
      const tokens = seen.map((text, row) => {
        softmax(session.logits, row, p)
        return next(first + row, text, p)
      })
      for (const [row, text] of seen.entries()) text.push(tokens[row]!)
      if (t + 1 < length) await session.step(tokens)
    }
  } finally {
    session.dispose()
  }
}
