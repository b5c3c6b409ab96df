/**
 * Single-prompt multi-generation (SPMG): how far a test model drifts from the original when one prompt is asked
 * many times. `values[i][j]` is the metric of generation j of prompt i.
 */
import { list, outOfRange, text } from '../input.ts'
import { realValues } from '../stats/real-values.ts'

/** The metric of every generation, prompt by prompt. */
export type Generations = readonly (ArrayLike<number> & Iterable<number>)[]

/**
 * Mean of the metric over the generations of each prompt.
 * @example promptMeans([[1, 3], [0, 0]]) // Float64Array [2, 0]
 */
export function promptMeans(values: Generations, name = 'values'): Float64Array {
  text('name', name)
  const prompts = list<ArrayLike<number>>(name, values, 'a list with the metrics of each prompt')
  if (prompts.length === 0) throw outOfRange(name, 'at least one prompt', values)
  return Float64Array.from(prompts, (generations, i) => {
    if (generations?.length === 0) throw outOfRange(`${name}[${i}]`, 'at least one generation', generations)
    const total = realValues(`${name}[${i}]`, generations).reduce((a, b) => a + b, 0)
    if (!Number.isFinite(total)) throw outOfRange(`${name}[${i}]`, 'finite metrics', generations)
    return total / generations.length
  })
}

/** Mean over prompts of |a_i - b_i|. */
function meanDistance(a: Float64Array, b: Float64Array): number {
  if (a.length !== b.length) throw outOfRange('prompts', `${a.length} in both`, b.length)
  let total = 0
  for (let i = 0; i < a.length; i++) total += Math.abs(a[i]! - b[i]!)
  return total / a.length
}

/**
 * The SPMG gap: the mean over prompts of the distance between the two models' mean metrics.
 *
 * @example spmgGap([[1, 3], [0, 0]], [[1, 1], [0, 2]]) // (|2 - 1| + |0 - 1|) / 2 = 1
 */
export const spmgGap = (a: Generations, b: Generations): number =>
  meanDistance(promptMeans(a, 'a'), promptMeans(b, 'b'))

/**
 * DetWmk(M, T) = gap(M, T) - gap(M, M'): the test model's gap beyond that of a clone of the original.
 *
 * @example detWmk([[0]], [[1]], [[0]]) // 1
 */
export function detWmk(original: Generations, test: Generations, clone: Generations): number {
  const m = promptMeans(original, 'original')
  return meanDistance(m, promptMeans(test, 'test')) - meanDistance(m, promptMeans(clone, 'clone'))
}
