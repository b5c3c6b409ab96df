import { Expansion, type Random } from './random.ts'
import type { ContextRule } from './rule.ts'
import type { Context } from './schedule.ts'
import { labelSeed } from './stream.ts'

export interface WalkOptions {
  /** The text's own randomness, such as the offset into a key list. Default: the same for every text. */
  readonly perText?: Random
  /** The probability that the model gave each token. Default 2^-40: a rule that waits for entropy has waited enough after one token. */
  readonly probability?: number
}

/**
 * Walks a context rule over a text as generation does: yields the context of each position, or undefined where the rule marks
 * nothing. A token is taken before the context of its own position is yielded, and the rule sees it only afterwards. Stop
 * whenever you like; a rule may reuse the list that it gave before.
 * @example [...walk(ngram(1), [7, 8, 7])] // [undefined, [7], [8]]
 */
export function* walk(
  rule: Pick<ContextRule, 'begin'>,
  tokens: Iterable<number>,
  { perText = new Expansion(labelSeed('walk')), probability = 2 ** -40 }: WalkOptions = {},
): Generator<Context | undefined> {
  const cursor = rule.begin(perText)
  const before: number[] = []
  for (const token of tokens) {
    yield cursor.next(before)
    cursor.drew?.(token, probability)
    before.push(token)
  }
}
