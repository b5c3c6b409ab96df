/**
 * The law of the number of equal pairs in a text of independent tokens.
 *
 * S counts pairs s < t with x_s = x_t: over all pairs it is `sum_a C(n_a, 2)` in the counts n_a of the tokens; at one distance
 * d it is the number of t with `x_t = x_(t+d)`. If texts are the model's, `exp(theta S) / M(theta)` with `M = E exp(theta S)`
 * has mean 1: a fair bet on more equal pairs (theta > 0) or fewer (theta < 0). Both M are computed, none is sampled.
 */
import { logFactorials } from '../../../core/stats/index.ts'
import { outOfRange } from '../../../input.ts'

/** `sum_a p_a^power`: the chance that `power` independent tokens are all equal. */
export const coincidence = (p: Float64Array, power = 2): number =>
  p.reduce((sum, mass) => sum + mass ** power, 0)

/** The number of pairs that n positions have. */
export const pairsOf = (n: number): number => (n * (n - 1)) / 2

/** Standard deviation of the number of equal pairs: pairs that share a position are correlated where p is not uniform. */
export function deviationOfPairs(p: Float64Array, n: number): number {
  const two = coincidence(p)
  const overlapping = n * (n - 1) * (n - 2) * Math.max(0, coincidence(p, 3) - two * two)
  return Math.sqrt(pairsOf(n) * two * (1 - two) + overlapping)
}

/** The fewest equal pairs that n tokens over `symbols` symbols can have: counts as even as they come. */
export function fewestPairs(symbols: number, n: number): number {
  const each = Math.floor(n / symbols)
  const more = n - each * symbols
  return more * pairsOf(each + 1) + (symbols - more) * pairsOf(each)
}

/** Moments of texts of 0, 1, ..., n tokens over some of the symbols, and the mass of those. */
interface Moments {
  readonly mass: number
  readonly at: Float64Array
}

/** Splits the tokens of a text over two sets of symbols: `M_m = sum_k P(Bin(m, a / (a + b)) = k) A_k B_(m-k)`. */
function joined(a: Moments, b: Moments): Moments {
  const logFactorial = logFactorials(a.at.length - 1)
  const odds = a.mass / b.mass
  const logRate = Math.log(a.mass / (a.mass + b.mass))
  const logRest = Math.log(b.mass / (a.mass + b.mass))
  const at = a.at.map((_, m) => {
    // from the mode outwards: what underflows is negligible
    const mode = Math.floor((m * a.mass) / (a.mass + b.mass))
    const logChoose = logFactorial[m]! - logFactorial[mode]! - logFactorial[m - mode]!
    const top = Math.exp(logChoose + mode * logRate + (m - mode) * logRest)
    let sum = 0
    for (let k = mode, chance = top; k <= m && chance > 0; k++) {
      sum += chance * a.at[k]! * b.at[m - k]!
      chance *= ((m - k) / (k + 1)) * odds
    }
    for (let k = mode, chance = top; k > 0 && chance > 0; ) {
      chance *= k / ((m - k + 1) * odds)
      k--
      sum += chance * a.at[k]! * b.at[m - k]!
    }
    return sum
  })
  return { mass: a.mass + b.mass, at }
}

/**
 * ln E exp(theta S) over all pairs: counts are multinomial, so texts over one symbol more are split binomially between it and
 * the others, and over one symbol alone `M_k = exp(theta C(k, 2))`.
 *
 * @example Math.exp(logMomentOfPairs(Float64Array.of(0.5, 0.5), 2, 1)) // (1 + e) / 2
 */
export function logMomentOfPairs(p: Float64Array, n: number, theta: number): number {
  const alone = Float64Array.from({ length: n + 1 }, (_, k) => Math.exp(theta * pairsOf(k)))
  // symbols of equal mass are joined in pairs, pairs of pairs, ...
  const parts: Moments[] = []
  for (const mass of [...p].filter((x) => x > 0).sort((x, y) => x - y)) {
    let part: Moments = { mass, at: alone }
    while (parts.at(-1)?.mass === part.mass) part = joined(parts.pop()!, part)
    parts.push(part)
  }
  const log = Math.log(parts.reduce(joined).at[n]!)
  if (!Number.isFinite(log)) throw outOfRange('theta', 'a bet whose moment float64 can hold', theta)
  return log
}

/**
 * ln E exp(theta S) over the pairs at one distance of a text of n tokens. Positions with the same remainder modulo d make a chain
 * of independent tokens, and along a chain of l tokens `E exp(theta S) = p' T^(l-1) 1` with `T_ab = p_b exp(theta [a = b])`.
 * @param chains the moments of `chainMoments`
 * @example Math.exp(logMomentAtDistance(chainMoments(Float64Array.of(0.5, 0.5), 3, 1), 3, 1)) // ((1 + e) / 2)^2
 */
export function logMomentAtDistance(chains: Float64Array, n: number, distance: number): number {
  const longest = Math.ceil(n / distance)
  const longer = n - (longest - 1) * distance
  return longer * chains[longest]! + (distance - longer) * chains[longest - 1]!
}

/** ln E exp(theta S) along chains of 0, 1, ... tokens. */
export function chainMoments(p: Float64Array, longest: number, theta: number): Float64Array {
  const out = new Float64Array(longest + 1)
  const gain = Math.expm1(theta)
  // v_a = what the rest of the chain is worth after token a; (T v)_a = <p, v> + p_a (e^theta - 1) v_a
  let v = new Float64Array(p.length).fill(1)
  let scale = 0
  for (let l = 2; l <= longest; l++) {
    const mean = v.reduce((sum, x, a) => sum + p[a]! * x, 0)
    v = v.map((x, a) => (mean + p[a]! * gain * x) / mean)
    scale += Math.log(mean)
    out[l] = scale + Math.log(v.reduce((sum, x, a) => sum + p[a]! * x, 0))
  }
  return out
}
