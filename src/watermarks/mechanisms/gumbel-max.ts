/**
 * The Gumbel-max trick: with one exponential E_i per token, the winner is the token with the smallest E_i / p_i, and
 * P(i wins) = p_i because E_i / p_i is exponential with rate p_i.
 *
 * E_i = -ln(1 - v_i) with v_i uniform: v is fine near 0 (64 bits), so even a token of probability 2^-60 can win.
 * The usual score -ln(1 - u_i), u_i = exp(-E_i), is -ln v_i.
 */
import { active, fewTokens, LOW, scratchWords, toUniform } from '../../core/kernels/index.ts'
import { Expansion, type Random } from '../../core/keys/index.ts'
import type { FastPaths, Weighted } from '../../watermark.ts'

/** One standard exponential per token. */
export interface Exponentials {
  at(token: number): number
  /** The randomness that the exponentials were drawn from: its words bound them from below, which spares most logarithms. */
  readonly random?: Random
}

/** The exponentials of both keys. */
export interface DualExponentials {
  readonly a: Exponentials
  readonly b: Exponentials
}

/** A class because one is made per token of a text: a closure for each would be garbage. */
class Drawn implements Exponentials {
  readonly random: Random

  constructor(random: Random) {
    this.random = random
  }

  at(token: number): number {
    return -Math.log1p(-this.random.uniform(token))
  }
}

export const drawExponentials = (random: Random): Exponentials => new Drawn(random)

/** Asks for each token only where `next(i, least)` does not rule it out: the first token at or after i that may come first. */
function firstToArrive(
  p: Float64Array,
  exponentials: Exponentials,
  next: (i: number, least: number) => number,
): number {
  let best = -1
  let least = Number.POSITIVE_INFINITY
  for (let i = next(0, least); i < p.length; i = next(i + 1, least)) {
    if (p[i]! <= 0) continue
    const time = exponentials.at(i) / p[i]!
    if (time < least || best < 0) {
      least = time
      best = i
    }
  }
  return best
}

/** The token with the smallest E_i / p_i, the first one of equals. */
export function winner(p: Float64Array, exponentials: Exponentials): number {
  const { random } = exponentials
  if (random === undefined) return firstToArrive(p, exponentials, (i) => i)
  const ids = fewTokens(p)
  if (ids !== undefined) {
    let k = 0
    return firstToArrive(p, exponentials, () => ids[k++] ?? p.length)
  }
  const words = random.fill(scratchWords(p.length))
  return firstToArrive(p, exponentials, (i, least) => active(p).nextRunner(p, words, i, least))
}

/** -ln v, at the upper edge of v's cell: rounded towards less evidence. */
export const evidence = (v: number): number => -Math.log(Math.min(1, v + 2 ** -65))

/** Returns the score of a token whose exponential is known. */
export const scoreOf = (exponential: number): number => evidence(-Math.expm1(-exponential))

export function gumbelScore(token: number, exponentials: Exponentials): number {
  const { random } = exponentials
  return random === undefined ? scoreOf(exponentials.at(token)) : evidence(random.uniform(token))
}

/** Scores several tokens: compiled where the exponentials come from a key. */
function scoreMany(tokens: ArrayLike<number>, exponentials: Exponentials, out: Float64Array): void {
  const { random } = exponentials
  if (random instanceof Expansion && tokens instanceof Int32Array) {
    const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = random.keys
    active(tokens).exponentialScores(tokens, k0, k1, k2, k3, out)
  } else for (let i = 0; i < tokens.length; i++) out[i] = gumbelScore(tokens[i]!, exponentials)
}

/** The fast paths of `gumbelScore` under `drawExponentials`. */
export const gumbelFast: FastPaths<Exponentials> = {
  scoreMany,
  words: {
    indices: [-1, 0, -1, LOW],
    score: (high, low) => evidence(toUniform(high, low)),
    compiled: 'evidence',
  },
}

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

/** The parts of a declaration that marks by the Gumbel-max trick with own randomness. */
export const gumbelMax = {
  unbiased: true,
  draw: drawExponentials,
  choose: winner,
  score: gumbelScore,
  fast: gumbelFast,
  orbit: gumbelOrbit,
}
