import { integer, iterable, number, outOfRange, requireOptions } from '../../input.ts'
import { type AnyWatermark, requireWatermark } from '../../watermark.ts'
import type { ContextRule, Tokens } from '../keys/rule.ts'
import { keyBytes } from '../keys/schedule.ts'
import { type Detection, type DetectOptions, detect } from './detect.ts'

/** The options of `detect`, but for the key. */
export type DetectAnyOptions = Omit<DetectOptions, 'key'>

/** The test of one watermark under one key. */
export interface Candidate {
  readonly watermark: AnyWatermark
  /** The index of the key, from 0. */
  readonly keyIndex: number
  /** The test on its own. */
  readonly detection: Detection
  /** The p-value corrected for all tests (Holm): P(any candidate that did not mark the text has one of at most a) <= a. */
  readonly pValue: number
  /** Natural log of the corrected p-value. */
  readonly logPValue: number
  /** True if the corrected p-value is at most alpha. */
  readonly detected: boolean
}

/** The tests of several watermarks and keys on one text. */
export interface AnyDetection {
  /** P(pValue <= a) <= a for every a if the text was written without any of the keys; see `guaranteed`. */
  readonly pValue: number
  readonly logPValue: number
  /** True if that is promised, which needs the promise of every test. One p-value as published code prints it is enough to spoil the correction. */
  readonly guaranteed: boolean
  /** True if pValue <= alpha. */
  readonly detected: boolean
  /** Every watermark under every key, the most evident first. */
  readonly candidates: readonly Candidate[]
}

/** The watermark with what its rule says of this one text kept: contexts depend on the rule, not on the key. */
function sharing(
  watermark: AnyWatermark,
  kept: Map<string, ReturnType<ContextRule['scored']>>,
): AnyWatermark {
  const { context: rule } = watermark
  const scored: ContextRule['scored'] = (tokens, skip, start) => {
    const contexts = kept.get(rule.id) ?? rule.scored(tokens, skip, start)
    kept.set(rule.id, contexts)
    return contexts
  }
  return { ...watermark, context: { ...rule, scored } }
}

/** Lists what can be iterated, each entry checked as it comes: an iterator may never end. */
function listOf<T>(name: string, values: unknown, check: (name: string, value: T) => void): T[] {
  const entries: T[] = []
  for (const value of iterable<T>(name, values, `${name} that can be iterated, such as an array`)) {
    check(`${name}[${entries.length}]`, value)
    entries.push(value)
  }
  return entries
}

/** Keys that differ: one given twice would be counted as two tests, and found twice. */
function differentKeys(keys: unknown): (string | Uint8Array)[] {
  const seen = new Set<string>()
  return listOf<string | Uint8Array>('keys', keys, (name, key) => {
    const bytes = keyBytes(key).join()
    if (seen.has(bytes)) throw new RangeError(`${name}: expected a key that was not given before`)
    seen.add(bytes)
  })
}

/**
 * Tests one text for several watermarks under several keys, with p-values corrected for the number of tests. Leave out what differs only in
 * how strongly it marks, such as `kgw({ delta: 1 })` beside `kgw({ delta: 2 })`: the test is the same, and counts twice.
 * @example
 * const tokens = Array.from({ length: 100 }, (_, t) => (t * t) % 997)
 * const keys = ['the first tenant of many', 'the second tenant of many']
 * detectAny([gumbel(), synthid()], keys, tokens, { vocabSize: 50257 }).detected // false
 */
export function detectAny(
  watermarks: Iterable<AnyWatermark>,
  keys: Iterable<string | Uint8Array>,
  tokens: Tokens,
  options: DetectAnyOptions,
): AnyDetection {
  requireOptions('detectAny', options, ['vocabSize', 'alpha', 'skip', 'end', 'runs', 'prompt'])
  const { alpha = 0.01 } = options
  number('alpha', alpha, 0, 1, true)
  const marks = listOf<AnyWatermark>('watermarks', watermarks, (name, mark) => requireWatermark(mark, name))
  const secrets = differentKeys(keys)
  const tests = marks.length * secrets.length
  if (tests === 0) throw outOfRange(marks.length === 0 ? 'watermarks' : 'keys', 'at least one', [])
  const kept = new Map<string, ReturnType<ContextRule['scored']>>()
  // an iterator can be read only once
  const skip = listOf<number>('skip', options.skip ?? [], (name, id) => integer(name, id, 0))
  const found = marks.flatMap((watermark) => {
    const sharer = sharing(watermark, kept)
    return secrets.map((key, keyIndex) => {
      // each permutation test must be able to reach its share of alpha
      const detection = detect(sharer, tokens, { ...options, skip, key, alpha: alpha / tests })
      return { watermark, keyIndex, detection }
    })
  })
  found.sort((a, b) => a.detection.logPValue - b.detection.logPValue)
  let largest = Number.NEGATIVE_INFINITY
  const candidates = found.map(({ watermark, keyIndex, detection }, rank): Candidate => {
    largest = Math.min(0, Math.max(largest, detection.logPValue + Math.log(tests - rank)))
    const detected = largest <= Math.log(alpha)
    return { watermark, keyIndex, detection, pValue: Math.exp(largest), logPValue: largest, detected }
  })
  const { pValue, logPValue, detected } = candidates[0]!
  const guaranteed = candidates.every(({ detection }) => detection.guaranteed)
  return { pValue, logPValue, guaranteed, detected, candidates }
}
