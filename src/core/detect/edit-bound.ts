/**
 * A guaranteed p-value for texts that follow the key list with insertions and deletions: no permutations needed, so it reaches far below 1 / runs.
 *
 * A gambler who does not know where the text was edited divides a stake of 1 among all ways to read it. A way pairs some tokens with entries of the list, in order and no entry twice, and
 * multiplies its stake by b(score) for each pair, where E b <= 1 under the null, whatever the token. Entries are independent, so the mean of the product is the product of the means: at most 1.
 * The stakes sum to 1, hence the mean of the total is at most 1, whatever tokens the text repeats and however the ways depend on each other, and by Markov's inequality
 * it reaches 1/a with probability at most a.
 *
 * The stakes are those of a Markov chain, so that one pass over tokens and entries adds up all ways (the forward algorithm). After a token that was paired with an entry the next token is
 * paired with the next entry; with probability e/2 it is after 1, 2, 3 ... left-out entries (half as likely each), and with e/2 it is an insertion, and goes on being one with probability 1/2. A way begins at the first token
 * with probability 1/2, else at any other, each entry alike, and ends with probability 1/N per token or where it has come round the list.
 */
import type { NullLaw } from '../../watermark.ts'
import { logMeanExp, tiltOf } from './e-process.ts'

/** Rates of edits: few and many. */
const RATES = [1 / 64, 1 / 6]

/** Bets: what each gains per pair, in nats, where scores are as it expects. */
const GROWTHS = [0.1, 0.4, 1.2, 3]

/** The part of a stake that is not bet on a pair: a replaced token loses no more than the rest. */
const HELD = 1 / 8

/** Ways that begin within one part of the list share a pass, which ends where that part comes round: at most 1/8 of the list is lost. */
const PARTS = 8

/** Stakes are scaled down beyond this. */
const LARGEST = 2 ** 300

/** All ways that begin in one part of the list, after some tokens of the text. */
export class Ways {
  readonly #first: number
  readonly #starts: number
  readonly #rate: number
  /** Stakes on ways whose last pair is with the i-th entry: the last token is that pair's, or it is an insertion. */
  #paired: Float64Array
  #next: Float64Array
  readonly #inserted: Float64Array
  #ended = 0
  #logScale = 0

  /** Ways that begin with one of `starts` entries from `first` on, in a list of `keyLength`. */
  constructor(keyLength: number, first: number, starts: number, rate: number) {
    this.#first = first
    this.#starts = starts
    this.#rate = rate
    this.#paired = new Float64Array(keyLength)
    this.#next = new Float64Array(keyLength)
    this.#inserted = new Float64Array(keyLength)
  }

  /** Reads a token: what a pair with each entry multiplies a stake by, the stake on ways that begin here with a given entry, and the chance to end. */
  add(factors: Float64Array, begin: number, end: number): void {
    const [paired, next, inserted] = [this.#paired, this.#next, this.#inserted]
    const keyLength = paired.length
    const on = 1 - end
    const stake = begin * Math.exp(-this.#logScale)
    const [straight, turn] = [on * (1 - this.#rate), (on * this.#rate) / 2]
    let [left, total, before, earlier, insertedBefore] = [0, 0, 0, 0, 0]
    for (let i = 0; i < keyLength; i++) {
      // left: what comes here after left-out entries, half as likely each
      left = (left + earlier) / 2
      const entry = this.#first + i
      const here =
        straight * before + turn * left + (on / 2) * insertedBefore + (i < this.#starts ? stake : 0)
      next[i] = here * factors[entry < keyLength ? entry : entry - keyLength]!
      earlier = before
      before = paired[i]!
      insertedBefore = inserted[i]!
      this.#ended += end * (before + insertedBefore)
      inserted[i] = turn * before + (on / 2) * insertedBefore
      total += next[i]! + inserted[i]!
    }
    // the list is at its end: left out of it are the two last entries' ways, and what left ever more entries out
    const beyond = (left + earlier) / 2
    this.#ended += straight * before + (on / 2) * insertedBefore + turn * (beyond + (beyond + before))
    this.#paired = next
    this.#next = paired
    if (total + this.#ended > LARGEST) this.#scale()
  }

  #scale(): void {
    for (let i = 0; i < this.#paired.length; i++) {
      this.#paired[i]! /= LARGEST
      this.#inserted[i]! /= LARGEST
    }
    this.#ended /= LARGEST
    this.#logScale += Math.log(LARGEST)
  }

  /** ln of what all stakes have become. */
  get logTotal(): number {
    let total = this.#ended
    for (let i = 0; i < this.#paired.length; i++) total += this.#paired[i]! + this.#inserted[i]!
    return Math.log(total) + this.#logScale
  }
}

/** ln of what a stake of 1 becomes under one rate of edits; `factorsOf(t, out)` writes what a pair of token t with each entry multiplies it by. */
export function logStake(
  factorsOf: (t: number, out: Float64Array) => void,
  tokens: number,
  keyLength: number,
  rates: readonly number[],
): number {
  const size = Math.ceil(keyLength / PARTS)
  const parts = Array.from({ length: Math.ceil(keyLength / size) }, (_, part) => part * size)
  const ways = rates.flatMap((rate) =>
    parts.map((first) => new Ways(keyLength, first, Math.min(size, keyLength - first), rate)),
  )
  const factors = new Float64Array(keyLength)
  for (let t = 0; t < tokens; t++) {
    factorsOf(t, factors)
    const share = tokens === 1 ? 1 : t === 0 ? 1 / 2 : 1 / (2 * (tokens - 1))
    for (const way of ways) way.add(factors, share / keyLength, 1 / tokens)
  }
  // the parts of one rate add up to a stake of 1, and rates are averaged
  return logMeanExp(ways.map(({ logTotal }) => logTotal)) + Math.log(parts.length)
}

const known = new WeakMap<NullLaw, readonly { readonly h: number; readonly cost: number }[]>()

/** The bets on scores of a law. */
function betsOn(law: NullLaw) {
  let bets = known.get(law)
  if (bets === undefined) {
    bets = GROWTHS.map((nats) => tiltOf(law, nats)).map((h) => ({ h, cost: law.logMgf!(h) }))
    known.set(law, bets)
  }
  return bets
}

/** ln of the bound; 0 where it says nothing. The law must have a moment-generating function, or a bound of it. */
export function logEditBound(law: NullLaw, gain: Float64Array, tokens: number, keyLength: number): number {
  const logs = betsOn(law).map(({ h, cost }) => {
    const factorsOf = (t: number, out: Float64Array): void => {
      for (let j = 0; j < keyLength; j++)
        out[j] = HELD + (1 - HELD) * Math.exp(h * gain[t * keyLength + j]! - cost)
    }
    return logStake(factorsOf, tokens, keyLength, RATES)
  })
  // rounding, towards less evidence
  return Math.min(0, 1e-9 - logMeanExp(logs))
}
