/**
 * The exact test of "the test model is the original": given M, the generations of T and of its stand-in M' are
 * exchangeable, so DetWmk is compared with its values under reassignments of T's and M''s generations within
 * each prompt. No bound on the metric is needed.
 *
 * `generation`: all reassignments, C(2m, m) per prompt; `prompt`: only swaps of whole sets, 2^n in all (every
 * swap flips one sign), which stays valid when generations of one prompt depend on each other.
 */
import { integer, oneOf, outOfRange, refuseUnknown } from '../input.ts'
import { checkSeed, type Stream, seededRandom } from '../keys/stream.ts'
import { type Generations, promptMeans } from './spmg.ts'

export interface SpmgTestOptions {
  /** What is exchanged between T and M'; default `generation`. */
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

/** Sums of T's generations and M''s, over the same prompt; the reassignments move values between the two. */
interface Prompt {
  readonly mean: number
  /** T's values, then M''s. */
  readonly pooled: Float64Array
  readonly total: number
  readonly size: number
}

/** |M - T| - |M - M'| when the values that sum to `first` are called T's. */
const difference = (prompt: Prompt, first: number): number =>
  Math.abs(prompt.mean - first / prompt.size) - Math.abs(prompt.mean - (prompt.total - first) / prompt.size)

function readPrompts(original: Generations, test: Generations, clone: Generations): Prompt[] {
  const means = promptMeans(original, 'original')
  promptMeans(test, 'test')
  promptMeans(clone, 'clone')
  if (test.length !== means.length) throw outOfRange('test', `${means.length} prompts`, test)
  if (clone.length !== means.length) throw outOfRange('clone', `${means.length} prompts`, clone)
  return Array.from(test, (values, i) => {
    const twin = clone[i]!
    if (twin.length !== values.length)
      throw outOfRange(`clone[${i}]`, `${values.length} generations, as many as test[${i}]`, twin)
    const pooled = Float64Array.from([...Array.from(values), ...Array.from(twin)])
    return { mean: means[i]!, pooled, total: pooled.reduce((a, b) => a + b, 0), size: values.length }
  })
}

/** All differences that the reassignments of one prompt give. */
function allDifferences(prompt: Prompt, exchange: 'generation' | 'prompt'): number[] {
  const { pooled, size } = prompt
  const own = pooled.subarray(0, size).reduce((a, b) => a + b, 0)
  if (exchange === 'prompt') return [difference(prompt, own), -difference(prompt, own)]
  const out: number[] = []
  const choose = (from: number, left: number, sum: number): void => {
    if (left === 0) out.push(difference(prompt, sum))
    else for (let i = from; i <= pooled.length - left; i++) choose(i + 1, left - 1, sum + pooled[i]!)
  }
  choose(0, size, 0)
  return out
}

/** One random difference of a prompt. */
function randomDifference(prompt: Prompt, exchange: 'generation' | 'prompt', stream: Stream): number {
  const { pooled, size } = prompt
  if (exchange === 'prompt') {
    const own = pooled.subarray(0, size).reduce((a, b) => a + b, 0)
    return (stream.below(2) ? 1 : -1) * difference(prompt, own)
  }
  // the first `size` steps of a shuffle choose T's values; starting from any arrangement they are uniform
  let sum = 0
  for (let i = 0; i < size; i++) {
    const j = i + stream.below(pooled.length - i)
    const value = pooled[j]!
    pooled[j] = pooled[i]!
    pooled[i] = value
    sum += value
  }
  return difference(prompt, sum)
}

/** The most random reassignments, and the most that are listed. */
const MAX_RUNS = 10_000_000
const MAX_LISTED = 10_000_000

/** C(2m, m), or Infinity once it is beyond all listing. */
function centralBinomial(m: number): number {
  let c = 1
  for (let i = 1; i <= m && c < 1e15; i++) c = (c * (m + i)) / i
  return c
}

/**
 * The permutation p-value of DetWmk.
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
  const { seed = 0 } = options
  checkSeed(seed)
  const exchange = oneOf('exchange', options.exchange ?? 'generation', ['generation', 'prompt'])
  const runs = integer('runs', options.runs ?? 9999, 1, MAX_RUNS)
  const listed = integer('enumerate', options.enumerate ?? 100_000, 0, MAX_LISTED)
  const prompts = readPrompts(original, test, clone)
  const observed = prompts.map((p) =>
    difference(
      p,
      p.pooled.subarray(0, p.size).reduce((a, b) => a + b, 0),
    ),
  )
  const statistic = observed.reduce((a, b) => a + b, 0) / prompts.length
  // equal sums added in another order may differ in the last bits: count them as equal, which only raises p
  const scale = prompts.reduce((s, p) => s + p.pooled.reduce((a, x) => a + Math.abs(x), Math.abs(p.mean)), 0)
  const reached = (total: number): boolean => total / prompts.length >= statistic - 1e-12 * scale
  const count = prompts.reduce((c, p) => c * (exchange === 'prompt' ? 2 : centralBinomial(p.size)), 1)

  if (count <= listed) {
    const lists = prompts.map((p) => allDifferences(p, exchange))
    let hits = 0
    const walk = (i: number, total: number): void => {
      if (i === lists.length) hits += reached(total) ? 1 : 0
      else for (const d of lists[i]!) walk(i + 1, total + d)
    }
    walk(0, 0)
    return { statistic, pValue: hits / count, exhaustive: true, assignments: count }
  }
  const stream = seededRandom(seed, 'spmg')
  let hits = 0
  for (let run = 0; run < runs; run++) {
    let total = 0
    for (const p of prompts) total += randomDifference(p, exchange, stream)
    if (reached(total)) hits++
  }
  return { statistic, pValue: (1 + hits) / (1 + runs), exhaustive: false, assignments: runs }
}
