/** Scores as keys really draw them, on random texts: what the declared law of one score is held against. */
import { detect } from '../../../core/detect/index.ts'
import type { Context, ContextRule } from '../../../core/keys/index.ts'
import { ContextMemory, type Stream, seededRandom } from '../../../core/keys/index.ts'
import type { Watermark } from '../../../watermark.ts'
import { secretKey } from '../codes.ts'

/** The number of scores that one text should give, and the lengths that it may have for that. */
const WANTED = 8
const SHORTEST = 16
const LONGEST = 2048

/** A random text in which the first and the last token of the vocabulary are frequent: that is where ranges go wrong. */
function randomText(length: number, vocabSize: number, { below }: Stream): number[] {
  const tokens: number[] = []
  while (tokens.length < length) {
    const pick = below(8)
    tokens.push(pick === 0 ? 0 : pick === 1 ? vocabSize - 1 : below(vocabSize))
  }
  return tokens
}

/** Positions that are scored and their contexts, each context once: their scores are independent, whatever the tokens. */
function firstOfEach(
  rule: ContextRule,
  tokens: readonly number[],
): { readonly t: number; readonly context: Context }[] {
  const seen = new ContextMemory(tokens.length)
  const first: { t: number; context: Context }[] = []
  for (const [t, context] of rule.scored(tokens, () => false).entries())
    if (context !== undefined && !seen.add(context)) first.push({ t, context })
  return first
}

/** Contexts that a detector scores in a random text, each once. */
export function scoredContexts(
  rule: ContextRule,
  length: number,
  vocabSize: number,
  stream: Stream,
): Context[] {
  return firstOfEach(rule, randomText(length, vocabSize, stream)).map(({ context }) => context)
}

/** Finds the length at which a text has a few scores: rules may wait, or leave most positions alone. */
export function lengthFor(rule: ContextRule, vocabSize: number, seed: number): number {
  const found = (length: number): number =>
    firstOfEach(rule, randomText(length, vocabSize, seededRandom(seed, 'length'))).length
  let length = SHORTEST
  for (let scores = found(length); scores < WANTED && length < LONGEST; ) {
    const more = found(2 * length)
    // a small vocabulary may have no more contexts than that
    if (scores > 0 && more === scores) break
    scores = more
    length *= 2
  }
  return length
}

/**
 * At least `count` scores under `vocabSize` tokens, of independent keys and texts; fewer only where the rule hardly scores
 * anything.
 */
export function sampledScores<Code>(
  watermark: Watermark<Code>,
  vocabSize: number,
  count: number,
  seed: number,
): Float64Array {
  const length = lengthFor(watermark.context, vocabSize, seed)
  const scores: number[] = []
  for (let i = 0; scores.length < count && i < count; i++) {
    const tokens = randomText(length, vocabSize, seededRandom(seed, 'text', vocabSize, i))
    const { perToken } = detect(watermark, tokens, { key: secretKey(seed, i), vocabSize })
    for (const { t } of firstOfEach(watermark.context, tokens))
      if (!Number.isNaN(perToken[t])) scores.push(perToken[t]!)
  }
  return Float64Array.from(scores.slice(0, count))
}
