/** Toy models: the way to a marked position, and the model's law of texts. */
import { targetLaw } from '../../core/embed/index.ts'
import { Expansion, labelSeed, walk } from '../../core/keys/index.ts'
import type { Watermark } from '../../watermark.ts'
import { nextToken, type ToyModel, textsOf } from './arbitraries/index.ts'
import { fractions } from './fractions.ts'
import type { Shown } from './law.ts'

const LONGEST = 256
/** A rule may leave some texts alone. */
const TEXTS = 8

/** The way to a position that the rule marks: a prompt, then tokens that were forced. */
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
    let forced = 0
    for (const context of walk(rule, zeros(LONGEST + 1), { perText })) {
      if (context !== undefined) return { prompt: [], forced }
      forced++
    }
  }
  return undefined
}

/** The model's law over texts of `length` tokens, in the order of `textsOf`, under the decoder that the watermark preserves. */
export function modelLaw(
  model: ToyModel,
  length: number,
  watermark: Pick<Watermark, 'target'> = {},
): Float64Array {
  const step = (before: readonly number[]) => targetLaw(watermark, nextToken(model, before))
  return Float64Array.from(textsOf(model.vocabSize, length), (tokens) =>
    tokens.reduce((mass, token, t) => mass * step(tokens.slice(0, t))[token]!, 1),
  )
}

/** Shows a toy model; `texts` says what is drawn from it. */
export const showToyModel = ({ rows }: ToyModel, texts = ''): Shown => ({
  p: fractions(rows[0]!),
  also: `${texts}a toy model with rows ${rows.map((row) => `[${fractions(row).join(', ')}]`).join(', ')}`,
})
