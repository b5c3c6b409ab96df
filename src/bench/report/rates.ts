/**
 * Detection rates from the log p-values of texts. A text is detected at rate a where p <= a, exactly as `detect` decides. There is
 * no tolerance: P(p <= a) <= a is what a guaranteed test promises, and a tolerance would test at a larger rate. A p-value that
 * equals a level, such as 2 / (1 + runs), is computed to equal it.
 */
import { auroc } from '../../core/stats/index.ts'
import type { Value } from './report.ts'
import { estimate, medianValue, proportion } from './values.ts'

/** Guaranteed false-positive rates, with the paper's names. */
export const levels = [
  { rate: 0.05, label: '5%', id: '5' },
  { rate: 0.01, label: '1%', id: '1' },
  { rate: 0.001, label: '0.1%', id: '01' },
] as const

/** Log p-values of texts. */
type LogP = ArrayLike<number>

/** The paper's figure of a column of its table 3. */
type Paper = (column: string) => number | undefined

/** Returns a p-value for display and medians: below 1e-300 they are all the same. */
export const pValue = (logP: number): number => Math.exp(Math.max(logP, -690))

/** Counts texts with p <= rate. */
export function hits(logP: LogP, rate: number): number {
  const most = Math.log(rate)
  let count = 0
  for (let i = 0; i < logP.length; i++) if (logP[i]! <= most) count++
  return count
}

/** The share of texts with p <= rate. */
export const share = (logP: LogP, rate: number): number => hits(logP, rate) / logP.length

/** The same with its interval; null without texts. */
export const rateAt = (logP: LogP, rate: number, paper?: number): Value | null =>
  logP.length === 0 ? null : proportion(hits(logP, rate), logP.length, { paper })

/** The area under the ROC curve of -ln p. */
export const area = (marked: LogP, plain: LogP) =>
  auroc(
    Float64Array.from(marked, (x) => -x),
    Float64Array.from(plain, (x) => -x),
  )

interface Rates {
  /** At each of the {@link levels}. */
  readonly tpr: readonly (Value | null)[]
  readonly fpr: readonly (Value | null)[]
  /** Null without texts of both kinds. */
  readonly auroc: Value | null
}

/** TPR, FPR and AUROC, with intervals, of watermarked texts and of unwatermarked ones under the same keys. */
export function rates(marked: LogP, plain: LogP, paper: Paper = () => undefined): Rates {
  return {
    tpr: levels.map(({ rate, label }) => rateAt(marked, rate, paper(`TPR at ${label}`))),
    fpr: levels.map(({ rate }) => rateAt(plain, rate)),
    auroc: marked.length > 0 && plain.length > 0 ? areaValue(marked, plain, paper('AUROC')) : null,
  }
}

/** Separated texts have a standard error of 0, which no rerun could be compared with: it is at least one text's share. */
function areaValue(marked: LogP, plain: LogP, paper?: number): Value {
  const n = marked.length + plain.length
  const { auroc: value, standardError, low, high } = area(marked, plain)
  return estimate(value, Math.max(standardError, 1 / n), n, { low, high, paper })
}

/** The median p-value of watermarked texts. */
export const medianP = (marked: LogP, paper?: number): Value =>
  medianValue(Array.from(marked, pValue), [0, 1], { paper })
