import { targetLaw } from '../../core/embed/index.ts'
import type { Watermark } from '../../watermark.ts'
import { averageOf, listedVocabulary, totalVariation } from './average.ts'
import { forRules, forWeights } from './distributions.ts'
import { BiasFound, type Found, SAMPLED_SHRINKS } from './for-all.ts'
import { defineLaw, type LawEvidence, notApplicable, type Trial } from './law.ts'
import { rulesFor } from './sizes.ts'
import { KeysTrial } from './tally.ts'
import { EVERY_SET } from './token-sets.ts'

/** An exact average that is off by more than this is no rounding. */
const BEYOND_ROUNDING = 1e-9
/** Distributions that are sampled first: the bias of logit methods is largest near one token of 0.7 to 0.8. */
const shapes: readonly number[][] = [
  [3, 1],
  [7, 2, 1],
  [2, 1],
  [20, 3, 2, 1],
]
/** Then on larger vocabularies, up to this size: some methods act only where the next token is uncertain. */
const LARGEST = 1000

/** A bias is what is looked for, so a counterexample to "unbiased" is what makes the law hold. */
interface Search extends Found {
  readonly evidence: LawEvidence
}

/** Looks for a distribution whose exact average over all codes is not p. */
async function exactly<Code>(watermark: Watermark<Code>, trial: Trial, maxTokens: number): Promise<Search> {
  const from = { minTokens: 2, maxTokens, maxWeight: 100 }
  const found = await forWeights(trial, { part: 'exact', from, runs: trial.runs }, (p) => {
    const bias = totalVariation(
      averageOf(watermark, watermark.enumerate!(p.length), p),
      targetLaw(watermark, p),
    )
    if (bias > BEYOND_ROUNDING)
      throw new BiasFound(
        `over every code, the average of q is ${bias.toPrecision(3)} away from p in total variation`,
      )
  })
  return { ...found, evidence: { kind: 'exact', cases: found.cases } }
}

/** The same over keys: a bias of at least `bias` is shown but for the false-alarm rate, one that is not there never is. */
async function sampled<Code>(watermark: Watermark<Code>, trial: Trial): Promise<Search> {
  const rules = rulesFor(trial).filter(({ vocabSize }) => vocabSize <= LARGEST)
  // the errors change places: to miss a bias would be to fail a watermark that is right to say that it has one
  const trials = new KeysTrial({ ...trial, miss: trial.falseAlarm }, shapes.length + rules.length)
  const test = (p: Float64Array, keys: number): Promise<void> => trials.test(watermark, p, keys)
  const search = (found: Found): Search => ({
    ...found,
    evidence: trials.evidence(rules.map(({ vocabSize }) => vocabSize)),
  })
  const plan = { shrinks: SAMPLED_SHRINKS, runs: 0 }
  const from = { minTokens: 2, maxTokens: 4, maxWeight: 100 }
  const few = await forWeights(trial, { ...plan, part: 'few', from, examples: shapes }, test)
  if (few.why !== undefined) return search(few)
  const wide = { minTokens: EVERY_SET + 1, maxTokens: LARGEST, shrinksTo: 2 }
  const sizes = await forRules(trial, { ...plan, part: 'sizes', from: wide, examples: rules }, test)
  return search({ ...sizes, cases: few.cases + sizes.cases })
}

/**
 * A watermark that says it is biased is shown to be, with a distribution on which it is: exactly where it can list its codes.
 * So a control that has lost its bias, or a claim that is too modest, is noticed.
 */
export const shownBiasedLaw = defineLaw(
  {
    name: 'shown biased',
    statement: 'declared biased, and shown to be on a distribution',
    sampled: true,
  },
  async (watermark, trial) => {
    if (watermark.unbiased) return notApplicable('declared unbiased')
    const listed = listedVocabulary(watermark)
    const exact = listed < 2 ? undefined : await exactly(watermark, trial, listed)
    const { why, error, cases, evidence, counterexample } =
      exact?.why === undefined ? await sampled(watermark, trial) : exact
    if (why !== undefined) {
      const verdict = error instanceof BiasFound ? 'holds' : 'fails'
      return { verdict, detail: why, evidence, counterexample }
    }
    const least = evidence.kind === 'sampled' ? evidence.smallestBias : BEYOND_ROUNDING
    const detail = `declared biased, but no bias of ${least} or more was found on ${cases + (exact?.cases ?? 0)} distributions`
    return { verdict: 'fails', detail, evidence }
  },
)
