/**
 * Query budget of whole texts: how often the same prompts must be asked before the SPMG test tells a watermarked model, its key
 * fixed, from the model. By simulation: in each trial a fresh key, m texts of the model (M), of the watermarked model (T) and
 * of the model again (M') for each prompt, and the permutation test of DetWmk. The metric is the mean log-likelihood per token.
 */

import { type Embedder, embedder } from '../core/embed/index.ts'
import type { Tokens } from '../core/keys/index.ts'
import { checkSeed, expectToyKeys, type Stream, seededRandom } from '../core/keys/index.ts'
import { clopperPearson, type Interval } from '../core/stats/index.ts'
import { integer, list, number, outOfRange, requireOptions } from '../input.ts'
import type { LanguageModel } from '../text/decode/index.ts'
import { requireModel } from '../text/decode/index.ts'
import { requireWatermark, type Watermark } from '../watermark.ts'
import type { QueryRange } from './amplification.ts'
import { spmgTest } from './spmg-test.ts'
import { checkWalk, drawFrom, walkTexts } from './text-walk.ts'

export interface TextQueryBudgetOptions {
  readonly prompts: readonly Tokens[]
  /** Tokens of a text. */
  readonly length: number
  /** Level of the test; default 5%. */
  readonly alpha?: number
  /** The power to reach; default 1/2. */
  readonly power?: number
  /** Trials, each with its own key; default 100. */
  readonly trials?: number
  /** Most generations per prompt; default 64. */
  readonly most?: number
  /** Of the whole range; default 99%. */
  readonly confidence?: number
  readonly seed?: number | string
}

/** The power at one number of generations per prompt. */
export interface PowerAt extends Interval {
  readonly generations: number
  readonly rejected: number
  readonly trials: number
}

/**
 * With the stated confidence the power is below the wanted one under `low` generations per prompt and above it from `high` on
 * (power grows with the number of generations); `high` is Infinity where `most` were not enough.
 */
export interface TextQueryBudget extends QueryRange {
  readonly steps: readonly PowerAt[]
}

/** Returns the mean log-likelihood under the model of `count` texts of a prompt, with or without the watermark. */
async function metrics(
  model: LanguageModel,
  prompt: Tokens,
  count: number,
  length: number,
  stream: Stream,
  mark?: (row: number) => Embedder,
): Promise<number[]> {
  const sums = new Array<number>(count).fill(0)
  await walkTexts(model, {
    prompt,
    count,
    length,
    mark,
    next(row, p, q) {
      const token = drawFrom(q, 1, stream)
      sums[row]! += Math.log(p[token]!) / length
      return token
    },
  })
  return sums
}

/** The three sets of generations of one trial, which grow as more are asked for. */
class Trial<Code> {
  readonly original: number[][] = []
  readonly test: number[][] = []
  readonly clone: number[][] = []
  readonly #watermark: Watermark<Code>
  readonly #key: string
  readonly #stream: Stream

  constructor(watermark: Watermark<Code>, key: string) {
    expectToyKeys()
    this.#watermark = watermark
    this.#key = key
    this.#stream = seededRandom(key, 'texts')
  }

  async grow(
    model: LanguageModel,
    prompts: readonly Tokens[],
    generations: number,
    length: number,
  ): Promise<void> {
    for (const [i, prompt] of prompts.entries()) {
      const have = this.original[i]?.length ?? 0
      const { vocabSize } = model
      const mark = (row: number): Embedder =>
        embedder(this.#watermark, { key: this.#key, vocabSize, seed: `${i}/${have}/${row}`, check: false })
      const grown = async (set: number[][], own?: typeof mark): Promise<void> => {
        const more = await metrics(model, prompt, generations - have, length, this.#stream, own)
        set[i] = [...(set[i] ?? []), ...more]
      }
      await grown(this.original)
      await grown(this.test, mark)
      await grown(this.clone)
    }
  }
}

/** A smaller level takes more permutations than there is time for; and the most trials and generations per prompt. */
const MIN_ALPHA = 1e-6
const MAX_TRIALS = 100_000
const MAX_GENERATIONS = 2 ** 16

/**
 * Returns the number of generations per prompt at which the SPMG test reaches the wanted power.
 * @example
 * const model = markovModel({ vocabSize: 16 })
 * const options = { prompts: [[1], [2]], length: 10, trials: 20, most: 4 }
 * const { steps } = await textQueryBudget(dipmark({ alpha: 0.4 }), model, options)
 * steps.map(({ generations }) => generations) // [1, 2, 4]
 */
export async function textQueryBudget<Code>(
  watermark: Watermark<Code>,
  model: LanguageModel,
  options: TextQueryBudgetOptions,
): Promise<TextQueryBudget> {
  requireWatermark(watermark)
  requireModel(model)
  requireOptions('textQueryBudget', options, [
    'prompts',
    'length',
    'alpha',
    'power',
    'trials',
    'most',
    'confidence',
    'seed',
  ])
  const { length, seed = 0 } = options
  checkSeed(seed)
  const prompts = Array.from(
    list<Tokens>('prompts', options.prompts, 'a list of prompts, each a list of token ids'),
    (prompt, i) => checkWalk(model, `prompts[${i}]`, prompt, length).prompt,
  )
  if (prompts.length === 0) throw outOfRange('prompts', 'at least one prompt', prompts)
  const alpha = number('alpha', options.alpha ?? 0.05, 0, 1, true)
  if (alpha < MIN_ALPHA) throw outOfRange('alpha', `at least ${MIN_ALPHA}, for a test by permutations`, alpha)
  const wanted = number('power', options.power ?? 0.5, 0, 1, true)
  const trials = integer('trials', options.trials ?? 100, 1, MAX_TRIALS)
  const most = integer('most', options.most ?? 64, 1, MAX_GENERATIONS)
  const confidence = number('confidence', options.confidence ?? 0.99, 0, 1, true)
  const looks = Math.floor(Math.log2(most)) + 1
  const runs = Math.ceil(2 / alpha) - 1
  const sets = Array.from({ length: trials }, (_, i) => new Trial(watermark, `${seed}/${i}`))
  const steps: PowerAt[] = []
  let low = 1
  for (let generations = 1; generations <= most; generations *= 2) {
    let rejected = 0
    for (const [i, trial] of sets.entries()) {
      await trial.grow(model, prompts, generations, length)
      const { original, test, clone } = trial
      // few assignments are listed, many sampled: the p-value is guaranteed either way
      if (spmgTest(original, test, clone, { runs, enumerate: runs, seed: i }).pValue <= alpha) rejected++
    }
    const interval = clopperPearson(rejected, trials, 1 - (1 - confidence) / looks)
    steps.push({ generations, rejected, trials, ...interval })
    if (interval.low > wanted) return { low, high: generations, steps }
    if (interval.high < wanted) low = generations + 1
  }
  return { low, high: Number.POSITIVE_INFINITY, steps }
}
