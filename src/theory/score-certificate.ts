/**
 * A certificate from the scores themselves, for any detector that sums scores that are not negative, bounded or not. b edits
 * take away at most L <= b R scores, at worst the L largest, and add at most b R, which are at least 0. The tail grows with N
 * and falls with S, so the p-value they leave is at most
 *
 *   max over L <= b R of p(S - (sum of the L largest scores), N - L + b R)
 *
 * For bounded scores this is never above p(S - b R B, N), so the radius is never smaller; and it exists for gumbel,
 * whose scores have no bound.
 */
import type { Tokens } from '../core/keys/index.ts'
import { largest, realValues } from '../core/stats/index.ts'
import { callable, integer, number, requireOptions } from '../input.ts'
import type { Watermark } from '../watermark.ts'
import {
  type Certificate,
  type CertificateOptions,
  certificate,
  judged,
  MAX_REGION,
} from './certified-radius.ts'

export interface ScoreRadiusOptions {
  /** ln of the null tail of a sum of n scores. */
  readonly logTail: (sum: number, n: number) => number
  readonly scores: ArrayLike<number>
  /** R: scores that one edit can touch. */
  readonly region: number
  readonly alpha: number
}

/**
 * Returns the largest b that the scores themselves certify; -1 where the text is not detected.
 * @example
 * const { logTail } = binomial(1 / 2)
 * scoreRadius({ logTail, scores: Array(60).fill(1), region: 3, alpha: 0.01 }) // 6
 */
export function scoreRadius(options: ScoreRadiusOptions): number {
  requireOptions('scoreRadius', options, ['logTail', 'scores', 'region', 'alpha'])
  const { logTail, scores, region, alpha } = options
  callable('logTail', logTail, 'a function (sum, n) that returns ln of a null tail')
  integer('region', region, 1, MAX_REGION)
  number('alpha', alpha, 0, 1, true)
  const falling = realValues('scores', scores, 0).sort().reverse()
  falling.forEach((score) => {
    number('scores', score, 0, Number.MAX_VALUE)
  })
  const log = Math.log(alpha)
  const certified = (b: number): boolean => {
    const moved = b * region
    let sum = falling.reduce((a, x) => a + x, 0)
    for (let lost = 0; lost <= Math.min(moved, falling.length); lost++) {
      const scored = falling.length - lost + moved
      if (scored === 0 || logTail(sum, scored) > log) return false
      sum = lost < falling.length ? Math.max(0, sum - falling[lost]!) : 0
    }
    return true
  }
  return certified(0) ? largest(certified, falling.length) : -1
}

/**
 * Counts the edits of any kind that leave the decision as it is, from this text's scores: at least `certifiedDecisionRadius`, and
 * applicable where scores are unbounded.
 * @example
 * const watermark = gumbel()
 * const model = markovModel({ vocabSize: 64, entropy: 3 })
 * const [{ tokens }] = await generate(model, [0], { watermark, key: 'secret', maxNewTokens: 200, seed: 1 })
 * certifiedScoreRadius(watermark, tokens, { key: 'secret', vocabSize: 64, alpha: 0.01 }) // { applicable: true, radius: 15, ... }
 */
export function certifiedScoreRadius<Code>(
  watermark: Watermark<Code>,
  tokens: Tokens,
  options: CertificateOptions,
): Certificate {
  const text = judged('certifiedScoreRadius', watermark, tokens, options, ({ recurs }) =>
    recurs ? `under ${watermark.context.id} equal tokens share their score` : undefined,
  )
  if (text.reason !== undefined) return certificate(text, () => -1)
  const { law, region, alpha } = text
  const scores = text.perToken.filter((score) => !Number.isNaN(score))
  if (scores.some((score) => score < 0)) return { applicable: false, reason: 'scores can be negative' }
  return certificate(text, () =>
    scoreRadius({ logTail: (sum, n) => law.logTail(sum, n), scores, region, alpha }),
  )
}
