import { forRules, forWeights } from './distributions.ts'
import { type Found, SAMPLED_SHRINKS } from './for-all.ts'
import { defineLaw, type Effort, type Finding, notApplicable } from './law.ts'
import { GENERATED, LARGEST, rulesFor } from './sizes.ts'
import { KeysTrial } from './tally.ts'
import { EVERY_SET } from './token-sets.ts'

/** Tried first: the shapes at which published methods and their mistakes differ most. */
export const shapesOfFew: readonly number[][] = [
  [1, 3],
  [5, 3, 2],
  [0, 1, 1, 1],
  [30, 3, 2, 1, 1, 1],
  // models are sure of most tokens
  [12, 1],
  [1, 95, 2, 1, 1],
  [1, 39],
  // the second shares its ends, its largest mass and its masses with the first: a cache by a part of p is wrong there
  [5, 1, 3, 2],
  [5, 3, 1, 2],
]

/**
 * Tried with scrambled nets: biases of logit methods are largest near one token of 0.7 to 0.8, a nucleus of 0.99 cuts a token of 0.01, ties show at more
 * tokens. Two share their first or middle masses with distributions that were tried before: a cache by those is wrong here.
 */
const shapesOfNets: readonly number[][] = [
  [1, 3],
  [1, 95, 2, 1, 1],
  [2, 3, 5],
  [30, 3, 2, 1, 2, 0],
  [1, 8, 2, 7, 3, 6, 4, 5],
  // almost certain of one token, as models often are
  [1, 299],
]
/** Returns the distributions that are tried with nets: at the quick effort every second one. */
export const netShapes = (effort: Effort): readonly number[][] =>
  effort === 'quick' ? shapesOfNets.filter((_, i) => i % 2 === 1) : shapesOfNets

/**
 * One-shot unbiased as keys really are: over random secret keys, through the key schedule and the context rule, the mean of q is
 * p, at every class of positions. On every set of tokens where at most eight have mass, on a family of sets where more do. All
 * distributions together share the false-alarm rate; each has the miss rate.
 */
export const unbiasedOverKeysLaw = defineLaw(
  {
    name: 'unbiased over keys',
    statement: 'over random secret keys the mean of q equals p',
    sampled: true,
  },
  async (watermark, trial) => {
    if (!watermark.unbiased) return notApplicable('declared biased')
    const rules = rulesFor(trial)
    const generated = GENERATED[trial.effort]
    const nets = netShapes(trial.effort)
    const runs = { few: shapesOfFew.length + generated.few, sizes: rules.length + generated.sizes }
    const trials = new KeysTrial(trial, runs.few + runs.sizes + nets.length)
    const test = (p: Float64Array, keys: number): Promise<void> => trials.test(watermark, p, keys)
    const vocabSizes = rules.map(({ vocabSize }) => vocabSize)
    const result = (found: Found): Finding => trials.result(found, vocabSizes)
    const onFew = (part: string, examples: readonly number[][], runs: number, check: typeof test) => {
      const from = { minTokens: part === 'nets' ? 2 : 1, maxWeight: 1000 }
      return forWeights(trial, { part, from, examples, runs, shrinks: SAMPLED_SHRINKS }, check)
    }
    const few = await onFew('few', shapesOfFew, runs.few, test)
    if (few.why !== undefined) return result(few)
    const evenly = await onFew('nets', nets, nets.length, (p, keys) => trials.testNets(watermark, p, keys))
    if (evenly.why !== undefined) return result(evenly)
    const sizes = await forRules(
      trial,
      {
        part: 'sizes',
        from: { minTokens: EVERY_SET + 1, maxTokens: trial.maxVocabSize ?? LARGEST, shrinksTo: 2 },
        examples: rules,
        runs: runs.sizes,
        shrinks: SAMPLED_SHRINKS,
      },
      test,
    )
    if (sizes.why === undefined && !trials.marked) return notApplicable('the context rule marks no position')
    return result(sizes)
  },
)
