/**
 * Certified robustness: how many edits, whatever they are and whoever makes them, cannot undo a detection.
 *
 * The paper's radius compares the statistic with a fixed threshold. But an edit can also change the number N of scored tokens,
 * and with it the threshold; and under the repeated-context rule it reaches further than n + 1 scores. What follows certifies
 * the decision itself. Let p(S, N) be the null tail of a sum of N scores in [0, B], and R the most scores that one edit can take
 * away or add. Then
 *
 *   p(S, N) <= p(S, N + 1)       one more score that is not negative
 *   p(S, N) <= p(S - B, N - 1)   one score less, which was at most B
 *
 * so whatever b edits do, the p-value they leave is at most p(S - b R B, N), with the N of the text as it was.
 */
import { type DetectOptions, detect } from '../detect/detect.ts'
import type { NullLaw } from '../detect/detector.ts'
import { checkLaw, lawFor } from '../detect/null-laws.ts'
import { integer, number, outOfRange, requireOptions } from '../input.ts'
import { type ContextRule, reachUpTo, type Tokens } from '../keys/rule.ts'
import { requireWatermark, type Watermark } from '../watermark.ts'
import { checkText, skipped } from './checked.ts'
import { scoredPairs } from './effect-region.ts'

/** An edit touches the score of the token it edits, if no other. */
function checkReach(region: number, bound: number): void {
  number('bound', bound, 0, Number.POSITIVE_INFINITY, true)
  integer('region', region, 1, MAX_REGION)
}

/** The most scores that one edit can touch: texts are shorter. */
export const MAX_REGION = 2 ** 27

/** A sum of scores, or a threshold for one. */
const checkSum = (name: string, sum: number): number => number(name, sum, -Number.MAX_VALUE, Number.MAX_VALUE)

/**
 * The paper's certified radius: the largest b with S - tau > b R B, for a threshold that stays where it is; -1 where the text
 * is not detected.
 *
 * @example certifiedRadius({ statistic: 320, threshold: 277, region: 3, bound: 1 }) // 14
 */
export function certifiedRadius(options: {
  readonly statistic: number
  readonly threshold: number
  readonly region: number
  readonly bound: number
}): number {
  requireOptions('certifiedRadius', options, ['statistic', 'threshold', 'region', 'bound'])
  const { statistic, threshold, region, bound } = options
  checkReach(region, bound)
  checkSum('statistic', statistic)
  checkSum('threshold', threshold)
  if (statistic < threshold) return -1
  return Math.max(0, Math.ceil((statistic - threshold) / (region * bound)) - 1)
}

/** The largest b with holds(b), which is true at 0 and monotone; `most` where it never fails below. */
export function largest(holds: (b: number) => boolean, most: number): number {
  // beyond 2^52 whole numbers could not be told apart
  let [yes, no] = [0, Math.min(most, 2 ** 52) + 1]
  while (no - yes > 1) {
    const middle = Math.floor((yes + no) / 2)
    if (holds(middle)) yes = middle
    else no = middle
  }
  return yes
}

export interface DecisionRadiusOptions {
  /** The null law of one score. */
  readonly law: NullLaw
  readonly statistic: number
  readonly scored: number
  /** R: scores that one edit can touch. */
  readonly region: number
  /** B: scores lie in [0, B]. */
  readonly bound: number
  readonly alpha: number
}

/**
 * The largest b with tail(S - b R B, N) <= alpha; -1 where the text is not detected.
 * @example decisionRadius({ law: binomial(1 / 2), statistic: 320, scored: 500, region: 5, bound: 1, alpha: 0.01 }) // 8
 */
export function decisionRadius(options: DecisionRadiusOptions): number {
  requireOptions('decisionRadius', options, ['law', 'statistic', 'scored', 'region', 'bound', 'alpha'])
  const { law, statistic, scored, region, bound, alpha } = options
  checkLaw('law', law)
  if (typeof law === 'function') throw outOfRange('law', 'the law itself, of one vocabulary', law)
  checkReach(region, bound)
  checkSum('statistic', statistic)
  integer('scored', scored, 0, MAX_REGION)
  number('alpha', alpha, 0, 1, true)
  const certified = (b: number): boolean =>
    scored > 0 && law.logTail(statistic - b * region * bound, scored) <= Math.log(alpha)
  return certified(0) ? largest(certified, Math.ceil(statistic / (region * bound)) + 1) : -1
}

/**
 * The same where contexts recur: the p-value is the tail of `sum of count * score`, which depends on the counts. It is at most
 * Hoeffding's exp(-2 (S - mean N)^2 / (B^2 sum of squared counts)); b edits lower S - mean N by at most b R B and, adding
 * k = b R scores at worst to the commonest pair, raise the sum of squares by at most 2 k max + k^2.
 */
export function recurringRadius(
  options: DecisionRadiusOptions & { readonly counts: readonly number[]; readonly logPValue: number },
): number {
  const { law, statistic, scored, region, bound, alpha, counts } = options
  checkReach(region, bound)
  if (options.logPValue > Math.log(alpha) || scored === 0) return -1
  const squares = counts.reduce((sum, c) => sum + c * c, 0)
  const most = counts.reduce((a, c) => Math.max(a, c), 0)
  const certified = (b: number): boolean => {
    const moved = b * region
    const margin = statistic - law.mean * scored - moved * bound
    const spread = bound ** 2 * (squares + 2 * moved * most + moved ** 2)
    return margin > 0 && (-2 * margin ** 2) / spread <= Math.log(alpha)
  }
  return largest(certified, Math.ceil(statistic / (region * bound)) + 1)
}

/** How many edits cannot undo a detection, or why nothing can be said. */
export type Certificate =
  | {
      readonly applicable: true
      /** Edits that cannot undo the detection; -1 where the text is not detected. */
      readonly radius: number
      /** R: scores one edit can touch under the rule in use. */
      readonly region: number
      readonly bound: number
      readonly statistic: number
      readonly scored: number
    }
  | { readonly applicable: false; readonly reason: string }

/** The text as it is judged: `end` is left out, for an edit that writes the end token would cut the text anywhere. */
export type CertificateOptions = Omit<DetectOptions, 'end' | 'runs'>

/** What certificates are computed from, checked before anything is said of it. */
export function checkCertified(
  name: string,
  watermark: unknown,
  tokens: unknown,
  options: CertificateOptions,
): void {
  requireWatermark(watermark)
  checkText('tokens', tokens)
  requireOptions(name, options, ['key', 'vocabSize', 'alpha', 'skip'])
}

export const notApplicable = (reason: string): Certificate => ({ applicable: false, reason })

/** What one edit can do to a text of a given length. */
export interface Reach {
  /** R: scores that one edit can touch. */
  readonly region: number
  /** For how many edits that holds: each may make the text longer, and a rule that forgets reaches further in long texts. */
  readonly edits: number
  /** Whether contexts can be scored twice in what so many edits leave. */
  readonly recurs: boolean
}

export function reachOf(rule: ContextRule, length: number): Reach {
  const left = rule.memory === undefined ? 0 : rule.memory.tokens - length
  return left > 0
    ? { region: reachUpTo(rule, length + left), edits: left, recurs: false }
    : { region: rule.reach, edits: Number.POSITIVE_INFINITY, recurs: rule.recurs }
}

/** Why no certificate can be given for any text of a length; undefined where one can. */
export function whyNotApplicable<Code>(
  { detector, context }: Watermark<Code>,
  length: number,
): string | undefined {
  if (detector === undefined) return 'there is no detector'
  if (detector.id !== 'sum' || detector.nullLaw === undefined)
    return `no certificate is given for the ${detector.id} detector`
  return Number.isFinite(reachOf(context, length).region) ? undefined : 'one edit can touch every score'
}

/**
 * How many edits of any kind leave the decision at level alpha as it is. An insertion, deletion or substitution anywhere counts
 * as one, by somebody who knows the key.
 * @example
 * const watermark = mcmark({ channels: 4 })
 * const model = markovModel({ vocabSize: 64, entropy: 3 })
 * const [{ tokens }] = await generate(model, [0], { watermark, key: 'secret', maxNewTokens: 200, seed: 1 })
 * certifiedDecisionRadius(watermark, tokens, { key: 'secret', vocabSize: 64, alpha: 0.01 }) // { applicable: true, radius: 13, ... }
 */
export function certifiedDecisionRadius<Code>(
  watermark: Watermark<Code>,
  tokens: Tokens,
  options: CertificateOptions,
): Certificate {
  checkCertified('certifiedDecisionRadius', watermark, tokens, options)
  const { detector, context: rule } = watermark
  const reason = whyNotApplicable(watermark, tokens.length)
  if (reason !== undefined) return notApplicable(reason)
  const { bound, nullLaw } = detector!
  if (!Number.isFinite(bound)) return notApplicable('scores are unbounded')
  const alpha = number('alpha', options.alpha ?? 0.01, 0, 1, true)
  const skip = skipped(options.skip)
  const { statistic, scored, logPValue } = detect(watermark, tokens, { ...options, alpha, skip })
  const law = lawFor(nullLaw!, options.vocabSize)
  const { region, edits, recurs } = reachOf(rule, tokens.length)
  const facts = { law, statistic, scored, region, bound, alpha }
  const radius = recurs
    ? recurringRadius({
        ...facts,
        logPValue,
        counts: [...scoredPairs(rule, tokens, (token) => skip.has(token)).values()],
      })
    : decisionRadius(facts)
  return { applicable: true, radius: Math.min(radius, edits), region, bound, statistic, scored }
}
