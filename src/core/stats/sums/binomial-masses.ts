import { logBinomialDensity } from '../loader.ts'

/**
 * P(Binomial(n, p) = k) for all k, q = 1 - p: from the mode outwards by ratios, so that nothing cancels and nothing vanishes
 * before its time.
 * @example binomialMasses(2, 0.5, 0.5) // [1/4, 1/2, 1/4]
 */
export function binomialMasses(n: number, p: number, q: number): Float64Array {
  const out = new Float64Array(n + 1)
  const mode = Math.min(n, Math.floor((n + 1) * p))
  out[mode] = Math.exp(
    mode === 0
      ? n * Math.log1p(-p)
      : mode === n
        ? n * Math.log1p(-q)
        : logBinomialDensity(mode, n - mode, p, q),
  )
  for (let k = mode; k < n; k++) out[k + 1] = ((out[k]! * (n - k)) / (k + 1)) * (p / q)
  for (let k = mode; k > 0; k--) out[k - 1] = ((out[k]! * k) / (n - k + 1)) * (q / p)
  return out
}
