/**
 * The excess that a bet on equal pairs is certain to see.
 *
 * A bet gains `g(S) = theta S - ln M` per text and is won when the gains of N texts reach `nats`. The promise speaks about the
 * mean mu of S alone, whatever its law between `least` and `most`: since exp(-l g) is convex in S, the law on the two ends is
 * the worst, and by Chernoff, for every l > 0,
 *
 *   ln P(sum g < nats) <= l nats + N ln((1 - u) e^(-l g(least)) + u e^(-l g(most))),   u = (mu - least) / (most - least)
 */
import { bisect } from '../../../core/stats/index.ts'

/** One bet: its gain per equal pair and its cost per text, and between which numbers of pairs a text lies. */
export interface PairBet {
  readonly theta: number
  readonly logMoment: number
  readonly least: number
  readonly most: number
}

/** ln of a bound on the chance that the gains of N texts with `mean` equal pairs on average stay below `nats`. */
function logMissOf(bet: PairBet, mean: number, texts: number, nats: number): number {
  const { theta, logMoment, least, most } = bet
  const u = (mean - least) / (most - least)
  const bound = (l: number): number => {
    const low = -l * (theta * least - logMoment)
    const high = -l * (theta * most - logMoment)
    const top = Math.max(low, high)
    return l * nats + texts * (top + Math.log((1 - u) * Math.exp(low - top) + u * Math.exp(high - top)))
  }
  // convex in l: golden section, on a logarithmic scale
  let [from, to] = [Math.log(1e-6), Math.log(1e3)]
  for (let step = 0; step < 50; step++) {
    const a = to - (to - from) * 0.618
    const b = from + (to - from) * 0.618
    if (bound(Math.exp(a)) < bound(Math.exp(b))) to = b
    else from = a
  }
  return Math.min(0, bound(Math.exp(from)))
}

export interface PairRates {
  /** ln of the factor by which a bet must multiply its stake. */
  readonly nats: number
  readonly miss: number
}

/**
 * The smallest excess of the mean share of equal pairs over `share`, in the direction of its bet, that one of the bets is
 * certain to see (but for `miss`) with that number of texts; 1 if none is.
 */
export function smallestPairExcess(
  bets: readonly PairBet[],
  share: number,
  texts: number,
  { nats, miss }: PairRates,
): number {
  const seen = bets.map((bet) => {
    const { most, least } = bet
    const sign = Math.sign(bet.theta)
    const room = sign > 0 ? 1 - share : share - least / most
    const missed = (excess: number): boolean =>
      logMissOf(bet, (share + sign * excess) * most, texts, nats) > Math.log(miss)
    return room <= 0 || missed(room) ? 1 : bisect(missed, 0, room)
  })
  return Math.min(1, ...seen)
}

/** The fewest texts with which `smallestPairExcess` is at most `excess`; up to `limit`. */
export function textsForPairExcess(
  bets: readonly PairBet[],
  share: number,
  excess: number,
  rates: PairRates,
  limit: number,
): number {
  const tooFew = (texts: number): boolean =>
    bets.every(
      (bet) =>
        logMissOf(bet, (share + Math.sign(bet.theta) * excess) * bet.most, Math.round(texts), rates.nats) >
        Math.log(rates.miss),
    )
  return Math.min(limit, Math.ceil(bisect(tooFew, 1, limit)))
}
