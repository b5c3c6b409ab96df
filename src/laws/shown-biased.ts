import type { Watermark } from '../watermark.ts'
import {
  type DistributionRule,
  distributionOf,
  distributionRule,
  keySeed,
  weights,
} from './arbitraries/index.ts'
import { averageOf, listedVocabulary, totalVariation } from './average.ts'
import { fc } from './fast-check.ts'
import { BiasFound, type Found, forAll, SAMPLED_SHRINKS } from './for-all.ts'
import { probabilities } from './fractions.ts'
import { KeysTrial } from './keys-trial.ts'
import { type Counterexample, type LawEvidence, type LawResult, notApplicable, type Trial } from './law.ts'
import { counterexampleOf, showRule, showWeights } from './result.ts'
import { promisesOf, rulesFor } from './sizes.ts'
import { EVERY_SET } from './token-sets.ts'

const NAME = 'shown biased'
/** An exact average that is off by more than this is no rounding. */
const BEYOND_ROUNDING = 1e-9
/** Where sampling looks first: the bias of logit methods is largest near one token of 0.7 to 0.8. */
const shapes: readonly number[][] = [
  [3, 1],
  [7, 2, 1],
  [2, 1],
  [20, 3, 2, 1],
]
/** Then on larger vocabularies, up to this size: some methods act only where the next token is uncertain. */
const LARGEST = 1000

/** What was found, if anything: a bias is what is looked for, so a counterexample to "unbiased" is what makes the law hold. */
interface Search {
  readonly why?: string
  /** Whether that is a bias, and not an error. */
  readonly isBias: boolean
  readonly cases: number
  readonly evidence: LawEvidence
  readonly counterexample?: Counterexample
}

/** Looks for a distribution whose exact average over all codes is not p. */
async function exactly<Code>(watermark: Watermark<Code>, trial: Trial, maxTokens: number): Promise<Search> {
  const arbitrary = fc.record({ w: weights({ minTokens: 2, maxTokens, maxWeight: 100 }), keys: keySeed() })
  const found = await forAll(trial, { part: 'exact', arbitrary, runs: trial.runs }, ({ w }) => {
    const p = probabilities(w)
    const bias = totalVariation(averageOf(watermark, watermark.enumerate!(p.length), p), p)
    if (bias > BEYOND_ROUNDING)
      throw new BiasFound(
        `over every code, the average of q is ${bias.toPrecision(3)} away from p in total variation`,
      )
  })
  const { why, cases } = found
  const isBias = found.error instanceof BiasFound
  const evidence = { kind: 'exact', cases } as const
  return why === undefined
    ? { cases, evidence, isBias }
    : { why, cases, evidence, isBias, counterexample: counterexampleOf(NAME, trial, found, showWeights) }
}

/** The same over keys: a bias of at least `bias` is shown but for the false-alarm rate, one that is not there never is. */
async function sampled<Code>(watermark: Watermark<Code>, trial: Trial): Promise<Search> {
  const rules = rulesFor(trial).filter(({ vocabSize }) => vocabSize <= LARGEST)
  // the errors change places: to miss a bias would be to fail a watermark that is right to say that it has one
  const keys = new KeysTrial({ ...trial, miss: trial.falseAlarm }, shapes.length + rules.length)
  const few = await forAll(
    trial,
    {
      part: 'few',
      arbitrary: fc.record({
        w: weights({ minTokens: 2, maxTokens: 4, maxWeight: 100 }),
        keys: keySeed(),
      }),
      examples: shapes.map((w, i) => ({ w, keys: trial.seed + i })),
      runs: shapes.length,
      shrinks: SAMPLED_SHRINKS,
    },
    ({ w, keys: seed }) => keys.test(watermark, probabilities(w), seed),
  )
  const promises = promisesOf([EVERY_SET, ...rules.map(({ vocabSize }) => vocabSize)], trial)
  const search = <T>({ why, error, cases }: Found<T>, counterexample: () => Counterexample): Search => ({
    cases,
    isBias: error instanceof BiasFound,
    evidence: keys.tally.evidence(
      trial.falseAlarm,
      { miss: trial.falseAlarm, bias: promises[0]!.bias },
      promises,
    ),
    ...(why !== undefined && { why, counterexample: counterexample() }),
  })
  if (few.why !== undefined) return search(few, () => counterexampleOf(NAME, trial, few, showWeights))
  const sizes = await forAll(
    trial,
    {
      part: 'sizes',
      arbitrary: fc.record({
        rule: distributionRule({ minTokens: EVERY_SET + 1, maxTokens: LARGEST, shrinksTo: 2 }),
        keys: keySeed(),
      }),
      examples: rules.map((rule: DistributionRule, i) => ({ rule, keys: trial.seed + i })),
      runs: rules.length,
      shrinks: SAMPLED_SHRINKS,
    },
    ({ rule, keys: seed }) => keys.test(watermark, distributionOf(rule), seed),
  )
  return search({ ...sizes, cases: few.cases + sizes.cases }, () =>
    counterexampleOf(NAME, trial, sizes, showRule),
  )
}

/**
 * A watermark that says it is biased is shown to be, with a distribution on which it is: exactly where it can list its codes.
 * So a control that has lost its bias, or a claim that is too modest, is noticed.
 */
async function shownBiased<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  if (watermark.unbiased) return notApplicable(NAME, 'declared unbiased')
  const listed = listedVocabulary(watermark)
  const exact = listed < 2 ? undefined : await exactly(watermark, trial, listed)
  const { why, isBias, cases, evidence, counterexample } =
    exact?.why === undefined ? await sampled(watermark, trial) : exact
  if (why !== undefined)
    return { law: NAME, verdict: isBias ? 'holds' : 'fails', detail: why, evidence, counterexample }
  const least = evidence.kind === 'sampled' ? evidence.smallestBias : BEYOND_ROUNDING
  const detail = `declared biased, but no bias of ${least} or more was found on ${cases + (exact?.cases ?? 0)} distributions`
  return { law: NAME, verdict: 'fails', detail, evidence }
}

export const shownBiasedLaw = {
  name: NAME,
  statement: 'declared biased, and shown to be on a distribution',
  sampled: true,
  check: shownBiased,
}
