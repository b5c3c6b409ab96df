/**
 * Theorem 2 applied to the paper's own table 2 (10 prompts, 1000 generations): which DetWmk are beyond chance.
 * Only metrics with a range can be tested: ROUGE-1 in [0, 1] and BLEU in [0, 100], so A is 1/2 and 50.
 * Perplexity has no bound, a rescaled BERTScore no useful one.
 */
import { spmgThreshold } from '../../../theory/index.ts'
import { type Method, methods } from '../methods.ts'
import { rowFor } from '../table.ts'
import type { Tables } from '../tables/index.ts'

const bounded = { 'summarization ROUGE-1': 0.5, 'translation BLEU': 50 } as const
type BoundedMetric = keyof typeof bounded

interface DriftCell {
  readonly method: Method
  readonly metric: BoundedMetric
  /** gap(M, T) - gap(M, M'): the method's figure minus the figure of "No watermark". */
  readonly detWmk: number
  readonly beyondTheorem: boolean
  readonly beyondSharp: boolean
}

export interface DriftAudit {
  readonly alpha: number
  readonly thresholds: Readonly<Record<BoundedMetric, { theorem: number; sharp: number; printed: number }>>
  readonly cells: readonly DriftCell[]
}

/** DetWmk of every method on the two bounded metrics, against the thresholds at level alpha. */
export function auditDrift({ repeated }: Tables, alpha = 0.05): DriftAudit {
  const metrics = Object.keys(bounded) as BoundedMetric[]
  const threshold = (metric: BoundedMetric, form: 'theorem' | 'sharp' | 'printed'): number =>
    spmgThreshold({ generations: 1000, prompts: 10, bound: bounded[metric], alpha, form })
  const thresholds = Object.fromEntries(
    metrics.map((metric) => [
      metric,
      {
        theorem: threshold(metric, 'theorem'),
        sharp: threshold(metric, 'sharp'),
        printed: threshold(metric, 'printed'),
      },
    ]),
  ) as DriftAudit['thresholds']
  const cells = metrics.flatMap((metric) =>
    methods.map((method): DriftCell => {
      const detWmk =
        rowFor(repeated, method).figures[metric].value - rowFor(repeated, 'none').figures[metric].value
      const { theorem, sharp } = thresholds[metric]
      return { method, metric, detWmk, beyondTheorem: detWmk >= theorem, beyondSharp: detWmk >= sharp }
    }),
  )
  return { alpha, thresholds, cells }
}
