/** Codes as keys really draw them, position by position. */
import {
  type Context,
  Expansion,
  expectToyKeys,
  keySchedule,
  labelSeed,
  type Stream,
  seededRandom,
  walk,
} from '../../core/keys/index.ts'
import { codeAt, type Watermark } from '../../watermark.ts'

/** Returns a secret key of its own for each number. */
export function secretKey(keySeed: number, index: number): string {
  expectToyKeys()
  return `uwbench law ${keySeed}/${index}`
}

/** The most positions that a rule may leave unmarked before it is taken to mark none. */
const PATIENCE = 300
/** A token so surprising that any rule that waits for entropy has waited enough. */
export const SURPRISE = 2 ** -40

/** Draws `length` tokens, one when it is asked for. */
export function* randomTokens(vocabSize: number, length: number, { below }: Stream): Generator<number> {
  for (let t = 0; t < length; t++) yield below(vocabSize)
}

/**
 * Returns the contexts of the first `count` marked positions of a random text. They do not depend on the key.
 * Fewer where the rule marks fewer (few different n-grams in a tiny vocabulary).
 */
export function contextsOf(
  { context: rule }: Pick<Watermark, 'context'>,
  vocabSize: number,
  count: number,
  stream: Stream,
): Context[] {
  const perText = new Expansion(labelSeed('law', stream.uint32()))
  const contexts: Context[] = []
  for (const context of walk(rule, randomTokens(vocabSize, PATIENCE, stream), { perText })) {
    if (context !== undefined) contexts.push(context)
    if (contexts.length === count) break
  }
  return contexts
}

/** Draws the code of each context under a key; each keeps randomness of its own, so all may be used side by side. */
export function codesOf<Code>(
  watermark: Watermark<Code>,
  key: string | Uint8Array,
  vocabSize: number,
  contexts: readonly Context[],
): Code[] {
  const schedule = keySchedule(key, watermark.domain)
  return contexts.map((context) => codeAt(watermark, schedule, vocabSize, context))
}

/** Draws one code under one key of a key seed, at the first marked position of a random text. */
export function oneCode<Code>(watermark: Watermark<Code>, keySeed: number, vocabSize: number, key = 0): Code {
  const contexts = contextsOf(watermark, vocabSize, 1, seededRandom(keySeed, 'context'))
  // a rule that marks nothing here still draws the same kind of code
  return codesOf(watermark, secretKey(keySeed, key), vocabSize, contexts.length > 0 ? contexts : [[]])[0]!
}
