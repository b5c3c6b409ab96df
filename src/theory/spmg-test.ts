/**
 * The exact test of "the test model is the original": given M, the generations of T and of its stand-in M' are
 * exchangeable, so DetWmk is compared with its values under reassignments of T's and M''s generations within
 * each prompt. No bound on the metric is needed.
 *
 * `generation`: all reassignments, C(2m, m) per prompt; `prompt`: only swaps of whole sets, 2^n in all (every
 * swap flips one sign), which stays valid when generations of one prompt depend on each other.
 */

import { checkSeed, type Stream, seededRandom } from '../core/keys/index.ts'
import { integer, oneOf, outOfRange, refuseUnknown } from '../input.ts'
import { type Generations, promptMeans } from './spmg.ts'

type Exchange = 'generation' | 'prompt'

export interface SpmgTestOptions {
  /** The values exchanged between T and M'; default `generation`. */
  readonly exchange?: 'generation' | 'prompt'
  /** Random reassignments when there are too many to list; default 9999. */
  readonly runs?: number
  /** List all reassignments up to this many; default 100,000. */
  readonly enumerate?: number
  readonly seed?: number | string
}

/** The outcome of the permutation test of DetWmk. */
export interface SpmgTest {
  readonly statistic: number
  /** P(p <= a) <= a for every a when T and M' are exchangeable. */
  readonly pValue: number
  /** Every reassignment was listed; else `(1 + k) / (1 + runs)`. */
  readonly exhaustive: boolean
  readonly assignments: number
}

/** The generations of one prompt: `width` components each. */
interface Prompt {
  /** Means of M over generations, by component. */
  readonly means: Float64Array
  /** T's generations, then those of M'; a shuffle changes their order. */
  readonly pooled: Float64Array
  readonly total: Float64Array
  /** Generations of T. */
  readonly size: number
}

function sumOf(values: Float64Array, width: number): Float64Array {
  const sum = new Float64Array(width)
  for (let i = 0; i < values.length; i++) sum[i % width]! += values[i]!
  return sum
}

function promptOf(original: Float64Array, test: Float64Array, clone: Float64Array, width: number): Prompt {
  const pooled = new Float64Array(test.length + clone.length)
  pooled.set(test)
  pooled.set(clone, test.length)
  return {
    means: sumOf(original, width).map((sum) => sum / (original.length / width)),
    pooled,
    total: sumOf(pooled, width),
    size: test.length / width,
  }
}

/** Returns the mean over components of |M - T| - |M - M'|, when the generations that sum to `first` are called T's. */
function difference({ means, total, size }: Prompt, first: Float64Array): number {
  let sum = 0
  for (let k = 0; k < first.length; k++)
    sum += Math.abs(means[k]! - first[k]! / size) - Math.abs(means[k]! - (total[k]! - first[k]!) / size)
  return sum / first.length
}

/** Draws anew which generations are called T's, and sums them. The first `size` steps of a shuffle are uniform from any order. */
function reassign({ pooled, size }: Prompt, stream: Stream, sum: Float64Array): Float64Array {
  const width = sum.length
  const all = pooled.length / width
  sum.fill(0)
  for (let i = 0; i < size; i++) {
    const from = (i + stream.below(all - i)) * width
    for (let k = 0; k < width; k++) {
      const value = pooled[from + k]!
      pooled[from + k] = pooled[i * width + k]!
      pooled[i * width + k] = value
      sum[k]! += value
    }
  }
  return sum
}

/** Returns all differences that the reassignments of one prompt give, for one component. */
function allDifferences(prompt: Prompt, exchange: Exchange, observed: number): number[] {
  if (exchange === 'prompt') return [observed, -observed]
  const { pooled, size } = prompt
  const out: number[] = []
  const first = new Float64Array(1)
  const choose = (from: number, left: number, sum: number): void => {
    first[0] = sum
    if (left === 0) out.push(difference(prompt, first))
    else for (let i = from; i <= pooled.length - left; i++) choose(i + 1, left - 1, sum + pooled[i]!)
  }
  choose(0, size, 0)
  return out
}

/** The most random reassignments, and the most that are listed. */
const MAX_RUNS = 10_000_000
const MAX_LISTED = 10_000_000

/** Computes C(2m, m), or Infinity once it is beyond all listing. */
function centralBinomial(m: number): number {
  let c = 1
  for (let i = 1; i <= m && c < 1e15; i++) c = (c * (m + i)) / i
  return c
}

/** Runs the permutation test; lists all reassignments if there are at most `listed`. */
function permutationTest(
  prompts: readonly Prompt[],
  options: SpmgTestOptions,
  listed: number,
  label: string,
): SpmgTest {
  const { seed = 0 } = options
  checkSeed(seed)
  const exchange = oneOf('exchange', options.exchange ?? 'generation', ['generation', 'prompt'])
  const runs = integer('runs', options.runs ?? 9999, 1, MAX_RUNS)
  const sum = new Float64Array(prompts[0]!.means.length)
  const observed = prompts.map((prompt) =>
    difference(prompt, sumOf(prompt.pooled.subarray(0, prompt.size * sum.length), sum.length)),
  )
  const statistic = observed.reduce((a, b) => a + b, 0) / prompts.length
  // equal sums added in another order may differ in the last bits: count them as equal, which only raises p
  const sizeOf = (values: Float64Array): number => values.reduce((a, x) => a + Math.abs(x), 0)
  const slack = 1e-12 * prompts.reduce((s, { pooled, means }) => s + sizeOf(pooled) + sizeOf(means), 0)
  const reached = (total: number): boolean => total / prompts.length >= statistic - slack
  const count = prompts.reduce((c, { size }) => c * (exchange === 'prompt' ? 2 : centralBinomial(size)), 1)
  let hits = 0
  if (count <= listed) {
    const lists = prompts.map((prompt, i) => allDifferences(prompt, exchange, observed[i]!))
    const walk = (i: number, total: number): void => {
      if (i === lists.length) hits += reached(total) ? 1 : 0
      else for (const d of lists[i]!) walk(i + 1, total + d)
    }
    walk(0, 0)
    return { statistic, pValue: hits / count, exhaustive: true, assignments: count }
  }
  const stream = seededRandom(seed, label)
  for (let run = 0; run < runs; run++) {
    let total = 0
    for (const [i, prompt] of prompts.entries())
      total +=
        exchange === 'generation'
          ? difference(prompt, reassign(prompt, stream, sum))
          : (stream.below(2) ? 1 : -1) * observed[i]!
    if (reached(total)) hits++
  }
  return { statistic, pValue: (1 + hits) / (1 + runs), exhaustive: false, assignments: runs }
}

/**
 * Returns the permutation p-value of DetWmk.
 *
 * @example spmgTest([[0, 0]], [[1, 1]], [[0, 0]]).pValue // 1/6: one of the C(4, 2) reassignments is as large
 */
export function spmgTest(
  original: Generations,
  test: Generations,
  clone: Generations,
  options: SpmgTestOptions = {},
): SpmgTest {
  refuseUnknown('spmgTest', options, ['exchange', 'runs', 'enumerate', 'seed'])
  const listed = integer('enumerate', options.enumerate ?? 100_000, 0, MAX_LISTED)
  for (const [name, values] of Object.entries({ original, test, clone })) {
    promptMeans(values, name)
    if (values.length !== original.length) throw outOfRange(name, `${original.length} prompts`, values)
  }
  const prompts = Array.from(test, (values, i) => {
    if (clone[i]!.length !== values.length)
      throw outOfRange(`clone[${i}]`, `${values.length} generations, as many as test[${i}]`, clone[i])
    const [m, t, c] = [original, test, clone].map((sets) => Float64Array.from(sets[i]!))
    return promptOf(m!, t!, c!, 1)
  })
  return permutationTest(prompts, options, listed, 'spmg')
}

/** `values[i][j]`: the components of generation j of prompt i. */
type VectorGenerations = readonly (readonly ArrayLike<number>[])[]

/**
 * Returns the permutation p-value of DetWmk for a metric of several components: gaps are averaged over components as well as over prompts.
 * All components of a generation move together, so the reassignments are those of `spmgTest`. One generation changes every component by at
 * most its range, and so the average by no more than a single metric's: the thresholds of Theorem 2 hold as they are.
 */
export function spmgVectorTest(
  original: VectorGenerations,
  test: VectorGenerations,
  clone: VectorGenerations,
  options: Pick<SpmgTestOptions, 'exchange' | 'runs' | 'seed'> = {},
): SpmgTest {
  const width = original[0]![0]!.length
  const prompts = original.map((values, i) => {
    if (values.length === 0) throw outOfRange('original', 'at least one generation of each prompt', values)
    if (test[i]!.length === 0 || test[i]!.length !== clone[i]!.length)
      throw outOfRange('clone', `${test[i]!.length} generations, as many as of the test model`, clone[i])
    const [m, t, c] = [values, test[i]!, clone[i]!].map((generations) =>
      Float64Array.from(generations.flatMap((components) => Array.from(components))),
    )
    return promptOf(m!, t!, c!, width)
  })
  return permutationTest(prompts, options, 0, 'spmg vector')
}
