/**
 * The Gumbel-max trick: with one exponential E_i per token, the winner is the token with the smallest E_i / p_i, and
 * P(i wins) = p_i because E_i / p_i is exponential with rate p_i.
 *
 * E_i = -ln(1 - v_i) with v_i uniform: v is fine near 0 (64 bits), so even a token of probability 2^-60 can win.
 * The usual score -ln(1 - u_i), u_i = exp(-E_i), is -ln v_i.
 */
import type { Random } from '../keys/random.ts'
import type { Weighted } from '../watermark.ts'

/** One standard exponential per token. */
export interface Exponentials {
  at(token: number): number
}

export const drawExponentials = (random: Random): Exponentials => ({
  at: (i) => -Math.log1p(-random.uniform(i)),
})

export function winner(p: Float64Array, exponentials: Exponentials): number {
  let best = -1
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < p.length; i++) {
    if (p[i]! <= 0) continue
    const time = exponentials.at(i) / p[i]!
    if (time < least || best < 0) {
      least = time
      best = i
    }
  }
  return best
}

/** -ln v, at the upper edge of v's cell: rounded towards less evidence. */
export const gumbelScore = (token: number, exponentials: Exponentials): number =>
  -Math.log(Math.min(1, -Math.expm1(-exponentials.at(token)) + 2 ** -65))

/**
 * The codes in which each token wins, given the winning time M and how much later every other token comes (X_j): given
 * those, token i wins with probability p_i.
 */
export function gumbelOrbit(exponentials: Exponentials, p: Float64Array): Weighted<Exponentials>[] {
  const w = winner(p, exponentials)
  const time = exponentials.at(w) / p[w]!
  const later = Float64Array.from(p, (mass, j) => exponentials.at(j) - mass * time)
  const support = [...p.keys()].filter((i) => p[i]! > 0)
  return support.map((i) => ({
    weight: p[i]!,
    code: { at: (j) => p[j]! * time + (j === i ? 0 : later[j === w ? i : j]!) },
  }))
}
