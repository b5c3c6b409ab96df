/**
 * Are whole texts what they should be? In a model of independent tokens with distribution p, texts that are unbiased have
 * `P(x_s = x_t) = sum p^2` for every pair of positions. A code that is used twice raises it (E q(a)^2 >= p(a)^2), a code and its
 * complement lower it. Four families of bets, each text under a key of its own:
 *
 * - on the number of equal pairs among all pairs: what is promised rests on it;
 * - on that number at each distance: lists that are read again, positions that count modulo something;
 * - on tokens that follow the same k tokens: contexts that come back (see `context-bets.ts`);
 * - on marked positions, and contexts that share a code (see `marked-bets.ts`).
 *
 * Every bet has mean 1 per text if texts are the model's, so its wealth over independent keys is a nonnegative martingale, and
 * so is the mean over all bets. It ever reaches 1/a with probability at most a (Ville).
 */
import { logSumExp } from '../../../core/stats/index.ts'
import { contextBets } from './context-bets.ts'
import { markedBets } from './marked-bets.ts'
import {
  chainMoments,
  coincidence,
  deviationOfPairs,
  fewestPairs,
  logMomentAtDistance,
  logMomentOfPairs,
  pairsOf,
} from './pair-moments.ts'
import type { PairBet } from './pair-power.ts'

/** Bets over all pairs, in units of one over the deviation of their number. */
const SCALES = [0.1, 0.4, -0.5, -2] as const
/** Bets at one distance. */
const THETAS = [0.05, 0.3, 1.5, -0.05, -0.3, -1.5] as const
/** Families that share the stake. */
const FAMILIES = 4

/** Bets on texts of `length` tokens from p. */
export interface PairDesign {
  readonly p: Float64Array
  readonly length: number
  /** Bets over all pairs; none where texts are too long for their moments. */
  readonly all: readonly PairBet[]
  readonly distances: readonly number[]
  /** Bets at each distance. */
  readonly apart: readonly (readonly PairBet[])[]
}

/** The moments over all pairs of longer texts are beyond float64. */
const MAX_LENGTH_OF_ALL = 400
/** Distances that are always looked at. */
const MAX_DISTANCE = 400

/** The bets for texts of `length` tokens, and what they cost. */
export function pairDesign(p: Float64Array, length: number, distances: readonly number[] = []): PairDesign {
  const symbols = p.reduce((count, mass) => count + (mass > 0 ? 1 : 0), 0)
  const deviation = deviationOfPairs(p, length)
  const scales = length > MAX_LENGTH_OF_ALL || !(deviation > 0) ? [] : SCALES
  const all = scales.map((scale): PairBet => {
    const theta = scale / deviation
    const logMoment = logMomentOfPairs(p, length, theta)
    return { theta, logMoment, least: fewestPairs(symbols, length), most: pairsOf(length) }
  })
  const near = Array.from({ length: Math.min(length - 1, MAX_DISTANCE) }, (_, i) => i + 1)
  const looked = [...near, ...distances.filter((d) => d > near.length && d < length)]
  const chains = THETAS.map((theta) => chainMoments(p, length, theta))
  const apart = looked.map((d) =>
    THETAS.map((theta, i): PairBet => {
      const logMoment = logMomentAtDistance(chains[i]!, length, d)
      return { theta, logMoment, least: 0, most: length - d }
    }),
  )
  return { p, length, all, distances: looked, apart }
}

const starting = (bets: number): number => Math.log(FAMILIES * bets)

/** By which factor, in nats, one bet over all pairs must grow until the wealth reaches 1/level. */
export const natsOverAll = (design: PairDesign, level: number): number =>
  starting(design.all.length) - Math.log(level)

/** The same for a bet at one distance. */
export const natsAtDistance = (design: PairDesign, level: number): number =>
  starting(design.distances.length * THETAS.length) - Math.log(level)

export interface PairTest {
  readonly texts: number
  /** Takes a text under a key of its own, and the context of each of its positions, undefined where it was not marked. */
  add(text: Uint8Array, contexts?: readonly (string | undefined)[]): void
  /** ln of the wealth: ever reaches ln(1/a) with probability at most a if texts are the model's. */
  logWealth(): number
  /** Returns whether the wealth is at least e^nats; cheap while it is far below. */
  reached(nats: number): boolean
  /** Mean share of equal pairs among all pairs, minus `sum p^2`. */
  readonly excess: number
  /** Says in words what the largest bet has found. */
  finding(): string
}

/** Counts equal pairs at each distance up to `most`: from each position back to earlier ones with the same token, no others. */
function pairsByDistance(vocabSize: number, length: number, most: number): (text: Uint8Array) => Uint32Array {
  const pairs = new Uint32Array(most + 1)
  /** The last position of each token, and of each position the one before it with the same token, or -1. */
  const last = new Int32Array(vocabSize)
  const before = new Int32Array(length)
  return (text) => {
    pairs.fill(0)
    last.fill(-1)
    for (let t = 0; t < length; t++) {
      const token = text[t]!
      before[t] = last[token]!
      last[token] = t
      for (let s = before[t]!; s >= 0 && t - s <= most; s = before[s]!) pairs[t - s]!++
    }
    return pairs
  }
}

function pairsAtDistance(text: Uint8Array, length: number, d: number): number {
  let pairs = 0
  for (let t = d; t < length; t++) if (text[t] === text[t - d]) pairs++
  return pairs
}

/** Starts the bets of a design. */
export function pairTest(design: PairDesign): PairTest {
  const { p, length, all, distances, apart } = design
  const share = coincidence(p)
  const overAll = new Float64Array(all.length)
  const atDistance = new Float64Array(distances.length * THETAS.length)
  const following = contextBets(p)
  const marks = markedBets(p)
  const equalAt = new Float64Array(distances.length)
  const counts = new Float64Array(p.length)
  const pairsNear = pairsByDistance(p.length, length, MAX_DISTANCE)
  let equal = 0
  let texts = 0
  const families = [overAll, atDistance, following.logs, marks.logs]
  const logWealth = (): number =>
    logSumExp(
      families.filter((logs) => logs.length > 0).map((logs) => logSumExp(logs) - starting(logs.length)),
    )

  const betOverAll = (text: Uint8Array): void => {
    counts.fill(0)
    for (let t = 0; t < length; t++) counts[text[t]!]!++
    const pairs = counts.reduce((sum, n) => sum + pairsOf(n), 0)
    equal += pairs / pairsOf(length)
    for (let i = 0; i < all.length; i++) overAll[i]! += all[i]!.theta * pairs - all[i]!.logMoment
  }
  const betAtDistances = (text: Uint8Array): void => {
    const near = pairsNear(text)
    for (let i = 0; i < distances.length; i++) {
      const d = distances[i]!
      const pairs = d <= MAX_DISTANCE ? near[d]! : pairsAtDistance(text, length, d)
      equalAt[i]! += pairs
      const bets = apart[i]!
      for (let j = 0; j < bets.length; j++)
        atDistance[i * bets.length + j]! += bets[j]!.theta * pairs - bets[j]!.logMoment
    }
  }
  const best = (logs: Float64Array): number => logs.reduce((top, log, i) => (log > logs[top]! ? i : top), 0)

  return {
    get texts() {
      return texts
    },
    get excess() {
      return texts === 0 ? 0 : equal / texts - share
    },
    add(text, contexts = []) {
      texts++
      betOverAll(text)
      betAtDistances(text)
      following.add(text)
      marks.add(text, contexts)
    },
    logWealth,
    // the mean of the bets is at most the largest of them
    reached: (nats) => families.some((logs) => logs.some((log) => log >= nats)) && logWealth() >= nats,
    finding() {
      const tops = families.map((logs) =>
        logs.length === 0 ? Number.NEGATIVE_INFINITY : logs[best(logs)]! - starting(logs.length),
      )
      const family = tops.indexOf(Math.max(...tops))
      const instead = (seen: number): string => `${seen.toPrecision(3)}, not ${share.toPrecision(3)}`
      if (family === 0) return `two positions of a text are equal with probability ${instead(equal / texts)}`
      if (family === 2) {
        const { k, share: seen } = following.about(best(following.logs))
        const before = k === 1 ? 'the same token' : `the same ${k} tokens`
        return `tokens that follow ${before} are equal with probability ${instead(seen)}`
      }
      if (family === 3) {
        const { subject, share: seen } = marks.about(best(marks.logs))
        return `${subject} are equal with probability ${instead(seen)}`
      }
      const at = Math.floor(best(atDistance) / THETAS.length)
      const seen = equalAt[at]! / (texts * (length - distances[at]!))
      return `positions ${distances[at]} apart are equal with probability ${instead(seen)}`
    },
  }
}
