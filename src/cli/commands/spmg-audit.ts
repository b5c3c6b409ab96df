/** The repeated-prompt test (SPMG) on measured generations, for `audit-model` and `eval`. */
import {
  expectedSpmgQueries,
  promptMeans,
  spmgGap,
  spmgQueries,
  spmgTest,
  spmgThreshold,
  spmgVectorTest,
} from '../../theory/index.ts'
import { UsageError } from './command.ts'
import type { MeasuredGenerations } from './generations.ts'

/** The values of a metric for the three samples: prompt by prompt, generation by generation, component by component. */
interface MetricSamples {
  readonly original: number[][][]
  readonly suspect: number[][][]
  readonly clone: number[][][]
}

/** Three samples of generations over the prompts that all of them have. */
export type Samples = ReturnType<typeof samplesOf>

/** A metric, the interval of its values and the number of their components. */
export interface MetricRange {
  readonly id: string
  readonly low: number
  readonly high: number
  readonly width: number
}

/** The result of one metric. */
export interface AuditedMetric {
  readonly metric: string
  readonly low: number
  readonly high: number
  readonly gap: number
  readonly cloneGap: number
  readonly detWmk: number
  readonly theorem2: number
  readonly sharper: number
  readonly pValue: number
  readonly exhaustive: boolean
  /** Root mean square over prompts of the reference's standard deviation. */
  readonly deviation: number
  readonly drift: number
  /** Null for a metric of several components. */
  readonly expectedQueries: number | null
  readonly guaranteedQueries: number
}

/** Every second generation of a prompt, starting with the first or with the second. */
export const half = (all: MeasuredGenerations, odd: 0 | 1): MeasuredGenerations =>
  new Map([...all].map(([prompt, rows]) => [prompt, rows.filter((_, i) => i % 2 === odd)]))

/**
 * The three samples over the prompts that all have. The test needs as many generations of the suspect as of the clone: the first ones
 * of the larger sample are used.
 */
export function samplesOf(
  reference: MeasuredGenerations,
  clone: MeasuredGenerations,
  suspect: MeasuredGenerations,
) {
  const prompts = [...reference.keys()].filter(
    (prompt) => clone.get(prompt)?.length && suspect.get(prompt)?.length && reference.get(prompt)!.length > 0,
  )
  const all = new Set([...reference.keys(), ...clone.keys(), ...suspect.keys()])
  if (prompts.length === 0)
    throw new UsageError(
      'no prompt has generations in all samples: the prompts must be the same, letter by letter',
    )
  const size = (prompt: string) => Math.min(clone.get(prompt)!.length, suspect.get(prompt)!.length)
  const some = (sample: MeasuredGenerations, prompt: string) => sample.get(prompt)!.slice(0, size(prompt))
  const values = (from: number, width: number): MetricSamples => ({
    original: prompts.map((prompt) => reference.get(prompt)!.map((row) => row.slice(from, from + width))),
    suspect: prompts.map((prompt) => some(suspect, prompt).map((row) => row.slice(from, from + width))),
    clone: prompts.map((prompt) => some(clone, prompt).map((row) => row.slice(from, from + width))),
  })
  const generations = Math.min(
    ...prompts.map((prompt) => Math.min(size(prompt), reference.get(prompt)!.length)),
  )
  return { prompts: prompts.length, leftOut: all.size - prompts.length, generations, values }
}

/** One component of all generations. */
const component = (samples: readonly number[][][], k: number): number[][] =>
  samples.map((generations) => generations.map((values) => values[k]!))

/** Root mean square, over prompts and components, of the standard deviation within a prompt. */
function deviationOf(samples: readonly number[][][], width: number): number {
  let [squares, freedom] = [0, 0]
  for (let k = 0; k < width; k++) {
    const values = component(samples, k)
    const means = promptMeans(values)
    for (const [i, own] of values.entries()) {
      for (const value of own) squares += (value - means[i]!) ** 2
      freedom += own.length - 1
    }
  }
  return freedom === 0 ? 0 : Math.sqrt(squares / freedom)
}

/** The gap, averaged over components. */
function gapOf(a: readonly number[][][], b: readonly number[][][], width: number): number {
  let sum = 0
  for (let k = 0; k < width; k++) sum += spmgGap(component(a, k), component(b, k))
  return sum / width
}

/** The design of a test. */
export interface SpmgDesign {
  readonly alpha: number
  readonly runs: number
  readonly seed: string
  readonly exchange: 'generation' | 'prompt'
  /** The drift to plan for. */
  readonly drift?: number | undefined
}

/** Tests each metric; a generation has the components of all of them in order. */
export function auditMetrics(
  metrics: readonly MetricRange[],
  samples: Samples,
  design: SpmgDesign,
): AuditedMetric[] {
  let from = 0
  return metrics.map((metric) => {
    from += metric.width
    return auditMetric(metric, samples, samples.values(from - metric.width, metric.width), design)
  })
}

/** The smallest p-value times the number of tests, which may include those of other methods. */
export const bonferroni = (audited: readonly AuditedMetric[], tests = audited.length): number =>
  Math.min(1, tests * Math.min(...audited.map(({ pValue }) => pValue)))

function auditMetric(
  { id, low, high, width }: MetricRange,
  { prompts, generations }: Samples,
  { original, suspect, clone }: MetricSamples,
  settings: SpmgDesign,
): AuditedMetric {
  const { alpha, runs, seed, exchange } = settings
  const bound = (high - low) / 2
  const design = { prompts, generations, bound, alpha }
  const [m, t, c] = [original, suspect, clone].map((sample) => component(sample, 0))
  const { statistic, pValue, exhaustive } =
    width === 1
      ? spmgTest(m!, t!, c!, { runs, seed, exchange })
      : spmgVectorTest(original, suspect, clone, { runs, seed, exchange })
  const deviation = Math.min(bound, deviationOf([...original, ...clone], width))
  const drift = settings.drift ?? 0.05 * (high - low)
  const wanted = { prompts, bound, drift, alpha }
  return {
    metric: id,
    low,
    high,
    gap: gapOf(original, suspect, width),
    cloneGap: gapOf(original, clone, width),
    detWmk: statistic,
    theorem2: spmgThreshold({ ...design, form: 'theorem' }),
    sharper: spmgThreshold({ ...design, form: 'sharp' }),
    pValue,
    exhaustive,
    deviation,
    drift,
    expectedQueries: width === 1 ? expectedSpmgQueries({ ...wanted, deviation }) : null,
    guaranteedQueries: spmgQueries(wanted),
  }
}
