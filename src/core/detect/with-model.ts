/**
 * Detection with the model at hand. With the key and the model's distribution p at a position you know q too, and by Neyman and Pearson nothing says more about a token x than
 * q(x)/p(x). For an unbiased watermark the mean of q is p, so for a text that was written without the key that ratio has the mean 1 over keys, whatever x is: it is a fair bet, and
 * its guarantee needs no law of scores. Positions with contexts of their own have independent bets.
 *
 * A token that the mark rules out (q(x) = 0, as after an edit) must not lose everything: with a stake s the wealth goes times 1 - s + s q(x)/p(x), and is divided among a few stakes.
 */
import { callable, integer, number, outOfRange, requireOptions } from '../../input.ts'
import { requireWatermark, type Watermark } from '../../watermark.ts'
import { ContextMemory } from '../keys/context-memory.ts'
import { MAX_VOCAB } from '../keys/random.ts'
import type { Tokens } from '../keys/rule.ts'
import type { SecretKey } from '../keys/schedule.ts'
import { checkTokens } from '../keys/tokens.ts'
import { skipping } from './detect.ts'
import { logMeanExp } from './e-process.ts'
import { scorer } from './scorer.ts'
import type { StreamedEvidence } from './stream.ts'

/** From careful to all but everything. */
const STAKES = [1 / 16, 1 / 4, 1 / 2, 3 / 4, 15 / 16, 1 - 2 ** -10]

/** The largest distance of the sum of a distribution from 1. */
const TOLERANCE = 1e-6

export interface DetectWithModelOptions {
  /** The secret key: text (UTF-8) or bytes. Codes of engines also take integers, and those of TGI need none. */
  readonly key?: SecretKey
  /** The width of the model's logits, not the size of its tokenizer. */
  readonly vocabSize: number
  /**
   * The model's distribution at position t, after temperature, top-k and top-p, as it was when the text was written; it must not depend on the key. Asked for t = 0, 1, ... in turn, at positions
   * that are bet on.
   */
  readonly probabilities: (t: number) => Float64Array
  /** Ids that are never bet on: special tokens. */
  readonly skip?: Iterable<number>
}

/** Watermarks whose ratios are fair bets: unbiased, with contexts that the text tells. */
function requireFair<Code>({ id, unbiased, context, detector }: Watermark<Code>): void {
  if (!unbiased) throw outOfRange('watermark', 'one that claims to be unbiased, as its bets are fair', id)
  if (detector === undefined) throw outOfRange('watermark', 'one that marks', id)
  if (context.foundBy !== undefined)
    throw outOfRange('watermark', 'one whose contexts can be read from the text', id)
}

/** p at position t, checked. */
export function distributionAt(probabilities: unknown, t: number, vocabSize: number): Float64Array {
  const p = (probabilities as DetectWithModelOptions['probabilities'])(t)
  if (!(p instanceof Float64Array) || p.length !== vocabSize)
    throw outOfRange(`probabilities(${t})`, `a Float64Array of ${vocabSize} masses`, p)
  let sum = 0
  for (const mass of p) sum += number(`mass in probabilities(${t})`, mass, 0, 1)
  number(`sum of probabilities(${t})`, sum, 1 - TOLERANCE, 1 + TOLERANCE)
  return p
}

/**
 * Detects a watermark with the model at hand: a likelihood-ratio test that needs far fewer tokens where the entropy is low. P(pValue <= a) <= a for a text that was written without the key, for every unbiased
 * watermark; the probabilities may be wrong, which costs power and not the guarantee, as long as they do not depend on the key.
 * @example
 * const options = { key: 'a secret of sixteen bytes', vocabSize: 3 }
 * const p = Float64Array.of(0.9, 0.05, 0.05)
 * detectWithModel(gumbel(), [0, 1, 2, 0, 0, 1], { ...options, probabilities: () => p }).scored // 4
 */
export function detectWithModel<Code>(
  watermark: Watermark<Code>,
  tokens: Tokens,
  options: DetectWithModelOptions,
): StreamedEvidence {
  requireWatermark(watermark)
  requireOptions('detectWithModel', options, ['key', 'vocabSize', 'probabilities', 'skip'])
  const { key, probabilities } = options
  const vocabSize = integer('vocabSize', options.vocabSize, 1, MAX_VOCAB)
  callable('probabilities', probabilities, 'a function (t) => Float64Array')
  requireFair(watermark)
  checkTokens(tokens, vocabSize)
  const { codeOf } = scorer(watermark, key, vocabSize)
  const contexts = watermark.context.scored(tokens, skipping(options.skip))
  const [seen, q] = [new ContextMemory(tokens.length), new Float64Array(vocabSize)]
  const logWealth = new Float64Array(STAKES.length)
  let [largest, logEValue, scored] = [0, 0, 0]
  for (const [t, context] of contexts.entries()) {
    if (context === undefined || watermark.detector!.keyless?.(context) || seen.add(context)) continue
    const p = distributionAt(probabilities, t, vocabSize)
    const mass = p[tokens[t]!]!
    // the model says that this cannot be: it has nothing to bet on
    if (mass === 0) continue
    watermark.reweight(p, codeOf(context), q)
    const ratio = q[tokens[t]!]! / mass
    for (const [i, stake] of STAKES.entries()) logWealth[i]! += Math.log1p(stake * (ratio - 1))
    logEValue = logMeanExp(logWealth)
    largest = Math.max(largest, logEValue)
    scored++
  }
  return {
    pValue: Math.exp(-largest),
    logPValue: 0 - largest,
    eValue: Math.exp(logEValue),
    logEValue,
    scored,
  }
}
