/**
 * A detector with its key schedule made once and its scores remembered: an adversary judges thousands of texts that share
 * almost all of their scores. Says what `detect` says.
 */
import type { DetectOptions } from '../core/detect/index.ts'
import { lawFor, scorer } from '../core/detect/index.ts'
import type { Context, Tokens } from '../core/keys/index.ts'
import { MAX_VOCAB } from '../core/keys/index.ts'
import { integer, number } from '../input.ts'
import { type Outcome, requireWatermark, type Watermark } from '../watermark.ts'
import { skipped } from './checked.ts'

type Judgement = Outcome & { readonly detected: boolean }

export interface KeyedDetector {
  detect(tokens: Tokens): Judgement
  /** Sum of score minus null mean over the scored tokens: cheap, and orders texts nearly as their p-values do. */
  margin(tokens: Tokens): number
}

export function keyedDetector<Code>(
  watermark: Watermark<Code>,
  options: Omit<DetectOptions, 'end'>,
): KeyedDetector {
  requireWatermark(watermark)
  const { detector, context: rule } = watermark
  if (detector === undefined) throw new TypeError(`${watermark.id}: this watermark declares no detector`)
  const { key, runs } = options
  const vocabSize = integer('vocabSize', options.vocabSize, 1, MAX_VOCAB)
  if (runs !== undefined) integer('runs', runs, 1)
  const alpha = number('alpha', options.alpha ?? 0.01, 0, 1, true)
  const skip = skipped(options.skip)
  const known = new Map<string, number>()
  const scores = scorer(watermark, key, vocabSize)
  const score = (token: number, context: Context, run = 0): number => {
    const name = `${run}|${context.join()}|${token}`
    let value = known.get(name)
    if (value === undefined) {
      value = scores.score(token, context, run)
      known.set(name, value)
    }
    return value
  }
  const contextsOf = (tokens: Tokens) => rule.scored(tokens, (token) => skip.has(token))
  const mean = detector.nullLaw === undefined ? 0 : lawFor(detector.nullLaw, vocabSize).mean
  return {
    detect(tokens) {
      const contexts = contextsOf(tokens)
      const outcome = detector.test({
        tokens,
        vocabSize,
        alpha,
        runs,
        rule,
        contexts,
        codeOf: scores.codeOf,
        score,
        scoreEach: () =>
          Float64Array.from(contexts, (context, t) =>
            context === undefined ? Number.NaN : score(tokens[t]!, context),
          ),
        scores(list, context, run, out) {
          for (let i = 0; i < list.length; i++) out[i] = score(list[i]!, context, run)
          return out
        },
        scoresUnder(list, own, out) {
          for (let i = 0; i < list.length; i++) out[i] = score(list[i]!, own[i]!)
          return out
        },
      })
      return { ...outcome, detected: outcome.logPValue <= Math.log(alpha) }
    },
    margin: (tokens) =>
      contextsOf(tokens).reduce(
        (sum, context, t) => (context === undefined ? sum : sum + score(tokens[t]!, context) - mean),
        0,
      ),
  }
}
