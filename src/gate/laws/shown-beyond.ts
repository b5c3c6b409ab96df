/**
 * The other side of `unbiasedUpTo`: beyond that length texts are shown not to follow the model's law. Either bets on equal
 * pairs show it, or a text in which two marked positions share a context whose code does something: over keys such
 * positions are equal with probability E sum q^2 > sum p^2, however weak the mark. So a claim that is needlessly modest, or a
 * rule that has been repaired, is noticed.
 */
import { type Context, Expansion, labelSeed, seededRandom, walk } from '../../core/keys/index.ts'
import type { Watermark } from '../../watermark.ts'
import { codesOf, randomTokens, secretKey } from './codes.ts'
import { pairDesign } from './engine/pair-test.ts'
import { probabilities } from './fractions.ts'
import { betOnTexts } from './iid-texts.ts'
import type { Trial } from './law.ts'
import { LENGTH as LEAST_LENGTH, sightOf } from './pair-plan.ts'

/** Sizes of vocabulary: contexts of a few tokens come back soon with few symbols, and late with many. */
const SIZES = [4, 16, 8, 2] as const
const MAX_LENGTH = 40_000
/** Tokens to spend on each size. */
const TOKENS = 40_000
/** Keys under which a shared code may do nothing before we look elsewhere. */
const MAX_KEYS = 4000

export interface Beyond {
  readonly shown: boolean
  readonly detail: string
  readonly keys: number
  /** The smallest difference of P(x_s = x_t) at one distance that is certain to be shown, and the largest seen. */
  readonly smallestBias: number
  readonly observedBias: number
}

/** The two first marked positions of a text that share a context. */
function sharing(
  { context: rule }: Pick<Watermark, 'context'>,
  vocabSize: number,
  length: number,
  seed: number,
): { readonly from: number; readonly to: number; readonly context: Context } | undefined {
  const tokens = randomTokens(vocabSize, length, seededRandom(seed, 'sharing'))
  const perText = new Expansion(labelSeed('sharing', seed))
  const known = new Map<string, number>()
  let to = 0
  for (const context of walk(rule, tokens, { perText, probability: 1 / vocabSize })) {
    const from = context && known.get(context.join())
    if (from !== undefined) return { from, to, context: context! }
    if (context !== undefined) known.set(context.join(), to)
    to++
  }
  return undefined
}

/** Returns whether the code of a context changes the distribution, under some key. */
function acts<Code>(watermark: Watermark<Code>, context: Context, vocabSize: number, seed: number): boolean {
  const q = new Float64Array(vocabSize)
  for (let i = 0; i < MAX_KEYS; i++) {
    const p = new Float64Array(vocabSize).fill(1 / vocabSize)
    watermark.reweight(p, codesOf(watermark, secretKey(seed, i), vocabSize, [context])[0]!, q)
    if (q.some((mass) => Math.abs(mass - 1 / vocabSize) > 1e-9)) return true
  }
  return false
}

/**
 * Looks for the bias of texts longer than `claimed`. One that is not there is "shown" with probability at most `miss`; one that
 * is as large as promised is not, with probability at most `falseAlarm`.
 */
export async function shownBeyond<Code>(
  watermark: Watermark<Code>,
  claimed: number,
  trial: Trial,
): Promise<Beyond> {
  const sofar = { keys: 0, smallestBias: 1, observedBias: 0 }
  if (4 * claimed > 3 * MAX_LENGTH)
    return { shown: true, detail: `texts longer than ${claimed} tokens are not looked at`, ...sofar }
  const length = Math.min(MAX_LENGTH, Math.max(LEAST_LENGTH, 4 * claimed))
  const texts = Math.max(1, Math.floor(TOKENS / length))
  const level = trial.miss / SIZES.length
  for (const [i, size] of SIZES.entries()) {
    const design = pairDesign(probabilities(Array(size).fill(1)), length, [claimed])
    const stake = { keys: trial.seed - 1 - i, texts, nats: -Math.log(level) }
    const { test, won } = await betOnTexts(watermark, design.p, design, stake, trial)
    sofar.keys += test.texts
    sofar.observedBias = Math.max(sofar.observedBias, Math.abs(test.excess))
    const { apart } = sightOf(design, texts, { level, miss: trial.falseAlarm })
    sofar.smallestBias = Math.min(sofar.smallestBias, apart)
    if (won)
      return { shown: true, detail: `in texts of ${length} tokens, ${test.finding()}, as declared`, ...sofar }
  }
  for (const size of SIZES) {
    const pair = sharing(watermark, size, length, trial.seed)
    if (pair !== undefined && acts(watermark, pair.context, size, trial.seed)) {
      const detail = `positions ${pair.from} and ${pair.to} of a text share the code of [${pair.context}], as declared`
      return { shown: true, detail, ...sofar }
    }
  }
  const detail = `declares unbiasedUpTo: ${claimed}, but texts of ${length} tokens show no bias and share no context`
  return { shown: false, detail, ...sofar }
}
