/**
 * Certified robustness: the number of edits, of any kind and by anyone, that cannot undo a detection.
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
import { checkLaw, type Detection, type DetectOptions, detect, lawFor } from '../core/detect/index.ts'
import { type ContextRule, reachUpTo, type Tokens } from '../core/keys/index.ts'
import { largest } from '../core/stats/index.ts'
import { integer, number, outOfRange, requireOptions } from '../input.ts'
import { type NullLaw, requireWatermark, type Watermark } from '../watermark.ts'
import { checkText, skipped } from './checked.ts'
import { scoredPairs } from './effect-region.ts'

/** Checks a region of at least 1, since an edit touches the score of the token it edits, and a bound. */
function checkReach(region: number, bound: number): void {
  number('bound', bound, 0, Number.POSITIVE_INFINITY, true)
  integer('region', region, 1, MAX_REGION)
}

/** The most scores that one edit can touch: texts are shorter. */
export const MAX_REGION = 2 ** 27

/** Checks a sum of scores, or a threshold for it. */
const checkSum = (name: string, sum: number): number => number(name, sum, -Number.MAX_VALUE, Number.MAX_VALUE)

/**
 * Returns the paper's certified radius: the largest b with S - tau > b R B, for a threshold that stays where it is; -1 where the text
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
 * Returns the largest b with tail(S - b R B, N) <= alpha; -1 where the text is not detected.
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
 * Returns the decision radius where contexts recur: the p-value is the tail of `sum of count * score`, at most
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

/** The number of edits that cannot undo a detection, or the reason why it is unknown. */
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

/** The effect of one edit on a text of a given length. */
interface Reach {
  /** R: scores that one edit can touch. */
  readonly region: number
  /** The number of edits up to which that holds: each may make the text longer, and a rule that forgets reaches further in long texts. */
  readonly edits: number
  /** True where contexts can be scored twice after up to `edits` edits. */
  readonly recurs: boolean
}

function reachOf(rule: ContextRule, length: number): Reach {
  const left = rule.memory === undefined ? 0 : rule.memory.tokens - length
  return left > 0
    ? { region: reachUpTo(rule, length + left), edits: left, recurs: false }
    : { region: rule.reach, edits: Number.POSITIVE_INFINITY, recurs: rule.recurs }
}

/** A text with its detection, from which certificates are computed; `reason` where none can be given. */
export type Judged =
  | { readonly reason: string }
  | (Pick<Detection, 'statistic' | 'scored' | 'logPValue' | 'perToken'> &
      Reach & {
        readonly reason: undefined
        readonly law: NullLaw
        readonly bound: number
        readonly alpha: number
        readonly skip: ReadonlySet<number>
      })

/** Detects a text and finds what one edit can do to it; `refusal` gives a reason to certify nothing. */
export function judged<Code>(
  name: string,
  watermark: Watermark<Code>,
  tokens: Tokens,
  options: CertificateOptions,
  refusal: (reach: Reach, bound: number) => string | undefined,
): Judged {
  requireWatermark(watermark)
  checkText('tokens', tokens)
  requireOptions(name, options, ['key', 'vocabSize', 'alpha', 'skip'])
  const { detector, context } = watermark
  if (detector === undefined) return { reason: 'there is no detector' }
  const { id, nullLaw, bound } = detector
  if (id !== 'sum' || nullLaw === undefined)
    return { reason: `no certificate is given for the ${id} detector` }
  const reach = reachOf(context, tokens.length)
  if (!Number.isFinite(reach.region)) return { reason: 'one edit can touch every score' }
  const reason = refusal(reach, bound)
  if (reason !== undefined) return { reason }
  const alpha = number('alpha', options.alpha ?? 0.01, 0, 1, true)
  const skip = skipped(options.skip)
  const detection = detect(watermark, tokens, { ...options, alpha, skip })
  return { ...detection, ...reach, reason, law: lawFor(nullLaw, options.vocabSize), bound, alpha, skip }
}

export function certificate(
  text: Judged,
  radiusOf: (text: Judged & { reason: undefined }) => number,
): Certificate {
  if (text.reason !== undefined) return { applicable: false, reason: text.reason }
  const { region, edits, bound, statistic, scored } = text
  return { applicable: true, radius: Math.min(radiusOf(text), edits), region, bound, statistic, scored }
}

/**
 * Counts the edits of any kind that leave the decision at level alpha as it is. An insertion, deletion or substitution anywhere counts
 * as one, even by an attacker with the key.
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
  const text = judged('certifiedDecisionRadius', watermark, tokens, options, (_, bound) =>
    Number.isFinite(bound) ? undefined : 'scores are unbounded',
  )
  return certificate(text, (facts) => {
    const { law, statistic, scored, region, bound, alpha } = facts
    if (!facts.recurs) return decisionRadius({ law, statistic, scored, region, bound, alpha })
    const pairs = scoredPairs(watermark.context, tokens, (token) => facts.skip.has(token))
    return recurringRadius({ ...facts, counts: [...pairs.values()] })
  })
}
