/**
 * The expected score of one watermarked token as a function of the next-token distribution p, in closed form or as a finite
 * sum. What makes a watermark visible: the distance from the null mean. With C = sum p^2, the collision probability:
 *
 *   sta1      gamma + gamma (1 - gamma)(1 - C)
 *   synthid   1/2 + (1 - C_l)/4 summed over layers, C_l the expected collision probability before layer l:
 *             C_1 = C, C_2 = C + (C - 2 sum p^3 + C^2)/4
 *   gumbel    sum p H(1/p), H the harmonic number: -ln(1 - e^(-pM)) averaged over M ~ Exp(1)
 *   christ    (number of free bits) + entropy in nats
 *   kgw       E e^d G / (1 + (e^d - 1) G), G the mass of a random green set
 *   mcmark    E min(1, l G), G the mass of one channel
 *   dipmark   sum over tokens and over which others come before them; see below
 */
import { integer, number, outOfRange } from '../input.ts'
import { sta1GreenChance } from '../watermarks/index.ts'
import * as gumbelLaw from '../watermarks/mechanisms/index.ts'
import { type Distribution, probabilities } from './checked.ts'

/**
 * Computes P(score of a watermarked token >= s) for gumbel, in closed form.
 * @example gumbelScoreTail([0.5, 0.5], 1) // 0.6004; without a watermark it is 0.3679
 */
export const gumbelScoreTail = (p: Distribution, s: number): number =>
  gumbelLaw.gumbelScoreTail(probabilities('p', p), number('s', s, 0, Number.POSITIVE_INFINITY))

const powerSum = (p: Distribution, power: number): number => {
  let sum = 0
  for (let i = 0; i < p.length; i++) sum += p[i]! ** power
  return sum
}

/**
 * Returns the Shannon entropy in nats.
 * @example entropy([0.5, 0.5]) // ln 2 = 0.6931
 */
export const entropy = (p: Distribution): number =>
  probabilities('p', p).reduce((sum, mass) => sum - (mass > 0 ? mass * Math.log(mass) : 0), 0)

/** Larger vocabularies have too many subsets to list. */
const MAX_TOKENS = 20

/** Returns a distribution over so few tokens that their subsets can be listed. */
function listable(p: Distribution): Float64Array {
  const masses = probabilities('p', p)
  if (masses.length > MAX_TOKENS)
    throw outOfRange('p', `at most ${MAX_TOKENS} tokens, to list their subsets`, p)
  return masses
}

/** Computes E f(G) for G the mass of a random set in which each token is with probability `rate`. */
function overSubsets(given: Distribution, rate: number, f: (mass: number) => number): number {
  const p = listable(given)
  const walk = (i: number, mass: number, weight: number): number =>
    i === p.length
      ? weight * f(mass)
      : walk(i + 1, mass + p[i]!, weight * rate) + walk(i + 1, mass, weight * (1 - rate))
  return walk(0, 0, 1)
}

/**
 * Computes the score of DiPmark: token x gains F(s + p_x) - F(s), s the mass of the tokens before it, F(s) = (s - a)^+ + (s - (1 - a))^+, and
 * scores where its own word u is in the upper half. Given u, each other token comes before it with probability u, so
 * a set of k of the other V - 1 has the weight: integral over u in (1/2, 1) of u^k (1 - u)^(V-1-k).
 */
function dipmarkScore(given: Distribution, alpha: number): number {
  const p = listable(given)
  number('alpha', alpha, 0, 0.5)
  const F = (s: number): number => Math.max(0, s - alpha) + Math.max(0, s - (1 - alpha))
  const V = p.length
  // 1 / (V C(V-1, k)) times P(Binomial(V, 1/2) <= k)
  const weight: number[] = []
  let [choose, chooseV, below] = [1, 1, 0]
  for (let k = 0; k < V; k++) {
    below += chooseV / 2 ** V
    weight.push(below / (V * choose))
    choose = (choose * (V - 1 - k)) / (k + 1)
    chooseV = (chooseV * (V - k)) / (k + 1)
  }
  let total = 0
  for (let x = 0; x < V; x++) {
    const walk = (i: number, mass: number, size: number): number => {
      if (i === V) return weight[size]! * (F(mass + p[x]!) - F(mass))
      if (i === x) return walk(i + 1, mass, size)
      return walk(i + 1, mass + p[i]!, size + 1) + walk(i + 1, mass, size)
    }
    total += walk(0, 0, 0)
  }
  return total
}

function synthidScore(given: Distribution, layers: number): number {
  const p = probabilities('p', given)
  integer('layers', layers, 1, 2)
  const c = powerSum(p, 2)
  const next = c + (c - 2 * powerSum(p, 3) + c * c) / 4
  return [c, next].slice(0, layers).reduce((sum, collision) => sum + 1 / 2 + (1 - collision) / 4, 0)
}

/** Bits of a token's binary code that are not forced: those at which both halves hold ids. */
function freeBits(token: number, vocabSize: number): number {
  let [low, span, free] = [0, 2 ** Math.ceil(Math.log2(vocabSize)), 0]
  while (span > 1) {
    span /= 2
    if (low + span < vocabSize) free++
    if (token >= low + span) low += span
  }
  return free
}

/**
 * Expected score of one watermarked token, by method.
 *
 * @example expectedScores.gumbel([0.5, 0.5]) // H(2) = 1.5; without a watermark it is 1
 * @example expectedScores.sta1([0.5, 0.5]) // 0.625; without a watermark it is 0.5
 */
export const expectedScores = {
  sta1: (p: Distribution, gamma = 1 / 2): number =>
    sta1GreenChance(probabilities('p', p), number('gamma', gamma, 0, 1)),
  /** One or two layers. */
  synthid: synthidScore,
  gumbel: (p: Distribution): number => gumbelLaw.gumbelScoreMean(probabilities('p', p)),
  christ(p: Distribution): number {
    const masses = probabilities('p', p)
    return masses.reduce((bits, mass, i) => bits + mass * freeBits(i, masses.length), entropy(p))
  },
  /** Of KGW and Unigram. */
  tilt(p: Distribution, delta: number, gamma = 1 / 2): number {
    const boost = Math.exp(number('delta', delta, 0, 100))
    return overSubsets(
      p,
      number('gamma', gamma, 0, 1),
      (green) => (boost * green) / (1 + (boost - 1) * green),
    )
  },
  mcmark: (p: Distribution, channels: number): number =>
    overSubsets(p, 1 / integer('channels', channels, 2), (mass) => Math.min(1, channels * mass)),
  dipmark: dipmarkScore,
} as const
