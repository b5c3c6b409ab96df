import type { Watermark } from '../../watermark.ts'
import { weights } from './arbitraries/index.ts'
import { oneCode } from './codes.ts'
import { forRules, forWeights } from './distributions.ts'
import { fc } from './fast-check.ts'
import { resultOf, Violation } from './for-all.ts'
import { defineLaw } from './law.ts'
import { GENERATED, LARGEST, rulesFor } from './sizes.ts'
import { ROUNDED } from './token-sets.ts'

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

/** Checks one q; returns its least entry. */
function checkOne<Code>(watermark: Watermark<Code>, p: Float64Array, seed: number): number {
  const before = p.slice()
  const rounding = roundingOf(p.length)
  const q = new Float64Array(p.length).fill(Number.NaN)
  watermark.reweight(p, oneCode(watermark, seed, p.length), q)
  let sum = 0
  let least = 0
  for (let i = 0; i < p.length; i++) {
    if (p[i] !== before[i])
      throw new Violation(`reweight changed its input: p[${i}] was ${before[i]}, is ${p[i]}`)
    if (Number.isNaN(q[i])) throw new Violation(`q[${i}] was not written, or is NaN`)
    if (!(q[i]! >= ROUNDED && q[i]! <= 1 + rounding))
      throw new Violation(`q[${i}] is ${q[i]}, no probability`)
    if (p[i] === 0 && q[i] !== 0) throw new Violation(`p[${i}] is 0 but q[${i}] is ${q[i]}`)
    sum += q[i]!
    least = Math.min(least, q[i]!)
  }
  if (!(Math.abs(sum - 1) <= rounding))
    throw new Violation(`q sums to 1 ${sum < 1 ? '-' : '+'} ${Math.abs(sum - 1).toExponential(1)}`)
  const point = p.indexOf(1)
  if (point >= 0 && !(Math.abs(q[point]! - 1) <= rounding))
    throw new Violation(`p is a point mass but q[${point}] is ${q[point]}`)
  return least
}

export const givesDistributionLaw = defineLaw(
  {
    name: 'reweight gives a distribution',
    statement: 'q is a distribution, zero mass stays zero, the input is not touched, a point mass stays one',
    sampled: false,
  },
  async (watermark, trial) => {
    let least = 0
    const check = (p: Float64Array, keys: number): void => {
      least = Math.min(least, checkOne(watermark, p, keys))
    }
    // most of them small; some as long as the longest corner, where an implementation takes its fast paths
    const from = fc.oneof(
      { arbitrary: weights(), weight: 9 },
      { arbitrary: weights({ maxTokens: LONGEST }), weight: 1 },
    )
    const few = await forWeights(trial, { part: 'few', from, examples: corners, runs: trial.runs }, check)
    if (few.why !== undefined) return resultOf(few)
    const examples = rulesFor(trial)
    const plan = {
      part: 'sizes',
      from: { maxTokens: trial.maxVocabSize ?? LARGEST },
      examples,
      runs: examples.length + GENERATED[trial.effort].sizes,
    }
    const sizes = await forRules(trial, plan, check)
    const cases = few.cases + sizes.cases
    const hint = `; hint: rounding made a mass ${least.toPrecision(1)}; Math.max(0, ...) keeps every q a distribution`
    const detail = `${cases} cases${least < 0 ? hint : ''}`
    return resultOf({ ...sizes, cases }, { kind: 'exact', cases }, detail)
  },
)
