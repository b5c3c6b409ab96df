/**
 * The permutation test of DetWmk for a metric of several components: gaps are averaged over components as well as over prompts. All components
 * of a generation move together, so the reassignments are those of `spmgTest`. One generation changes every component by at most its range,
 * and so the average by no more than a single metric's: the thresholds of Theorem 2 hold as they are.
 */
import { integer, oneOf, outOfRange } from '../input.ts'
import { type Stream, seededRandom } from '../keys/stream.ts'
import type { SpmgTest, SpmgTestOptions } from './spmg-test.ts'

/** `values[i][j]`: the components of generation j of prompt i. */
export type VectorGenerations = readonly (readonly ArrayLike<number>[])[]

interface Prompt {
  readonly means: Float64Array
  /** T's generations, then those of M', `width` numbers each. */
  readonly pooled: Float64Array
  readonly total: Float64Array
  readonly size: number
  /** The order in which a shuffle left the generations. */
  readonly order: Uint32Array
}

function addTo(sum: Float64Array, values: ArrayLike<number>, from = 0): void {
  for (let k = 0; k < sum.length; k++) sum[k]! += values[from + k]!
}

function readPrompt(
  original: readonly ArrayLike<number>[],
  test: readonly ArrayLike<number>[],
  clone: readonly ArrayLike<number>[],
  width: number,
): Prompt {
  if (original.length === 0) throw outOfRange('original', 'at least one generation of each prompt', original)
  if (test.length === 0 || test.length !== clone.length)
    throw outOfRange('clone', `${test.length} generations, as many as of the test model`, clone)
  const means = new Float64Array(width)
  for (const values of original) addTo(means, values)
  for (let k = 0; k < width; k++) means[k]! /= original.length
  const pooled = Float64Array.from([...test, ...clone].flatMap((values) => Array.from(values)))
  const total = new Float64Array(width)
  for (let j = 0; j < 2 * test.length; j++) addTo(total, pooled, j * width)
  return {
    means,
    pooled,
    total,
    size: test.length,
    order: Uint32Array.from({ length: 2 * test.length }, (_, j) => j),
  }
}

/** Mean over components of |M - T| - |M - M'|, when the generations that sum to `first` are called T's. */
function difference({ means, total, size }: Prompt, first: Float64Array): number {
  let sum = 0
  for (let k = 0; k < first.length; k++)
    sum += Math.abs(means[k]! - first[k]! / size) - Math.abs(means[k]! - (total[k]! - first[k]!) / size)
  return sum / first.length
}

/** Generations in `order[0..size)` summed. */
function firstHalf({ pooled, order, size }: Prompt, sum: Float64Array): Float64Array {
  sum.fill(0)
  for (let j = 0; j < size; j++) addTo(sum, pooled, order[j]! * sum.length)
  return sum
}

/** Draws anew which generations are called T's. */
function shuffle({ order, size }: Prompt, stream: Stream): void {
  for (let i = 0; i < size; i++) {
    const j = i + stream.below(order.length - i)
    const kept = order[j]!
    order[j] = order[i]!
    order[i] = kept
  }
}

/** The permutation p-value of DetWmk averaged over components. */
export function spmgVectorTest(
  original: VectorGenerations,
  test: VectorGenerations,
  clone: VectorGenerations,
  options: Pick<SpmgTestOptions, 'exchange' | 'runs' | 'seed'> = {},
): SpmgTest {
  const runs = integer('runs', options.runs ?? 9999, 1)
  const exchange = oneOf('exchange', options.exchange ?? 'generation', ['generation', 'prompt'])
  const width = original[0]![0]!.length
  const prompts = original.map((values, i) => readPrompt(values, test[i]!, clone[i]!, width))
  const sum = new Float64Array(width)
  const differences = prompts.map((prompt) => difference(prompt, firstHalf(prompt, sum)))
  const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / prompts.length
  const statistic = mean(differences)
  // equal sums added in another order may differ in the last bits: count them as equal, which only raises p
  const slack = 1e-12 * prompts.reduce((s, p) => s + p.pooled.reduce((a, x) => a + Math.abs(x), 1), 0)
  const stream = seededRandom(options.seed ?? 0, 'spmg vector')
  const reassigned = (prompt: Prompt, i: number): number => {
    if (exchange === 'prompt') return stream.below(2) ? differences[i]! : -differences[i]!
    shuffle(prompt, stream)
    return difference(prompt, firstHalf(prompt, sum))
  }
  let hits = 0
  for (let run = 0; run < runs; run++) if (mean(prompts.map(reassigned)) >= statistic - slack) hits++
  return { statistic, pValue: (1 + hits) / (1 + runs), exhaustive: false, assignments: runs }
}
