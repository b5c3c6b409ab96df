/**
 * Couplings of tokens with uniform side information that hold their marginals exactly. A kernel k gives each value s of the side information a distribution over tokens; its mean over s, m, is near p but
 * not p. As in Altschuler, Weed and Rigollet (2017) what is too much of a token is cut off, and the mass that is then missing at s is filled up in proportion to what is missing of tokens:
 *
 *   q_s(x) = k_s(x) c(x) + d_s e(x) / E,   c = min(1, p / m),   e = p - m c,   d_s = 1 - sum_x k_s(x) c(x),   E = sum e
 *
 * The mean over s is m c + e = p, and each q_s sums to 1, whatever the kernel.
 */

/** The side information of a position. */
export interface Side {
  readonly s: number
}

/** The parts of the formula that do not depend on s. */
export interface Rounding {
  readonly kept: Float64Array
  readonly missing: Float64Array
  readonly total: number
}

/** Less missing mass than this is rounding. */
const NOTHING = 1e-15

/** Returns what is kept and what is missing of each token, for the means of a kernel over s. */
export function roundingOf(p: Float64Array, means: Float64Array): Rounding {
  const kept = p.map((mass, i) => (means[i]! > mass ? mass / means[i]! : 1))
  const missing = p.map((mass, i) => Math.max(0, mass - means[i]! * kept[i]!))
  return { kept, missing, total: missing.reduce((sum, mass) => sum + mass, 0) }
}

/** Makes q_s of k_s, which is in q. */
export function roundOff(q: Float64Array, { kept, missing, total }: Rounding): void {
  let sum = 0
  for (let i = 0; i < q.length; i++) sum += q[i]! *= kept[i]!
  const share = total > NOTHING ? Math.max(0, 1 - sum) / total : 0
  for (let i = 0; i < q.length; i++) q[i]! += share * missing[i]!
}

/** Returns whether two lists hold the same numbers. */
export const sameNumbers = (a: ArrayLike<number>, b: ArrayLike<number>): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
