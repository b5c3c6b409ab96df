/**
 * The marked parts of a text. Let W(a, b) be the wealth of a gambler who begins at score a and stops after score b, and N the number of scores. The
 * average over all beginnings, (1/N) sum over a of W(a, b), with 1 for those not yet begun, is a martingale that starts at 1. By Ville's inequality
 *
 *   P(W(a, b) >= N / alpha for some stretch a .. b) <= alpha,
 *
 * for all stretches together: N / W(a, b) is a p-value for each of them, corrected for the search. The statement is about stretches that hold no marked token, whatever
 * is marked elsewhere.
 */
import { integer, number, requireOptions } from '../../input.ts'
import type { Watermark } from '../../watermark.ts'
import { MAX_VOCAB } from '../keys/random.ts'
import type { Tokens } from '../keys/rule.ts'
import { checkTokens } from '../keys/tokens.ts'
import { betsOn, logMeanExp } from './e-process.ts'
import { freshScores } from './fresh-scores.ts'
import type { StreamOptions } from './stream.ts'

export interface SegmentsOptions extends StreamOptions {
  /** The chance that any stretch without a marked token is reported. Default 0.01. */
  readonly alpha?: number
}

/** A stretch of a text that holds marked tokens. */
export interface Segment {
  /** Its first token, and the one after its last: `tokens.slice(from, to)`. */
  readonly from: number
  readonly to: number
  /** Corrected for the search: P(any stretch without a marked token has one of at most a) <= a. */
  readonly pValue: number
  readonly logPValue: number
  /** The number of its tokens that were scored. */
  readonly scored: number
}

/** The scores of a text: where they are, and what each bet gains from each, in nats. */
interface Gains {
  readonly positions: readonly number[]
  readonly bets: readonly Float64Array[]
}

function gainsOf<Code>(watermark: Watermark<Code>, tokens: Tokens, options: StreamOptions): Gains {
  const scores = freshScores(watermark, options)
  const positions: number[] = []
  const values: number[] = []
  for (let t = 0; t < tokens.length; t++) {
    const score = scores.next(tokens[t]!)
    if (score === undefined) continue
    positions.push(t)
    values.push(score)
  }
  const { count, gains } = betsOn(scores.law)
  const gained = new Float64Array(count)
  const bets = Array.from({ length: count }, () => new Float64Array(values.length))
  for (const [i, value] of values.entries()) {
    gains(value, gained)
    for (let j = 0; j < count; j++) bets[j]![i] = gained[j]!
  }
  return { positions, bets }
}

/** Scores `first .. end-1`. */
interface Stretch {
  readonly first: number
  readonly end: number
}

/**
 * The stretches, each with one bet, whose gains sum to most if each stretch costs `toll` (Viterbi's algorithm): every one of them gains at least the
 * toll, and a gap is left out where riding through it would lose more.
 */
function bestStretches({ bets, positions }: Gains, toll: number): Stretch[] {
  const { length } = positions
  // value[j]: the most so far if bet j runs; value[none]: if none does
  const none = bets.length
  const value = new Float64Array(none + 1).fill(Number.NEGATIVE_INFINITY)
  value[none] = 0
  const began = bets.map(() => new Uint8Array(length))
  const before = new Uint8Array(length + 1)
  const richest = (): number => value.reduce((best, v, j) => (v > value[best]! ? j : best), none)
  for (let i = 0; i < length; i++) {
    const from = richest()
    const most = value[from]!
    before[i] = from
    for (let j = 0; j < none; j++) {
      if (most - toll > value[j]!) began[j]![i] = 1
      value[j] = Math.max(value[j]!, most - toll) + bets[j]![i]!
    }
    value[none] = most
  }
  const stretches: Stretch[] = []
  let state = richest()
  let end = length
  for (let i = length - 1; i >= 0; i--) {
    if (state === none) state = before[i]!
    else if (began[state]![i] === 1) {
      stretches.unshift({ first: i, end })
      state = before[i]!
    } else continue
    end = i
  }
  return stretches
}

/** Returns ln of the wealth over all bets before `end` of a gambler that begins with `first`. */
const logWealth = ({ bets }: Gains, { first, end }: Stretch): number =>
  logMeanExp(
    Float64Array.from(bets, (gains) => gains.subarray(first, end).reduce((sum, gain) => sum + gain, 0)),
  )

/**
 * Finds the marked stretches of a text, such as one paragraph in a document that a person wrote, with the chance of any false one bounded by `alpha`. The ends of a
 * stretch are an estimate; that it holds marked tokens is what the p-value says. The watermark needs a sum detector.
 * @example
 * const tokens = Array.from({ length: 100 }, (_, t) => (t * t) % 997)
 * segments(gumbel(), tokens, { key: 'a secret of sixteen bytes', vocabSize: 50257 }) // []
 */
export function segments<Code>(
  watermark: Watermark<Code>,
  tokens: Tokens,
  options: SegmentsOptions,
): Segment[] {
  requireOptions('segments', options, ['key', 'vocabSize', 'skip', 'alpha'])
  const { alpha = 0.01, ...rest } = options
  number('alpha', alpha, 0, 1, true)
  checkTokens(tokens, integer('vocabSize', options.vocabSize, 1, MAX_VOCAB))
  const gains = gainsOf(watermark, tokens, rest)
  const { positions } = gains
  const logSearched = Math.log(positions.length)
  const enough = logSearched - Math.log(alpha)
  return bestStretches(gains, enough)
    .map((stretch) => ({ ...stretch, logPValue: logSearched - logWealth(gains, stretch) }))
    .filter(({ logPValue }) => logPValue <= Math.log(alpha))
    .map(({ first, end, logPValue }) => ({
      from: positions[first]!,
      to: positions[end - 1]! + 1,
      pValue: Math.exp(logPValue),
      logPValue,
      scored: end - first,
    }))
}
