/**
 * A p-value that is exactly uniform where scores are integers: P(S > s) + U P(S = s). The usual one, P(S >= s), is too large by up to the whole of P(S = s): with 100
 * channels and short texts a test at 5% has a level of half that.
 *
 * U comes from the key and the scored pairs of context and token, so the same text gives the same answer, and changes of what is not scored change nothing. The guarantee is over
 * keys, for a text that was chosen without the key. It does not hold if you see p-values and pick among variants of a text.
 */
import { outOfRange } from '../../input.ts'
import { type Evidence, requireWatermark, type Watermark } from '../../watermark.ts'
import { tokensDigest } from '../keys/prefix.ts'
import type { Tokens } from '../keys/rule.ts'
import { keySchedule, type SecretKey, secretOf } from '../keys/schedule.ts'
import { type Detection, type DetectOptions, detect } from './detect.ts'
import { lawFor } from './null-laws.ts'
import { logTailOf } from './sum-detector.ts'

/** One number in (0, 1) for the key and all scored pairs of a text. */
function tieBreak<Code>(
  watermark: Watermark<Code>,
  key: SecretKey | undefined,
  { tokens, contexts }: Evidence,
): number {
  const pairs = contexts.flatMap((context, t) =>
    context === undefined ? [] : [context.length, ...context, tokens[t]!],
  )
  return keySchedule(secretOf(watermark, key), `${watermark.domain}\0tie`)
    .random(tokensDigest(pairs))
    .uniform(0)
}

/**
 * `detect` with ties broken at random, for watermarks whose sum of scores is an integer: the p-value is smaller, and exactly uniform over keys for a text that was chosen without
 * the key. Not for certificates, and not where variants of one text can be tried.
 * @example
 * const tokens = Array.from({ length: 40 }, (_, t) => (t * t) % 997)
 * const options = { key: 'a secret of sixteen bytes', vocabSize: 50257 }
 * const watermark = mcmark({ channels: 20 })
 * detectRandomised(watermark, tokens, options).pValue <= detect(watermark, tokens, options).pValue // true
 */
export function detectRandomised<Code>(
  watermark: Watermark<Code>,
  tokens: Tokens,
  options: DetectOptions,
): Detection {
  requireWatermark(watermark)
  const { detector } = watermark
  let seen: Evidence | undefined
  const watched = detector && {
    ...detector,
    test(evidence: Evidence) {
      seen = evidence
      return detector.test(evidence)
    },
  }
  const detection = detect({ ...watermark, detector: watched }, tokens, options)
  const law = detector?.nullLaw && lawFor(detector.nullLaw, options.vocabSize)
  if (detector?.id !== 'sum' || law?.step === undefined)
    throw outOfRange('watermark', 'one whose scores are added up and integers', watermark.id)
  const { statistic, scored, logPValue: atLeast } = detection
  if (scored === 0) return detection
  const text = {
    ...seen!,
    contexts: seen!.contexts.map((context) => (context && detector.keyless?.(context) ? undefined : context)),
  }
  const above = logTailOf(law, text.rule, text, statistic + law.step, scored)
  const U = tieBreak(watermark, options.key, text)
  const logPValue = atLeast + Math.log(U + (1 - U) * Math.exp(Math.min(0, above - atLeast)))
  const detected = logPValue <= Math.log(options.alpha ?? 0.01)
  return { ...detection, logPValue, pValue: Math.exp(logPValue), detected }
}
