import type { Watermark } from '../watermark.ts'
import { distributionOf, distributionRule, keySeed, weights } from './arbitraries/index.ts'
import { oneCode } from './codes.ts'
import { fc } from './fast-check.ts'
import { forAll, Violation } from './for-all.ts'
import { probabilities } from './fractions.ts'
import type { LawResult, Trial } from './law.ts'
import { resultOf, showRule, showWeights } from './result.ts'
import { GENERATED, LARGEST, rulesFor } from './sizes.ts'

const NAME = 'reweight gives a distribution'
/** Sums of float64 masses are this close to 1 unless a term is missing: n additions, each rounded. */
const roundingOf = (vocabSize: number): number => 1e-12 + vocabSize * 2 ** -52

const LONGEST = 300

/** Distributions at which implementations break, besides those that shapes give: subnormal masses, a real vocabulary's tail. */
const corners: readonly number[][] = [
  [1],
  [1, 0],
  [1, 5e-324],
  [1e-300, 1, 1e-300],
  Array.from({ length: LONGEST }, (_, i) => Math.round(1e6 / (i + 1))),
]

function checkOne<Code>(watermark: Watermark<Code>, p: Float64Array, seed: number): void {
  const before = p.slice()
  const rounding = roundingOf(p.length)
  const q = new Float64Array(p.length).fill(Number.NaN)
  watermark.reweight(p, oneCode(watermark, seed, p.length), q)
  let sum = 0
  for (let i = 0; i < p.length; i++) {
    if (p[i] !== before[i])
      throw new Violation(`reweight changed its input: p[${i}] was ${before[i]}, is ${p[i]}`)
    if (Number.isNaN(q[i])) throw new Violation(`q[${i}] was not written, or is NaN`)
    if (!(q[i]! >= 0 && q[i]! <= 1 + rounding)) throw new Violation(`q[${i}] is ${q[i]}, no probability`)
    if (p[i] === 0 && q[i] !== 0) throw new Violation(`p[${i}] is 0 but q[${i}] is ${q[i]}`)
    sum += q[i]!
  }
  if (!(Math.abs(sum - 1) <= rounding))
    throw new Violation(`q sums to 1 ${sum < 1 ? '-' : '+'} ${Math.abs(sum - 1).toExponential(1)}`)
  const point = p.indexOf(1)
  if (point >= 0 && !(Math.abs(q[point]! - 1) <= rounding))
    throw new Violation(`p is a point mass but q[${point}] is ${q[point]}`)
}

/** q is a distribution, written whole; where p is 0 so is q; p is not touched; a point mass stays one. */
async function givesDistribution<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  // most of them small; some as long as the longest corner, where an implementation takes its fast paths
  const w = fc.oneof(
    { arbitrary: weights(), weight: 9 },
    { arbitrary: weights({ maxTokens: LONGEST }), weight: 1 },
  )
  const few = await forAll(
    trial,
    {
      part: 'few',
      arbitrary: fc.record({ w, keys: keySeed() }),
      examples: corners.map((corner, i) => ({ w: corner, keys: trial.seed + i })),
      runs: trial.runs,
    },
    ({ w, keys }) => checkOne(watermark, probabilities(w), keys),
  )
  if (few.why !== undefined) return resultOf(NAME, trial, few, showWeights)
  const rules = rulesFor(trial)
  const sizes = await forAll(
    trial,
    {
      part: 'sizes',
      arbitrary: fc.record({
        rule: distributionRule({ maxTokens: trial.maxVocabSize ?? LARGEST }),
        keys: keySeed(),
      }),
      examples: rules.map((rule, i) => ({ rule, keys: trial.seed + i })),
      runs: rules.length + GENERATED[trial.effort].sizes,
    },
    ({ rule, keys }) => checkOne(watermark, distributionOf(rule), keys),
  )
  return resultOf(NAME, trial, { ...sizes, cases: few.cases + sizes.cases }, showRule)
}

export const givesDistributionLaw = {
  name: NAME,
  statement: 'q is a distribution, zero mass stays zero, the input is not touched, a point mass stays one',
  sampled: false,
  check: givesDistribution,
}
