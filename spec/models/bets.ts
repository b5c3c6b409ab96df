/**
 * Bets against "the next token follows p". A bet multiplies the capital by r(x) when token x comes, with E_p[r(x)] <= 1: if
 * tokens follow p whatever came before, capital is a supermartingale and P(it ever reaches 1/a) <= a (Ville's inequality).
 * No approximation, no independence of positions, no variance to estimate. Both signs of a bet are placed and averaged.
 */

import { cutoff } from '../../src/text/decode/cutoff.ts'

/** ln((e^a + e^b) / 2). */
const logMean = (a: number, b: number): number =>
  Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b))) - Math.LN2

export interface Bet {
  /** ln of the capital, from 0. */
  log(): number
  /** Token `token` came where p was the model's distribution. */
  play(p: Float64Array, token: number): void
}

/** Probabilities below this are counted as if they were this large, which makes a bet a little worse, never unfair. */
const TINY = 1e-9

/** r(x) = p(x)^l / sum p^(1+l): wins where tokens are more likely (l > 0) or less likely (l < 0) than p says. */
export function likelihoodBet(l: number): Bet {
  let up = 0
  let down = 0
  return {
    log: () => logMean(up, down),
    play(p, token) {
      let plus = 0
      let minus = 0
      let rest = 0
      for (let i = 0; i < p.length; i++) {
        const mass = p[i]!
        if (mass < TINY) {
          rest++
          continue
        }
        const power = Math.exp(l * Math.log(mass))
        plus += mass * power
        minus += mass / power
      }
      const log = Math.log(Math.max(p[token]!, TINY))
      up += l * log - Math.log(plus + rest * TINY ** (1 - l))
      down -= l * log + Math.log(minus + rest * TINY ** (1 - l))
    },
  }
}

/**
 * r(x) = e^(l m [x is the most likely token]), normalised, m being that token's mass: wins where the favourite comes more or
 * less often than p says. The stake grows with m because a bias that treats tokens alike shows in large masses.
 */
export function favouriteBet(l: number): Bet {
  let up = 0
  let down = 0
  return {
    log: () => logMean(up, down),
    play(p, token) {
      let top = 0
      for (let i = 1; i < p.length; i++) if (p[i]! > p[top]!) top = i
      const mass = p[top]!
      const hit = token === top ? l * mass : 0
      up += hit - Math.log1p(mass * Math.expm1(l * mass))
      down -= hit + Math.log1p(mass * Math.expm1(-l * mass))
    },
  }
}

/** r(x) = e^(l [x is among the k most likely tokens]), normalised: wins where tokens from the tail come too rarely or too often. */
export function headBet(l: number, k: number): Bet {
  let up = 0
  let down = 0
  return {
    log: () => logMean(up, down),
    play(p, token) {
      const limit = cutoff(p.slice(), k, () => 1)
      const mass = p.reduce((sum, x) => (x >= limit ? sum + x : sum), 0)
      const hit = p[token]! >= limit ? l : 0
      up += hit - Math.log1p(mass * Math.expm1(l))
      down -= hit + Math.log1p(mass * Math.expm1(-l))
    },
  }
}
