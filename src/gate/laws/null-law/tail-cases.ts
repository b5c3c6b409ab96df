/** The p-values that are computed: numbers of scores, and depths in the tail. */
import type { Arbitrary } from 'fast-check'
import type { Stream } from '../../../core/keys/index.ts'
import { keySeed } from '../arbitraries/index.ts'
import { fc } from '../fast-check.ts'
import type { Effort, Shown } from '../law.ts'
import { DEEPEST } from './tilted-scores.ts'

export interface TailCase {
  readonly vocabSize: number
  /** Scored pairs of context and token. */
  readonly scores: number
  /** About -ln of the p-value. */
  readonly depth: number
  /** True if pairs occur several times, where the rule allows it. */
  readonly recurring: boolean
  readonly keys: number
}

/** Drawn cases have at most `MOST_SCORES`; tables of tails end somewhere, so three fixed cases have more. */
const MOST_SCORES = 4_000
const LONGEST = 100_000
export const VOCABULARIES = [64, 5, 1_009] as const
/** Numbers of scores and depths that are always tried. */
const LENGTHS = [701, 8, 1, 80, 3_000, 2, 260, 3, 1_000, 25, 5_000, 20_000, LONGEST] as const
const DEPTHS = [10, 1, 100, 0, DEEPEST, 30] as const
const DEPTHS_EACH: Record<Effort, number> = { quick: 1, usual: 3, thorough: 6 }
/** Cases that are drawn besides. */
export const DRAWN: Record<Effort, number> = { quick: 6, usual: 30, thorough: 200 }
const TIMES = [1, 1, 1, 1, 1, 1, 2, 2, 3, 12] as const

/** Cases that are always tried: every length, at a few depths each, every vocabulary in turn. */
export const tailExamples = (effort: Effort, seed: number, recurs: boolean): TailCase[] =>
  LENGTHS.flatMap((scores, i) =>
    Array.from({ length: scores > MOST_SCORES ? 1 : DEPTHS_EACH[effort] }, (_, j) => ({
      vocabSize: VOCABULARIES[(i + j) % VOCABULARIES.length]!,
      scores,
      depth: DEPTHS[(i + j * 2) % DEPTHS.length]!,
      recurring: recurs && j % 2 === 1,
      keys: seed + 100 * i + j,
    })),
  )

export const tailCase = (recurs: boolean): Arbitrary<TailCase> =>
  fc.record({
    vocabSize: fc.constantFrom(...VOCABULARIES),
    scores: fc.oneof(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 700 }),
      fc.integer({ min: 1, max: MOST_SCORES }),
    ),
    depth: fc.oneof(fc.nat({ max: 12 }), fc.nat({ max: 60 }), fc.nat({ max: DEEPEST })),
    recurring: recurs ? fc.boolean() : fc.constant(false),
    keys: keySeed(),
  })

/** Draws how often each of the pairs occurs. */
export const timesOf = ({ scores, recurring }: TailCase, { below }: Stream): Int32Array =>
  Int32Array.from({ length: scores }, () => (recurring ? TIMES[below(TIMES.length)]! : 1))

export const showTail = ({ vocabSize, scores, recurring, keys }: TailCase): Shown => ({
  also: `${scores} scores${recurring ? ', some counted several times' : ''}, vocabulary of ${vocabSize}, seed ${keys}`,
})
