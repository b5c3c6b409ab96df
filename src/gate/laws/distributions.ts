/** Laws over distributions: on weights of a few tokens, and on rules for vocabularies of any size. */
import {
  type DistributionRule,
  distributionOf,
  distributionRule,
  keySeed,
  type RuleConstraints,
  type WeightsConstraints,
  weights,
} from './arbitraries/index.ts'
import { renderRule } from './arbitraries/rule.ts'
import { fc } from './fast-check.ts'
import { type Found, forAll } from './for-all.ts'
import { fractions, probabilities } from './fractions.ts'
import type { Shown, Trial } from './law.ts'

/** Shows a distribution over few tokens as fractions. */
export const showWeights = ({ w }: { readonly w: readonly number[] }): Shown => ({ p: fractions(w) })

/** Shows a distribution over many tokens as the call that makes it. */
export const showRule = ({ rule }: { readonly rule: DistributionRule }): Shown => ({
  also: `p = ${renderRule(rule)}`,
})

/** Distributions to try. */
interface Plan<Example, Source> {
  readonly part: string
  /** The source of generated distributions. */
  readonly from: Source
  /** Distributions that are tried first, each with a key seed of its own. */
  readonly examples?: readonly Example[]
  readonly runs: number
  readonly shrinks?: number
  /** Leaves examples out. */
  readonly skips?: (p: Float64Array, keys: number) => boolean
}

/** Checks a distribution; `keys` seeds the secret keys. */
type Check = (p: Float64Array, keys: number) => Promise<void> | void

/** Tries a predicate on distributions of integer weights. */
export const forWeights = (
  trial: Trial,
  { from, examples = [], ...plan }: Plan<readonly number[], WeightsConstraints | ReturnType<typeof weights>>,
  check: Check,
): Promise<Found> =>
  forAll(
    trial,
    {
      ...plan,
      arbitrary: fc.record({ w: from instanceof fc.Arbitrary ? from : weights(from), keys: keySeed() }),
      examples: examples.map((w, i) => ({ w: [...w], keys: trial.seed + i })),
      show: showWeights,
    },
    ({ w, keys }) => check(probabilities(w), keys),
  )

/** Tries a predicate on distributions over vocabularies of any size. */
export const forRules = (
  trial: Trial,
  { from, examples = [], skips, ...plan }: Plan<DistributionRule, RuleConstraints>,
  check: Check,
): Promise<Found> =>
  forAll(
    trial,
    {
      ...plan,
      arbitrary: fc.record({ rule: distributionRule(from), keys: keySeed() }),
      examples: examples
        .map((rule, i) => ({ rule, keys: trial.seed + i }))
        .filter(({ rule, keys }) => !skips?.(distributionOf(rule), keys)),
      show: showRule,
    },
    ({ rule, keys }) => check(distributionOf(rule), keys),
  )
