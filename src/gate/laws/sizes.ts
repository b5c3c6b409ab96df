/** Sizes of vocabulary at which a bias is looked for, and the bias that is promised to be seen at each. */
import type { DistributionRule } from './arbitraries/index.ts'
import type { Effort, Promised, Trial } from './law.ts'

/** The largest vocabulary of generated distributions: GPT-2's. */
export const LARGEST = 50_257

/** The largest vocabulary for which each multiple of the trial's bias is promised; a step costs in proportion to the vocabulary, a bias to 1/bias^2. */
type Tiers = readonly (readonly [upTo: number, factor: number])[]
const TIERS: Readonly<Record<Effort, Tiers>> = {
  quick: [
    [16, 2.5],
    [1500, 5],
    [Number.POSITIVE_INFINITY, 20],
  ],
  usual: [
    [16, 1],
    [1500, 1.5],
    [10_000, 3],
    [152_000, 7.5],
    [Number.POSITIVE_INFINITY, 12.5],
  ],
  thorough: [
    [1500, 0.5],
    [10_000, 1],
    [Number.POSITIVE_INFINITY, 2.5],
  ],
}
/** No promise is weaker than this. */
const WEAKEST = 0.5

/** The bias that is promised to be seen over a vocabulary of this size. */
export function biasAt(vocabSize: number, { effort, bias }: Pick<Trial, 'effort' | 'bias'>): number {
  const [, factor] = TIERS[effort].find(([upTo]) => vocabSize <= upTo)!
  return Math.min(WEAKEST, +(factor * bias).toPrecision(12))
}

/** The share of the trial's bias that scrambled nets look for on a few tokens. */
const NETS: Readonly<Record<Effort, number>> = { quick: 1 / 4, usual: 1 / 20, thorough: 1 / 40 }

/** The bias that scrambled nets look for on a few tokens. */
export const netBias = ({ effort, bias }: Pick<Trial, 'effort' | 'bias'>): number =>
  +(NETS[effort] * bias).toPrecision(12)

/**
 * Distributions that are always tried, beside those on at most eight tokens. Sizes are odd, even, a power of two and one short of
 * a multiple of every lane (47); ids come in order of probability or in a random order that the seed decides. A green list hardly
 * shifts a flat distribution, so each range of sizes has one with a heavy token too. Sizes around 2^16, and those of newer models, are where ids of 16
 * bits break; special ids have mass of their own, or one that is never drawn would not show.
 */
export function rulesFor(trial: Pick<Trial, 'effort' | 'seed' | 'maxVocabSize'>): DistributionRule[] {
  const { maxVocabSize = Number.POSITIVE_INFINITY } = trial
  return rulesOf(trial).filter(({ vocabSize }) => vocabSize <= maxVocabSize)
}

function rulesOf({ effort, seed }: Pick<Trial, 'effort' | 'seed'>): DistributionRule[] {
  const order = 1 + (seed >>> 1)
  const quick: DistributionRule[] = [
    { shape: 'uniform', vocabSize: 16 },
    { shape: 'model', vocabSize: 257, row: 2, order },
    { shape: 'zipf', vocabSize: LARGEST, exponent: 1, order },
  ]
  if (effort === 'quick') return quick
  const usual: DistributionRule[] = [
    ...quick,
    { shape: 'uniform', vocabSize: 47 },
    { shape: 'top-k', vocabSize: 200, exponent: 1, k: 40, order },
    { shape: 'heavy', vocabSize: 300, top: 0.6, order },
    { shape: 'zipf', vocabSize: 1000, exponent: 1, order },
    { shape: 'model', vocabSize: 4096, row: 3, order: 0 },
    { shape: 'uniform', vocabSize: LARGEST },
    { shape: 'heavy', vocabSize: 12, top: 0.93, order },
    { shape: 'heavy', vocabSize: 47, top: 0.5, order },
    { shape: 'heavy', vocabSize: 1000, top: 0.93, order },
    { shape: 'top-k', vocabSize: 4096, exponent: 2, k: 50, order },
    { shape: 'heavy', vocabSize: LARGEST, top: 0.75, order },
    { shape: 'heavy', vocabSize: 300, top: 0.992, order },
    { shape: 'special', vocabSize: 1000, top: 0.2 },
    { shape: 'special', vocabSize: LARGEST, top: 0.5 },
    { shape: 'special', vocabSize: 2 ** 16 - 1, top: 0.6 },
    { shape: 'special', vocabSize: 2 ** 16, top: 0.6 },
    { shape: 'special', vocabSize: 2 ** 16 + 1, top: 0.6 },
    { shape: 'uniform', vocabSize: 128_256 },
    { shape: 'zipf', vocabSize: 151_936, exponent: 1.5, order },
    { shape: 'special', vocabSize: 151_936, top: 0.7 },
    { shape: 'special', vocabSize: 262_144, top: 0.4 },
  ]
  if (effort === 'usual') return usual
  return [
    ...usual,
    { shape: 'model', vocabSize: LARGEST, row: 1, order: 0 },
    { shape: 'top-k', vocabSize: LARGEST, exponent: 1, k: 50, order },
    { shape: 'zipf', vocabSize: 32_000, exponent: 1.3, order: 0 },
  ]
}

/** Numbers of distributions that are generated on a few tokens, and at any size. */
export const GENERATED: Readonly<Record<Effort, { readonly few: number; readonly sizes: number }>> = {
  quick: { few: 1, sizes: 0 },
  usual: { few: 1, sizes: 1 },
  thorough: { few: 8, sizes: 8 },
}

/** Lists what a trial promises at each size that it always tries. */
export function promisesOf(vocabSizes: Iterable<number>, trial: Pick<Trial, 'effort' | 'bias'>): Promised[] {
  const sizes = [...new Set(vocabSizes)].sort((a, b) => a - b)
  return sizes.map((vocabSize) => ({ vocabSize, bias: biasAt(vocabSize, trial) }))
}
