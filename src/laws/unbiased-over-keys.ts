import type { Watermark } from '../watermark.ts'
import {
  type DistributionRule,
  distribution,
  distributionRule,
  keySeed,
  renderRule,
  weights,
} from './arbitraries/index.ts'
import { fc } from './fast-check.ts'
import { type Found, forAll, SAMPLED_SHRINKS, Violation } from './for-all.ts'
import { fractions, probabilities } from './fractions.ts'
import { type KeysFinding, keysTest } from './keys-test.ts'
import { type LawResult, notApplicable, type Trial } from './law.ts'
import { resultOf, type Shown } from './result.ts'
import { biasAt, GENERATED, LARGEST, promisesOf, rulesFor } from './sizes.ts'
import { Tally } from './tally.ts'
import { EVERY_SET } from './token-sets.ts'

const NAME = 'unbiased over keys'

/** Tried first: the shapes at which published methods and their mistakes differ most. */
const shapes: readonly number[][] = [
  [1, 3],
  [5, 3, 2],
  [0, 1, 1, 1],
  [30, 3, 2, 1, 1, 1],
]
/** While it shrinks, a test holds where a bias of this share of the one that was found is refuted. */
const SHRUNK = 0.8

/** What was found, in a sentence. */
const biasFound = ({ taken, observed, where }: KeysFinding): string =>
  `after ${taken.toLocaleString('en')} keys the mean of q is ${observed.toPrecision(3)} away from p on ${where}`

/** A distribution over few tokens as fractions; over many, the call that makes it. */
export const showWeights = ({ w }: { readonly w: readonly number[] }): Shown => ({ p: fractions(w) })
export const showRule = ({ rule }: { readonly rule: DistributionRule }): Shown => ({
  also: `p = ${renderRule(rule)}`,
})

/** The part of a law that tests distributions one by one; throws at a bias. */
export class KeysTrial {
  readonly tally = new Tally()
  /** Whether any position of any text was marked. */
  marked = false
  readonly #trial: Trial
  readonly #falseAlarm: number
  #found = 0

  /** @param tests how many distributions share the false-alarm rate */
  constructor(trial: Trial, tests: number) {
    this.#trial = trial
    this.#falseAlarm = trial.falseAlarm / tests
  }

  async test<Code>(watermark: Watermark<Code>, p: Float64Array, seed: number): Promise<void> {
    const { miss } = this.#trial
    const rates = { falseAlarm: this.#falseAlarm, miss, bias: biasAt(p.length, this.#trial) }
    const finding = await keysTest(watermark, p, seed, rates, this.#trial, SHRUNK * this.#found)
    this.marked ||= finding.marked
    // with few keys chance deviations are large: what was seen is told of where most is promised
    const { taken, verdict } = finding
    const isNoise = verdict !== 'fails' && rates.bias > biasAt(1, this.#trial)
    this.tally.add({ taken, verdict, observed: isNoise ? 0 : finding.observed })
    if (finding.verdict !== 'fails') return
    this.#found = finding.observed
    throw new Violation(biasFound(finding))
  }
}

/**
 * One-shot unbiased as keys really are: over random secret keys, through the key schedule and the context rule, the mean of q is
 * p, at every class of positions. On every set of tokens where at most eight have mass, on a family of sets where more do. The
 * false-alarm rate is that of all distributions together; the miss rate that of each.
 */
async function unbiasedOverKeys<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  if (!watermark.unbiased) return notApplicable(NAME, 'declared biased')
  const rules = rulesFor(trial)
  const generated = GENERATED[trial.effort]
  const runs = { few: shapes.length + generated.few, sizes: rules.length + generated.sizes }
  const keys = new KeysTrial(trial, runs.few + runs.sizes)
  const few = await forAll(
    trial,
    {
      part: 'few',
      arbitrary: fc.record({ w: weights({ maxWeight: 1000 }), keys: keySeed() }),
      examples: shapes.map((w, i) => ({ w, keys: trial.seed + i })),
      runs: runs.few,
      shrinks: SAMPLED_SHRINKS,
    },
    ({ w, keys: seed }) => keys.test(watermark, probabilities(w), seed),
  )
  const result = <T>(found: Found<T>, show: (value: T) => Shown): LawResult => {
    const promises = promisesOf([EVERY_SET, ...rules.map(({ vocabSize }) => vocabSize)], trial)
    const evidence = keys.tally.evidence(
      trial.falseAlarm,
      { miss: trial.miss, bias: promises[0]!.bias },
      promises,
    )
    return resultOf(NAME, trial, found, show, evidence)
  }
  if (few.why !== undefined) return result(few, showWeights)
  const sizes = await forAll(
    trial,
    {
      part: 'sizes',
      arbitrary: fc.record({
        rule: distributionRule({ minTokens: EVERY_SET + 1, maxTokens: LARGEST, shrinksTo: 2 }),
        keys: keySeed(),
      }),
      examples: rules.map((rule, i) => ({ rule, keys: trial.seed + i })),
      runs: runs.sizes,
      shrinks: SAMPLED_SHRINKS,
    },
    ({ rule, keys: seed }) => keys.test(watermark, distribution(rule), seed),
  )
  if (sizes.why === undefined && !keys.marked)
    return notApplicable(NAME, 'the context rule marks no position')
  return result(sizes, showRule)
}

export const unbiasedOverKeysLaw = {
  name: NAME,
  statement: 'over random secret keys the mean of q equals p',
  sampled: true,
  check: unbiasedOverKeys,
}
