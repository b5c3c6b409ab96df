/**
 * The decode loop: for each text and position, warpers, then the watermark, then the draw. Nothing touches the distribution
 * after the watermark, so an unbiased one stays unbiased.
 */
import type { Embedder } from '../../core/embed/index.ts'
import type { Stream } from '../../core/keys/index.ts'
import type { LanguageModel, Session } from './language-model.ts'
import { draw, type Warp } from './warp.ts'

/** A text being written. */
export interface Text {
  readonly prompt: readonly number[]
  /** The tokens that the watermark sees: the prompt, unless it is the source of a sequence-to-sequence model, and the tokens so far. */
  readonly seen: number[]
  readonly tokens: number[]
  readonly logProbabilities: number[]
  readonly entropies: number[]
  /** Token limit. */
  readonly maxTokens: number
  readonly stream: Stream
  readonly mark: Embedder | undefined
  finish?: 'stop' | 'length'
}

/** Shared by all texts of a call. */
export interface Loop {
  readonly warp: Warp
  /** Buffers over the vocabulary. */
  readonly p: Float64Array
  readonly q: Float64Array
  readonly stops: ReadonlySet<number>
  readonly signal: AbortSignal | undefined
  readonly onToken: ((text: Text, token: number) => void) | undefined
}

/** Draws the next token of one text, from the logits at `from`. */
export function extend(text: Text, logits: Float32Array, from: number, loop: Loop): number {
  const { p, q } = loop
  text.entropies.push(loop.warp(logits, from, p))
  const marked = text.mark?.reweight(text.seen, p, q) ?? false
  const token = draw(marked ? q : p, text.stream.uniform())
  text.mark?.drew(token, p[token]!)
  text.logProbabilities.push(Math.log(p[token]!))
  text.seen.push(token)
  text.tokens.push(token)
  if (loop.stops.has(token)) text.finish = 'stop'
  else if (text.tokens.length === text.maxTokens) text.finish = 'length'
  loop.onToken?.(text, token)
  return token
}

/** Reads each distinct prompt once and gives every text its row. */
export async function beginTexts(model: LanguageModel, texts: readonly Text[]): Promise<Session> {
  const rowOf = new Map<string, number>()
  const prompts: (readonly number[])[] = []
  const rows = texts.map(({ prompt }) => {
    const name = prompt.join()
    const row = rowOf.get(name) ?? prompts.push(prompt) - 1
    rowOf.set(name, row)
    return row
  })
  const session = await model.begin(prompts)
  if (prompts.length < texts.length) session.select(rows)
  return session
}

/**
 * Removes finished texts from `live` and returns the remaining rows in their new order. The last row takes the place of a
 * finished one, so a cache moves one row for each text that ends.
 */
export function dropFinished<T extends Text>(live: T[]): number[] {
  const rows = live.map((_, row) => row)
  for (let row = 0; row < live.length; ) {
    if (live[row]!.finish === undefined) row++
    else {
      const text = live.pop()!
      const from = rows.pop()!
      if (row < live.length) {
        live[row] = text
        rows[row] = from
      }
    }
  }
  return rows
}

/** Writes the texts side by side until all are finished. */
export async function decodeBatch(model: LanguageModel, texts: readonly Text[], loop: Loop): Promise<void> {
  loop.signal?.throwIfAborted()
  const session = await beginTexts(model, texts)
  try {
    const live = [...texts]
    while (true) {
      const drawn = live.map((text, row) => extend(text, session.logits, row * model.vocabSize, loop))
      const rows = dropFinished(live)
      if (live.length === 0) return
      loop.signal?.throwIfAborted()
      if (rows.length < drawn.length) session.select(rows)
      await session.step(rows.map((row) => drawn[row]!))
    }
  } finally {
    session.dispose()
  }
}
