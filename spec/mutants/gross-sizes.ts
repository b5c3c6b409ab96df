/**
 * How large the gross mistakes are on a distribution, text or level that their law always looks at, and from which size on the law
 * promises to see one there but for `miss`, 1e-3. Sizes are computed where they can be. Where they cannot be, they are lower confidence
 * bounds from fresh keys (Hoeffding over all sets that are looked at), false with probability at most `BOUND_LEVEL`.
 */
import { allLaws } from '../../src/gate/laws/all-laws.ts'
import { type DistributionRule, distributionOf } from '../../src/gate/laws/arbitraries/index.ts'
import { averageOf, totalVariation } from '../../src/gate/laws/average.ts'
import { codesOf, secretKey } from '../../src/gate/laws/codes.ts'
import { keysForExcess, smallestRate } from '../../src/gate/laws/engine/p-value-test.ts'
import { coincidence } from '../../src/gate/laws/engine/pair-moments.ts'
import { pairTest } from '../../src/gate/laws/engine/pair-test.ts'
import { probabilities } from '../../src/gate/laws/fractions.ts'
import { iidTexts } from '../../src/gate/laws/iid-texts.ts'
import { ledger } from '../../src/gate/laws/ledger.ts'
import { SIZES } from '../../src/gate/laws/null-law/one-score.ts'
import { coarse } from '../../src/gate/laws/null-law/whole-texts.ts'
import { SAMPLED_PARTS } from '../../src/gate/laws/null-law-is-right.ts'
import { LENGTH, pairPlan } from '../../src/gate/laws/pair-plan.ts'
import { biasAt, LARGEST, rulesFor } from '../../src/gate/laws/sizes.ts'
import { tokenSets } from '../../src/gate/laws/token-sets.ts'
import type { Watermark } from '../../src/watermark.ts'
import type { AnyWatermark } from '../../src/watermarks/entry.ts'
import { grossMistakes } from './all.ts'
import { law } from './mutant.ts'
import { kgwAt, type Placed, shift, staAt } from './positions.ts'

export interface GrossSize {
  /** What it is the size of. */
  readonly where: string
  readonly size: number
  /** From here on the law sees it with probability at least 0.999. */
  readonly promised: number
}

const BOUND_LEVEL = 1e-6
const BIAS = 0.02
const MISS = 1e-3
const trial = { effort: 'usual', bias: BIAS, miss: MISS } as const

const shareOf = (name: string): number =>
  ledger(allLaws, 1e-9).find((entry) => entry.law === name)!.falseAlarm
/** How far below the truth a mean of n numbers in [0, 1] lies at most, `of` means together. */
const slack = (n: number, of: number): number => Math.sqrt(Math.log((2 * of) / BOUND_LEVEL) / (2 * n))

/** The bias on the set of the family where it is largest, from so many keys. */
function sampledBias(watermark: AnyWatermark, rule: DistributionRule, keys: number, seed: number): GrossSize {
  // the law tries these very distributions
  if (!rulesFor({ effort: 'usual', seed }).some((one) => JSON.stringify(one) === JSON.stringify(rule)))
    throw new RangeError(`no rule of the law: ${JSON.stringify(rule)}`)
  const p = distributionOf(rule)
  const { means, count, project } = tokenSets(p, seed)
  const q = new Float64Array(p.length)
  const masses = new Float64Array(count)
  const sums = new Float64Array(count)
  for (let i = 0; i < keys; i++) {
    const [code] = codesOf(watermark, secretKey(seed, i), p.length, [[1, 2]])
    watermark.reweight(p.slice(), code, q)
    project(q, masses)
    for (let set = 0; set < count; set++) sums[set]! += masses[set]!
  }
  const largest = Math.max(...sums.map((sum, set) => Math.abs(sum / keys - means[set]!)))
  const size = rule.vocabSize.toLocaleString('en')
  return {
    where: `bias on ${rule.shape} over ${size} tokens, at least`,
    size: largest - slack(keys, count),
    promised: biasAt(rule.vocabSize, trial),
  }
}

/** The bias of one step on [1/2, 3/10, 1/5], over every green list. */
function stepBias(wrong: Watermark<Placed>): GrossSize {
  const p = probabilities([5, 3, 2])
  const lists = Array.from({ length: 8 }, (_, k) => ({
    code: { word: (i: number) => ((k >> i) & 1 ? 0 : 2 ** 31), t: 0 },
    weight: 1 / 8,
  }))
  return {
    where: 'bias on [1/2, 3/10, 1/5] at each of these positions',
    size: totalVariation(averageOf(wrong, lists, p), p),
    promised: biasAt(p.length, trial),
  }
}

/** How much more often than in the model two tokens of a text are equal, in texts of a uniform model. */
function sampledPairs(watermark: AnyWatermark, vocabSize: number, texts: number, seed: number): GrossSize {
  const { models, sights } = pairPlan({ ...trial, falseAlarm: shareOf(law.pairs) }, LENGTH)
  const m = models.findIndex(({ w }) => w.length === vocabSize)
  const { p } = models[m]!.design
  let equal = 0
  for (let i = 0; i < texts; i++) {
    const counts = new Float64Array(p.length)
    for (const token of iidTexts(watermark, p, LENGTH, [secretKey(seed, i)])[0]!.tokens) counts[token]!++
    equal += counts.reduce((sum, n) => sum + n * (n - 1), 0) / (LENGTH * (LENGTH - 1))
  }
  return {
    where: `excess of equal pairs in texts of ${LENGTH} tokens of ${vocabSize}, at least`,
    size: equal / texts - coincidence(p) - slack(texts, 1),
    promised: sights[m]!.excess,
  }
}

/**
 * What the bets of the law on its first text win in all but `miss` of runs: the least of so many texts lies below that quantile but for
 * `BOUND_LEVEL`.
 */
function sampledWealth(watermark: AnyWatermark, vocabSize: number, seed: number): GrossSize {
  const { models, level } = pairPlan({ ...trial, falseAlarm: shareOf(law.pairs) }, LENGTH)
  const { design } = models.find(({ w }) => w.length === vocabSize)!
  const texts = Math.ceil(Math.log(BOUND_LEVEL) / Math.log1p(-MISS))
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < texts; i++) {
    const test = pairTest(design)
    const { tokens, contexts } = iidTexts(watermark, design.p, LENGTH, [secretKey(seed, i)])[0]!
    test.add(Uint8Array.from(tokens), contexts)
    least = Math.min(least, test.logWealth())
  }
  return {
    where: `nats won on one text of ${LENGTH} tokens of ${vocabSize}, at least`,
    size: least,
    promised: -Math.log(level),
  }
}

/** Wrong in the tail that is computed: no sampling, any difference is seen. */
const computedTail = (where: string, size: number): GrossSize => ({ where, size, promised: 0 })

const nullShare = shareOf(law.nullLaw) / SAMPLED_PARTS[trial.effort]

function rareLevel(level: number, size: number): GrossSize {
  const rates = { falseAlarm: nullShare / coarse.length, miss: MISS, bias: BIAS }
  const keys = keysForExcess(coarse[0]!.times * BIAS, rates)
  return {
    where: `P(p <= ${level}) on texts of ${coarse[0]!.length} tokens`,
    size,
    promised: smallestRate(level, keys, rates),
  }
}

const zipf = (vocabSize: number, seed: number): DistributionRule => ({
  shape: 'zipf',
  vocabSize,
  exponent: 1,
  order: 1 + (seed >>> 1),
})

/** In the order of grossMistakes, as far as they are known. */
const sizes: readonly ((watermark: AnyWatermark, seed: number) => GrossSize)[] = [
  (watermark, seed) => sampledBias(watermark, zipf(1000, seed), 2_000, seed),
  (watermark, seed) => sampledBias(watermark, zipf(1000, seed), 2_000, seed),
  (watermark, seed) => sampledBias(watermark, zipf(1000, seed), 4_000, seed),
  (watermark, seed) => sampledBias(watermark, { shape: 'uniform', vocabSize: LARGEST }, 400, seed),
  (watermark, seed) =>
    sampledBias(
      watermark,
      { shape: 'heavy', vocabSize: 300, top: 0.6, order: 1 + (seed >>> 1) },
      20_000,
      seed,
    ),
  (watermark, seed) => sampledBias(watermark, { shape: 'uniform', vocabSize: 16 }, 2_000_000, seed),
  () => stepBias(staAt((_, q) => shift(q, 1))),
  () => stepBias(kgwAt(() => true)),
  // few pairs of all are equal: what sees them are bets on positions whose contexts agree
  (watermark, seed) => sampledWealth(watermark, 16, seed),
  (watermark, seed) => sampledPairs(watermark, 8, 10_000, seed),
  (watermark, seed) => sampledPairs(watermark, 16, 40_000, seed),
  (watermark, seed) => sampledPairs(watermark, 2, 10_000, seed),
  () => computedTail('factor by which p = 1e-6 is too small', 1e6),
  () => rareLevel(1e-9, 1 / 256),
  () => computedTail('error of the rate of 4,000 scores', 0.01),
  () => ({
    where: 'P(p <= 1/4) above 1/4 with 2 tokens',
    size: 1 / 4,
    promised: SIZES.find(({ vocabSize }) => vocabSize === 2)!.times * BIAS,
  }),
]

/** The size of a gross mistake; undefined where it is not computed. */
export function grossSize(name: string, seed: number): GrossSize | undefined {
  const i = grossMistakes.findIndex((mistake) => mistake.name === name)
  return sizes[i]?.(grossMistakes[i]!.watermark, seed)
}
