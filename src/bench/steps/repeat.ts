/**
 * Table 2's statistics of one method: how far it drifts from the model when prompts are asked again and again under one key.
 * Gaps and DetWmk per prompt, the exact permutation test, and how both grow with the number of generations.
 */
import { seededRandom } from '../../core/keys/index.ts'
import { spmgTest } from '../../theory/index.ts'
import { defineStep } from '../cells/step.ts'
import type { Measured, MetricName } from './measure.ts'
import type { Resources } from './resources.ts'

export interface RepeatInputs {
  readonly metrics: readonly MetricName[]
  readonly prompts: number
  readonly generations: number
  /** Numbers of generations at which the test is tried on subsets. */
  readonly sizes: readonly number[]
  /** Random subsets per size. */
  readonly subsets: number
  /** Blocks of cells of the model, its copy and the method, in this order. */
  readonly blocks: readonly [number, number, number]
  readonly seed: number
  readonly runs: number
}

export interface Drift {
  /** |Met_i(M) - Met_i(T)| and |Met_i(M) - Met_i(M')|, prompt by prompt. */
  readonly gaps: readonly number[]
  readonly copyGaps: readonly number[]
  readonly pValue: number
  /** By number of generations: DetWmk of each subset. */
  readonly curve: { readonly [size: string]: readonly number[] }
}

export interface Repeated {
  readonly drift: { readonly [metric in MetricName]?: Drift }
  /** By number of generations: subsets in which the test rejects at 5%, Bonferroni over the metrics. */
  readonly rejected: { readonly [size: string]: number }
}

type Table = readonly (readonly number[])[]

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length

const gap = (a: Table, b: Table): number[] => a.map((values, i) => Math.abs(mean(values) - mean(b[i]!)))

/** Values prompt by prompt. */
function table(cells: readonly Measured[], metric: MetricName, prompts: number, generations: number): Table {
  const values = cells.flatMap((c) => c[metric] ?? [])
  return Array.from({ length: prompts }, (_, i) => values.slice(i * generations, (i + 1) * generations))
}

/** Draws a random subset of each prompt's generations, the same for all metrics of one model. */
function subset(generations: number, size: number, seed: string): number[] {
  const random = seededRandom(seed)
  const order = Array.from({ length: generations }, (_, i) => i)
  for (let i = 0; i < size; i++) {
    const j = i + random.below(generations - i)
    ;[order[i], order[j]] = [order[j]!, order[i]!]
  }
  return order.slice(0, size)
}

const pick = (values: Table, chosen: readonly number[]): Table =>
  values.map((row) => chosen.map((j) => row[j]!))

export const repeatStep = defineStep<RepeatInputs, Measured[], Repeated, Resources>({
  module: import.meta.url,
  cost: ({ sizes, subsets }) => 20 * sizes.length * subsets,
  run(inputs, needs) {
    const { metrics, prompts, generations, sizes, subsets, seed, runs, blocks } = inputs
    const parts = [
      needs.slice(0, blocks[0]),
      needs.slice(blocks[0], blocks[0] + blocks[1]),
      needs.slice(blocks[0] + blocks[1]),
    ]
    const tables = metrics.map((metric) => parts.map((part) => table(part, metric, prompts, generations)))
    const curves = metrics.map(() => ({}) as Record<string, number[]>)
    const rejected: Record<string, number> = {}
    for (const size of sizes) {
      rejected[size] = 0
      for (let s = 0; s < subsets; s++) {
        const chosen = ['model', 'copy', 'method'].map((role) =>
          subset(generations, size, `${seed} ${role} ${size} ${s}`),
        )
        const ps = tables.map(([m, copy, t], k) => {
          const [a, b, c] = [pick(m!, chosen[0]!), pick(copy!, chosen[1]!), pick(t!, chosen[2]!)]
          const at = curves[k]!
          at[size] = [...(at[size] ?? []), mean(gap(a, c)) - mean(gap(a, b))]
          return spmgTest(a, c, b, { runs: 199, seed: `${seed} ${size} ${s}` }).pValue
        })
        if (Math.min(...ps) <= 0.05 / metrics.length) rejected[size]++
      }
    }
    const drift = metrics.map((metric, k) => {
      const [m, copy, t] = tables[k]!
      const { pValue } = spmgTest(m!, t!, copy!, { runs, seed })
      return [metric, { gaps: gap(m!, t!), copyGaps: gap(m!, copy!), pValue, curve: curves[k]! }]
    })
    return { drift: Object.fromEntries(drift) as Repeated['drift'], rejected }
  },
})
