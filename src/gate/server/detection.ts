/** Detection behind the server: power on marked texts, and the false positives that this key has on this traffic. */

import { hits } from '../../bench/report/index.ts'
import { detect } from '../../core/detect/index.ts'
import { type ContextSet, HashedContexts } from '../../core/keys/index.ts'
import { clopperPearson, superUniform } from '../../core/stats/index.ts'
import type { Tokenizer } from '../../text/decode/index.ts'
import type { AnyWatermark } from '../../watermark.ts'

export interface Secret {
  readonly watermark: AnyWatermark
  readonly key: string | Uint8Array
  readonly vocabSize: number
  /** Turns texts into token ids where the server gave none. */
  readonly tokenizer?: Pick<Tokenizer, 'encode'> | undefined
}

/** A document: its tokens, and those before it. */
export interface Document {
  readonly tokens: ArrayLike<number>
  readonly promptIds?: readonly number[] | undefined
}

/** ln p of documents, in two ways. */
export interface PValues {
  /** As `detect` gives them. */
  readonly plain: Float64Array
  /** Without contexts of other documents of the sample: independent of each other. */
  readonly alone: Float64Array
  readonly lengths: readonly number[]
  /** The share of scored contexts that other documents have too. */
  readonly shared: number
}

/** Tests documents as they are, and again without contexts that any other of them has: `excludeContexts` with the others as reference. */
export function pValuesOf({ watermark, key, vocabSize }: Secret, documents: readonly Document[]): PValues {
  const rule = watermark.context
  const contextsOf = ({ tokens, promptIds }: Document) =>
    promptIds && rule.seesPrompt
      ? rule.scored([...promptIds, ...Array.from(tokens)], () => false, promptIds.length)
      : rule.scored(tokens, () => false)
  const [seen, recurring] = [new HashedContexts(rule.id), new HashedContexts(rule.id)]
  const own = documents.map((document) => {
    const contexts = contextsOf(document).filter((context) => context !== undefined)
    const distinct = new HashedContexts(rule.id)
    const first = contexts.filter((context) => !distinct.add(context))
    for (const context of first) if (seen.add(context)) recurring.add(context)
    return first
  })
  const all = own.flat()
  const test = (excludeContexts: ContextSet | undefined) =>
    Float64Array.from(documents, ({ tokens, promptIds }) => {
      const prompt = promptIds && rule.seesPrompt ? { prompt: promptIds } : {}
      return detect(watermark, tokens, {
        key,
        vocabSize,
        ...prompt,
        ...(excludeContexts && { excludeContexts }),
      }).logPValue
    })
  return {
    plain: test(undefined),
    // the contexts of an alignment are not tokens: there is nothing to leave out
    alone: rule.foundBy === undefined ? test(recurring) : test(undefined),
    lengths: documents.map(({ tokens }) => tokens.length),
    shared: all.length === 0 ? 0 : all.filter((context) => recurring.has(context)).length / all.length,
  }
}

/** Limits between lengths in a summary. */
const LENGTHS = [50, 100, 200, 400]

/** A share of texts with its exact interval, as `12 of 400, 3% [1.6%, 5.2%]`. */
function share(count: number, n: number): string {
  if (n === 0) return 'no texts'
  const { low, high } = clopperPearson(count, n)
  const percent = (x: number) => `${+(100 * x).toPrecision(2)}%`
  return `${count} of ${n}, ${percent(count / n)} [${percent(low)}, ${percent(high)}]`
}

/** Detection rates by length, in words. */
function byLength({ plain, lengths }: Pick<PValues, 'plain' | 'lengths'>, level: number): string {
  const parts = [...LENGTHS, Number.POSITIVE_INFINITY].flatMap((limit, i) => {
    const from = LENGTHS[i - 1] ?? 0
    const inside = plain.filter((_, j) => lengths[j]! >= from && lengths[j]! < limit)
    return inside.length === 0
      ? []
      : [
          `${from === 0 ? `below ${limit}` : `from ${from}`} tokens ${share(hits(inside, level), inside.length)}`,
        ]
  })
  return parts.join('; ')
}

/** Levels at which false positives are counted; the last ones only where texts are many enough to fail there. */
const LEVELS = [0.05, 0.01, 0.001]

export interface DetectionFinding {
  readonly holds: boolean
  readonly detail: string
  /** The smallest rate, at the lowest level tested, that is certain to fail. */
  readonly sees: number
  readonly rate: number
  /** True if marked texts show nothing of the key. */
  readonly isUnmarked: boolean
}

/** Detects marked and unmarked texts of a server; undefined where the unmarked ones are too few for any verdict. */
export function testDetection(
  secret: Secret,
  marked: readonly Document[],
  plain: readonly Document[],
  level: number,
  miss: number,
): DetectionFinding | undefined {
  const on = pValuesOf(secret, marked)
  const off = pValuesOf(secret, plain)
  const levels = LEVELS.filter((one) => plain.length * Math.log(one) <= Math.log(level / LEVELS.length))
  if (levels.length === 0) return undefined
  const verdict = superUniform(off.alone.map(Math.exp), { levels, falseAlarm: level, miss })
  const raw = hits(off.plain, 0.01)
  const rate = raw / Math.max(1, plain.length)
  const isAbove = plain.length > 0 && clopperPearson(raw, plain.length, 0.99).low > 0.01
  const remedy =
    isAbove && verdict.holds
      ? '; above the level because documents share contexts: leave them out with excludeContexts (uwbench calibrate)'
      : ''
  return {
    holds: verdict.holds,
    isUnmarked: marked.length > 0 && hits(on.plain, 0.01) <= Math.max(2, 0.03 * marked.length),
    sees: verdict.levels.at(-1)!.smallestRate,
    rate,
    detail:
      `detected at 1%: ${byLength(on, 0.01)}. False positives of this key: ${share(raw, plain.length)}; ` +
      `${share(hits(off.alone, 0.01), plain.length)} without contexts of other documents; ` +
      `${+(100 * off.shared).toPrecision(2)}% of contexts recur across documents${remedy}`,
  }
}
