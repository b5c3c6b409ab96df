/** Codes as keys really draw them, position by position. */

import { type Context, Expansion, keySchedule, labelSeed, type Stream, seededRandom } from '../keys/index.ts'
import { expectToyKeys } from '../keys/short-key.ts'
import { codeAt, type Watermark } from '../watermark.ts'

/** A secret key of its own for each number. */
export function secretKey(keySeed: number, index: number): string {
  expectToyKeys()
  return `uwbench law ${keySeed}/${index}`
}

/** How many positions a rule may leave unmarked before we say that it marks none. */
const PATIENCE = 300
/** A token so surprising that any rule that waits for entropy has waited enough. */
export const SURPRISE = 2 ** -40

/**
 * The contexts of the first `count` marked positions of a random text. They do not depend on the key.
 * Fewer where the rule marks fewer (few different n-grams in a tiny vocabulary).
 */
export function contextsOf(
  { context: rule }: Pick<Watermark, 'context'>,
  vocabSize: number,
  count: number,
  stream: Stream,
): Context[] {
  const cursor = rule.begin(new Expansion(labelSeed('law', stream.uint32())))
  const tokens: number[] = []
  const contexts: Context[] = []
  for (let t = 0; t < PATIENCE && contexts.length < count; t++) {
    const context = cursor.next(tokens)
    if (context !== undefined) contexts.push(context)
    const token = stream.below(vocabSize)
    cursor.drew?.(token, SURPRISE)
    tokens.push(token)
  }
  return contexts
}

/** The code of each context under a key; each keeps randomness of its own, so all may be used side by side. */
export function codesOf<Code>(
  watermark: Watermark<Code>,
  key: string | Uint8Array,
  vocabSize: number,
  contexts: readonly Context[],
): Code[] {
  const schedule = keySchedule(key, watermark.domain)
  return contexts.map((context) => codeAt(watermark, schedule, vocabSize, context))
}

/** One code under one key of a key seed, at the first marked position of a random text. */
export function oneCode<Code>(watermark: Watermark<Code>, keySeed: number, vocabSize: number, key = 0): Code {
  const contexts = contextsOf(watermark, vocabSize, 1, seededRandom(keySeed, 'context'))
  // a rule that marks nothing here still draws the same kind of code
  return codesOf(watermark, secretKey(keySeed, key), vocabSize, contexts.length > 0 ? contexts : [[]])[0]!
}

/** Members of an average with weights that sum to 1. */
export interface Member<Code> {
  readonly code: Code
  readonly weight: number
}

const isWeighted = (member: unknown): member is Member<unknown> =>
  typeof member === 'object' && member !== null && 'weight' in member && 'code' in member

/**
 * The members of a code's orbit. Plain codes weigh the same. Each is used before the next is asked for, as a generator may
 * reuse its buffers.
 */
export function* membersOf<Code>(
  watermark: Watermark<Code>,
  code: Code,
  p: Float64Array,
): Generator<Member<Code>> {
  const orbit = (): Iterable<unknown> => watermark.orbit!(code, p) as Iterable<unknown>
  const first = orbit()
  let plain = 0
  for (const member of first) if (!isWeighted(member)) plain++
  for (const member of Array.isArray(first) ? first : orbit())
    yield isWeighted(member) ? (member as Member<Code>) : { code: member as Code, weight: 1 / plain }
}
