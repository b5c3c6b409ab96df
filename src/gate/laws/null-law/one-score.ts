/**
 * The law of one score: sampled at vocabularies of many sizes, odd ones too, and held against the declared one. A token scores
 * s or more with probability e^logTail(s, 1): that is the p-value of a text with one score, so the same test serves.
 */
import { lawFor } from '../../../core/detect/index.ts'
import type { Watermark } from '../../../watermark.ts'
import { keySeed } from '../arbitraries/index.ts'
import type { Rates } from '../engine/bounds.ts'
import { keysForExcess, pValueTest, smallestExcess } from '../engine/p-value-test.ts'
import { fc } from '../fast-check.ts'
import { type Found, forAll, SAMPLED_SHRINKS, Violation } from '../for-all.ts'
import type { Effort, Promised, Shown, Trial } from '../law.ts'
import { checkLawWithinBound } from './declared.ts'
import { sampledScores } from './sampled-scores.ts'

/** Sizes of vocabulary that are always tried, and the excess of P(p <= a) over a that is seen there, as a multiple of the bias. */
export const SIZES: readonly { readonly vocabSize: number; readonly times: number }[] = [
  { vocabSize: 2, times: 4.5 },
  { vocabSize: 3, times: 4.5 },
  { vocabSize: 5, times: 4.5 },
  { vocabSize: 7, times: 4.5 },
  { vocabSize: 16, times: 4.5 },
  { vocabSize: 64, times: 4.5 },
  { vocabSize: 257, times: 8 },
  { vocabSize: 1009, times: 8 },
  { vocabSize: 50_257, times: 15 },
]
/** Factors of the excess that each effort is promised to see. */
export const COARSER: Record<Effort, number> = { quick: 2.2, usual: 1, thorough: 0.4 }
/** Further sizes, drawn. */
const DRAWN = 3
const LARGEST_DRAWN = 3_000

const timesFor = (vocabSize: number): number => SIZES.find((size) => size.vocabSize >= vocabSize)!.times

/** A size of vocabulary, and the seed of its keys. */
export interface SizeCase {
  readonly vocabSize: number
  readonly keys: number
}

export const showSize = ({ vocabSize, keys }: SizeCase): Shown => ({
  also: `a vocabulary of ${vocabSize}, key seed ${keys}`,
})

export interface OneScore {
  readonly found: Found
  readonly scores: number
  readonly promises: readonly Promised[]
}

/** Samples scores at each size of vocabulary and tests them. */
export async function oneScore<Code>(
  watermark: Watermark<Code>,
  trial: Trial,
  falseAlarm: number,
): Promise<OneScore> {
  const runs = SIZES.length + DRAWN
  const rates: Rates = { falseAlarm: falseAlarm / runs, miss: trial.miss, bias: trial.bias }
  const excess = (vocabSize: number): number =>
    Math.min(1, timesFor(vocabSize) * COARSER[trial.effort] * trial.bias)
  const tried = new Map<number, number>()
  let scores = 0
  const check = async ({ vocabSize, keys }: SizeCase): Promise<void> => {
    checkLawWithinBound(watermark, vocabSize)
    const law = lawFor(watermark.detector!.nullLaw!, vocabSize)
    const sampled = sampledScores(watermark, vocabSize, keysForExcess(excess(vocabSize), rates), keys)
    if (sampled.length === 0) return
    scores += sampled.length
    tried.set(vocabSize, sampled.length)
    await trial.breathe()
    const { verdict, why } = pValueTest(
      sampled.map((score) => law.logTail(score, 1)),
      law.exact,
      rates,
    )
    if (verdict === 'fails') throw new Violation(`one score with ${vocabSize} tokens: ${why}`)
  }
  const arbitrary = fc.record({
    vocabSize: fc.oneof(fc.integer({ min: 2, max: 40 }), fc.integer({ min: 2, max: LARGEST_DRAWN })),
    keys: keySeed(),
  })
  const examples = SIZES.map(({ vocabSize }) => ({ vocabSize, keys: trial.seed + vocabSize }))
  const found = await forAll(
    trial,
    { part: 'one', arbitrary, examples, runs, shrinks: SAMPLED_SHRINKS, show: showSize },
    check,
  )
  const promises = SIZES.flatMap(({ vocabSize }) =>
    tried.has(vocabSize) ? [{ vocabSize, bias: smallestExcess(tried.get(vocabSize)!, rates) }] : [],
  )
  return { found, scores, promises }
}
