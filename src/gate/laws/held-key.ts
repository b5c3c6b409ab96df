/** Texts of a toy model with the key held: their law, and generations drawn from it. */

import type { Random } from '../../core/keys/index.ts'
import { Expansion, labelSeed, type Stream, walk } from '../../core/keys/index.ts'
import { draw } from '../../text/decode/index.ts'
import type { Watermark } from '../../watermark.ts'
import { nextToken, type ToyModel, textsOf } from './arbitraries/index.ts'
import { Violation } from './for-all.ts'
import { beginTexts } from './texts-in-step.ts'
import type { Opening } from './toy-world.ts'

/** One prompt of a toy model, and how long its texts are. */
export interface Query {
  readonly model: ToyModel
  readonly length: number
  readonly opening: Opening
}

/** Sums of products of a few probabilities stray less than this. */
const ROUNDING = 1e-9

/**
 * Returns the law over texts, in the order of `textsOf`, under one key and one seed of the text's own randomness: every text is
 * followed on its own, so a law that does not sum to 1 means that the same question has several answers.
 */
export function lawUnderKey<Code>(
  watermark: Watermark<Code>,
  { model, length, opening }: Query,
  key: string,
  seed: string,
): Float64Array {
  const size = model.vocabSize
  const law = new Float64Array(size ** length)
  for (const [i, path] of [...textsOf(size, length - 1)].entries()) {
    const texts = beginTexts(watermark, [key], { opening, seeds: [seed] })
    let mass = 1
    // a path that is never drawn has no texts
    for (let t = 0; t < length && mass > 0; t++) {
      const p = nextToken(model, path.slice(0, t))
      const q = texts.step([p])[0]!
      if (t === length - 1) for (let a = 0; a < size; a++) law[i * size + a] = mass * q[a]!
      else {
        mass *= q[path[t]!]!
        texts.drew(0, path[t]!, p[path[t]!]!)
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
  const texts = beginTexts(watermark, [key], { opening, seeds: [seed] })
  const drawn: number[] = []
  while (drawn.length < length) {
    const p = nextToken(model, drawn)
    const token = draw(texts.step([p])[0]!, stream.uniform())
    texts.drew(0, token, p[token]!)
    drawn.push(token)
  }
  return drawn
}

/** Returns whether a rule reads the text's own randomness, such as an offset into a list. */
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
  const tokens = Array.from({ length: 64 }, (_, t) => t % 2)
  for (const _ of walk(rule, tokens, { perText: spy })) if (read) break
  return read
}
