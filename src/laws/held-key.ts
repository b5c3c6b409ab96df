/** Texts of a toy model with the key held: their law, and generations drawn from it. */
import { Expansion, labelSeed, type Stream } from '../keys/index.ts'
import type { Random } from '../keys/random.ts'
import { draw } from '../models/warp.ts'
import type { Watermark } from '../watermark.ts'
import { nextToken, type ToyModel, textsOf } from './arbitraries/index.ts'
import { SURPRISE } from './codes.ts'
import { Violation } from './for-all.ts'
import { type Opening, open } from './toy-world.ts'

/** One prompt of a toy model, and how long its texts are. */
export interface Query {
  readonly model: ToyModel
  readonly length: number
  readonly opening: Opening
}

/** Sums of products of a few probabilities stray less than this. */
const ROUNDING = 1e-9

/**
 * The law over texts, in the order of `textsOf`, under one key and one seed of the text's own randomness: every text is
 * followed with an embedder of its own, so a law that does not sum to 1 means that the same question has several answers.
 */
export function lawUnderKey<Code>(
  watermark: Watermark<Code>,
  { model, length, opening }: Query,
  key: string,
  seed: string,
): Float64Array {
  const size = model.vocabSize
  const law = new Float64Array(size ** length)
  const q = new Float64Array(size)
  for (const [i, path] of [...textsOf(size, length - 1)].entries()) {
    const { tokens, text } = open(watermark, size, opening, key, seed)
    let mass = 1
    // a path that is never drawn has no texts
    for (let t = 0; t < length && mass > 0; t++) {
      const p = nextToken(model, path.slice(0, t))
      text.reweight(tokens, p, q)
      if (t === length - 1) for (let a = 0; a < size; a++) law[i * size + a] = mass * q[a]!
      else {
        mass *= q[path[t]!]!
        if (mass > 0) text.drew(path[t]!, p[path[t]!]!)
        tokens.push(path[t]!)
      }
    }
  }
  const sum = law.reduce((a, b) => a + b, 0)
  if (!(Math.abs(sum - 1) <= ROUNDING))
    throw new Violation(
      `with the key held, the law of texts sums to ${sum.toPrecision(6)}: it changes while it is asked for`,
    )
  return law
}

/** One generation: a text under the key. */
export function generation<Code>(
  watermark: Watermark<Code>,
  { model, length, opening }: Query,
  key: string,
  seed: string,
  stream: Stream,
): number[] {
  const { tokens, text } = open(watermark, model.vocabSize, opening, key, seed)
  const q = new Float64Array(model.vocabSize)
  const drawn: number[] = []
  while (drawn.length < length) {
    const p = nextToken(model, drawn)
    text.reweight(tokens, p, q)
    const token = draw(q, stream.uniform())
    text.drew(token, p[token]!)
    tokens.push(token)
    drawn.push(token)
  }
  return drawn
}

/** Whether a rule reads the text's own randomness, such as an offset into a list. */
export function hasOwnRandomness({ context: rule }: Pick<Watermark, 'context'>): boolean {
  let read = false
  const words = new Expansion(labelSeed('own randomness'))
  const note = <T>(value: T): T => {
    read = true
    return value
  }
  const spy: Random = {
    uint32: (i) => note(words.uint32(i)),
    uniform: (i) => note(words.uniform(i)),
    fill: (out) => note(words.fill(out)),
  }
  const cursor = rule.begin(spy)
  const tokens: number[] = []
  for (let t = 0; t < 64 && !read; t++) {
    cursor.next(tokens)
    cursor.drew?.(t % 2, SURPRISE)
    tokens.push(t % 2)
  }
  return read
}
