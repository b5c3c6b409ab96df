/** Whole texts on a toy model: where a watermark starts to mark, what the model says, and what the watermark makes of it. */
import { type Embedder, embedder } from '../embed/index.ts'
import { Expansion, labelSeed } from '../keys/index.ts'
import type { Watermark } from '../watermark.ts'
import { nextToken, type ToyModel, textsOf } from './arbitraries/index.ts'
import { SURPRISE } from './codes.ts'

const LONGEST = 256
/** A rule may leave some texts alone. */
const TEXTS = 8

/** How to reach a position that the rule marks: a prompt, then tokens that were forced. */
export interface Opening {
  readonly prompt: readonly number[]
  readonly forced: number
}

const zeros = (n: number): number[] => Array<number>(n).fill(0)

/**
 * The shortest prompt of zeros after which the rule marks at once; else zeros forced one by one, each very surprising, for
 * rules that wait for entropy. Zeros, so that contexts recur as soon as they can. Undefined where none of up to 256 is enough.
 */
export function openingOf({ context: rule }: Pick<Watermark, 'context'>): Opening | undefined {
  for (let text = 0; text < TEXTS; text++) {
    const perText = new Expansion(labelSeed('opening', text))
    for (let n = 0; n <= LONGEST; n++)
      if (rule.begin(perText).next(zeros(n)) !== undefined) return { prompt: zeros(n), forced: 0 }
    const cursor = rule.begin(perText)
    for (let forced = 0; forced <= LONGEST; forced++) {
      if (cursor.next(zeros(forced)) !== undefined) return { prompt: [], forced }
      cursor.drew?.(0, SURPRISE)
    }
  }
  return undefined
}

export interface Follower {
  /** Prompt, forced and generated tokens. */
  readonly tokens: number[]
  readonly text: Embedder
}

/** A text at the opening. */
export function open<Code>(
  watermark: Watermark<Code>,
  vocabSize: number,
  { prompt, forced }: Opening,
  key: string,
  seed: number | string,
): Follower {
  const text = embedder(watermark, { key, vocabSize, seed })
  const tokens = [...prompt]
  const p = new Float64Array(vocabSize)
  p[0] = 1
  const q = new Float64Array(vocabSize)
  for (let i = 0; i < forced; i++) {
    text.reweight(tokens, p, q)
    text.drew(0, SURPRISE)
    tokens.push(0)
  }
  return { tokens, text }
}

/** The model's law over texts of `length` tokens, in the order of `textsOf`. */
export function modelLaw(model: ToyModel, length: number): Float64Array {
  return Float64Array.from(textsOf(model.vocabSize, length), (tokens) =>
    tokens.reduce((mass, token, t) => mass * nextToken(model, tokens.slice(0, t))[token]!, 1),
  )
}
