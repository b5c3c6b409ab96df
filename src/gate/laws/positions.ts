/**
 * Positions of a text at which a watermark is looked at. A mistake may show at some positions only, and mistakes at two positions may cancel,
 * so positions come in classes: each of the first sixteen, then ranges, even and odd ones apart. From one key each *lane* takes
 * one position: several positions of one key may depend on each other, so they are no independent samples.
 *
 * Contexts do not depend on the key, so a text is walked once for many keys: the positions that its rule marks, with their
 * contexts. Nothing is tested where the rule marks nothing: q is p there.
 */
import { type Context, Expansion, labelSeed, type Stream, walk } from '../../core/keys/index.ts'
import type { Watermark } from '../../watermark.ts'
import { randomTokens, SURPRISE } from './codes.ts'

/** Tokens of a text. */
export const LENGTH = 600
const FIRST = 16
const BOUNDS = [16, 32, 64, 128, 256, LENGTH] as const

/** A class of positions: `from, from + step, ...` below `to`; positions count from 0. */
interface Slot {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly step: 1 | 2
}

/** Slots of which each key gives one position. */
export interface Lane {
  readonly name: string
  readonly slots: readonly Slot[]
}

const parities = ['even', 'odd'] as const
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i)

/** Even positions and odd ones: each of the first sixteen, and ranges up to 600. */
export const closeLanes: readonly Lane[] = parities.map((parity, odd) => ({
  name: `${parity} positions`,
  slots: [
    ...upTo(FIRST)
      .filter((t) => t % 2 === odd)
      .map((t) => ({ name: `position ${t}`, from: t, to: t + 1, step: 1 as const })),
    ...BOUNDS.slice(1).map((to, i) => ({
      name: `${parity} positions from ${BOUNDS[i]} to ${to - 1}`,
      from: BOUNDS[i]! + odd,
      to,
      step: 2 as const,
    })),
  ],
}))

/** A few classes, where keys are dear: the first sixteen positions and the others, even and odd. */
export const coarseLanes: readonly Lane[] = [
  {
    name: 'all positions',
    slots: parities.flatMap((parity, odd) => [
      {
        name: `${parity} positions below ${FIRST}`,
        from: odd,
        to: FIRST,
        step: 2 as const,
      },
      { name: `${parity} positions from ${FIRST} on`, from: FIRST + odd, to: LENGTH, step: 2 as const },
    ]),
  },
]

/** For each slot of each lane, one marked position of a random text; undefined where it has none. */
export type Places = readonly (readonly (Context | undefined)[])[]

/**
 * Walks a random text and picks a marked position in each slot. A rule may wait for entropy, or for none: every second text
 * surprises the model as much as any text can, the others as a uniform model would be.
 * @param turn the number of the text
 */
export function placesOf(
  { context: rule }: Pick<Watermark, 'context'>,
  vocabSize: number,
  lanes: readonly Lane[],
  stream: Stream,
  turn: number,
): Places {
  const perText = new Expansion(labelSeed('text', stream.uint32()))
  const probability = turn % 2 === 0 ? SURPRISE : 1 / vocabSize
  const tokens = randomTokens(vocabSize, LENGTH, stream)
  // copies: a rule may reuse its buffer
  const contexts = Array.from(walk(rule, tokens, { perText, probability }), (one) => one && [...one])
  return lanes.map(({ slots }) =>
    slots.map(({ from, to, step }) => {
      const marked: Context[] = []
      for (let t = from; t < to; t += step) if (contexts[t] !== undefined) marked.push(contexts[t]!)
      return marked.length === 0 ? undefined : marked[stream.below(marked.length)]
    }),
  )
}
