/**
 * A median p-value and a TPR above one half bind each other: if more than half the texts have p <= FPR, the
 * median is at most the FPR, and if fewer have, it is above. Averaging TPR over corpora of equal size pools them,
 * so the argument holds for the pooled texts.
 */
import { type Method, methods } from '../methods.ts'
import { rowFor } from '../table.ts'
import type { Tables } from '../tables/index.ts'
import { auditScore } from './scores.ts'

export interface MedianCell {
  readonly method: Method
  /** The interval (above, atMost] of the median of the pooled p-values, by the three TPRs. */
  readonly above: number
  readonly atMost: number
  readonly printed: number
  readonly printedFits: boolean
  /** The median that the printed detectability score asks for. */
  readonly implied: number
  readonly impliedFits: boolean
}

/** Bounds on the median of every method. */
export const auditMedians = (tables: Tables): MedianCell[] =>
  methods.map((method) => {
    const { figures } = rowFor(tables.detection, method)
    const rates = [
      { fpr: 0.001, tpr: figures['TPR at 0.1%'].value },
      { fpr: 0.01, tpr: figures['TPR at 1%'].value },
      { fpr: 0.05, tpr: figures['TPR at 5%'].value },
    ]
    const atMost = rates.find(({ tpr }) => tpr > 0.5)?.fpr ?? 1
    const above = rates.findLast(({ tpr }) => tpr < 0.5)?.fpr ?? 0
    const { value: printed, halfUnit } = figures['median p-value']
    const implied = auditScore(method, 'detectability', tables).medianP!.implied
    return {
      method,
      above,
      atMost,
      printed,
      printedFits: printed - halfUnit <= atMost && printed + halfUnit > above,
      implied,
      impliedFits: implied <= atMost && implied > above,
    }
  })
