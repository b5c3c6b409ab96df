import { LatticeSeries } from './lattice-series.ts'
import { logLatticeTail } from './log-lattice-tail.ts'
import { logSeriesTail } from './series-tail.ts'
import { multiply } from './truncated-power.ts'

/** Up to this number of terms the laws of the sums are kept as tables; inverting a transform is slow where few terms leave it wide. */
const MAX_TABLED = 16

/** The series of a law with more masses takes too long to make. */
const MAX_MASSES = 4096

/** Smaller probabilities lose digits in a table of float64, and then vanish. */
export const FAINT = 1e-250

/** P(X >= k) for each k, summed from the small end. */
export function upperSums(law: Float64Array): Float64Array {
  const out = law.slice()
  for (let k = out.length - 2; k >= 0; k--) out[k]! += out[k + 1]!
  return out
}

/**
 * `logLatticeTail` for one law and many calls: tables for sums of few terms, and moments for sums of many, are made once and
 * kept.
 * @example
 * const tail = latticeTails([0.5, 0.5])
 * tail(2, 3) // ln P(Binomial(3, 1/2) >= 2) = -0.6931
 */
export function latticeTails(pmf: ArrayLike<number>): (sum: number, n: number) => number {
  const laws: Float64Array[] = []
  const tables: Float64Array[] = []
  const table = (n: number): Float64Array => {
    for (let k = laws.length; k < n; k++)
      laws.push(k === 0 ? Float64Array.from(pmf) : multiply(laws[k - 1]!, pmf))
    tables[n] ??= upperSums(laws[n - 1]!)
    return tables[n]
  }
  let series: LatticeSeries | undefined
  return (sum, n) => {
    if (n < 1 || !Number.isInteger(sum) || !Number.isInteger(n)) return logLatticeTail(pmf, sum, n)
    if (n > MAX_TABLED) {
      if (pmf.length > MAX_MASSES) return logLatticeTail(pmf, sum, n)
      series ??= new LatticeSeries(pmf)
      return logSeriesTail(series, sum, n) ?? logLatticeTail(pmf, sum, n)
    }
    if (sum <= 0) return 0
    const tail = table(n)[sum] ?? 0
    return tail > FAINT ? Math.min(0, Math.log(tail)) : logLatticeTail(pmf, sum, n)
  }
}
