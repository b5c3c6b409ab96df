/**
 * Many texts under one key. Most scores are functions of one or two keyed words of the token, and most contexts the last few tokens at
 * their first use. Then contexts, seeds and words of a whole text are one call of a kernel; whatever else there is goes text by text to
 * the test that `detect` makes, which is also the test of every text with something odd in it.
 */
import { iterable } from '../input.ts'
import { MAX_TEXT, type TextWords, textWords } from '../kernels/text-words.ts'
import type { FirstUses } from '../keys/ngram.ts'
import type { Tokens } from '../keys/rule.ts'
import { contextKeyOf, keyBytes } from '../keys/schedule.ts'
import { checkTokens } from '../keys/tokens.ts'
import type { ManyScores, Watermark } from '../watermark.ts'
import { cut, type Detection, type DetectOptions, skipping, type Test, tester } from './detect.ts'
import { lawFor } from './null-laws.ts'
import type { SumTest } from './sum-detector.ts'

/** Leaves out the positions whose token is skipped, and returns how many are left. Their contexts are used all the same. */
function withoutSkipped(
  { at, first, second }: TextWords,
  count: number,
  tokens: Tokens,
  skip: (token: number) => boolean,
): number {
  let left = 0
  for (let i = 0; i < count; i++) {
    if (skip(tokens[at[i]!]!)) continue
    at[left] = at[i]!
    first[left] = first[i]!
    second[left++] = second[i]!
  }
  return left
}

/** Writes the scores of `count` positions and returns their sum; NaN where one is out of bounds. */
function addScores(
  { at, first, second }: TextWords,
  count: number,
  ofWords: (first: number, second: number) => number,
  bound: number,
  perToken: Float64Array,
): number {
  let sum = 0
  for (let i = 0; i < count; i++) {
    const score = ofWords(first[i]!, second[i]!)
    if (!(score >= 0 && score <= bound)) return Number.NaN
    perToken[at[i]!] = score
    sum += score
  }
  return sum
}

/** The same for scores that a kernel wrote. */
function addKnown({ at, scores }: TextWords, count: number, bound: number, perToken: Float64Array): number {
  let sum = 0
  for (let i = 0; i < count; i++) {
    const score = scores[i]!
    if (!(score >= 0 && score <= bound)) return Number.NaN
    perToken[at[i]!] = score
    sum += score
  }
  return sum
}

/** Whether these are surely ids of the vocabulary; of all others `checkTokens` tells. An array that lost its memory seems empty. */
function areTokens(tokens: unknown, vocabSize: number): boolean {
  if (!(tokens instanceof Int32Array)) return false
  // the sign of either is set for an id out of range
  let bits = tokens.length > 0 ? 0 : -1
  for (let i = 0; i < tokens.length; i++) bits |= tokens[i]! | (vocabSize - 1 - tokens[i]!)
  return bits >= 0
}

/** A new list of scores, none of them known. */
const noScores = (length: number): Float64Array => new Float64Array(length).fill(Number.NaN)

/**
 * The same test in one call of a kernel; undefined where the watermark or the platform does not allow it.
 * @param room where scores per token are written
 */
function wordTester<Code>(
  watermark: Watermark<Code>,
  options: DetectOptions,
  test: Test,
  room: (length: number) => Float64Array,
): Test | undefined {
  const { alpha = 0.01, end, vocabSize } = options
  const { words } = watermark.score as ManyScores<Code>
  const { window } = watermark.context.scored as FirstUses
  const { sum } = watermark.detector!.test as SumTest
  if (
    words?.draw !== watermark.draw ||
    window === undefined ||
    sum === undefined ||
    sum.keyless !== undefined
  )
    return undefined
  const law = lawFor(sum.nullLaw, vocabSize)
  const kernel = textWords()
  if (law.logTailOfContexts !== undefined || kernel === undefined) return undefined
  const skip = options.skip === undefined ? undefined : skipping(options.skip)
  const key = contextKeyOf(keyBytes(options.key), watermark.domain)
  const guaranteed = watermark.detector!.guaranteed ?? true
  const logAlpha = Math.log(alpha)
  const { bound = Number.POSITIVE_INFINITY } = sum
  const compiled = words.score.compiled && kernel.compiled[words.score.compiled]
  return (given, name) => {
    if (!areTokens(given, vocabSize)) checkTokens(given, vocabSize, name)
    const tokens = cut(given, end)
    if (tokens.length > MAX_TEXT) return test(given, name)
    const found = kernel.find(tokens, window, key, words.indices)
    const scored = skip === undefined ? found : withoutSkipped(kernel, found, tokens, skip)
    const perToken = room(tokens.length)
    compiled?.(scored)
    const statistic = compiled
      ? addKnown(kernel, scored, bound, perToken)
      : addScores(kernel, scored, words.score, bound, perToken)
    if (Number.isNaN(statistic)) return test(given, name)
    const logPValue = Math.min(0, scored === 0 ? 0 : law.logTail(statistic, scored))
    if (!(logPValue > Number.NEGATIVE_INFINITY)) return test(given, name)
    const { exact } = law
    const pValue = Math.exp(logPValue)
    const detected = logPValue <= logAlpha
    return { statistic, logPValue, exact, scored, perToken, pValue, guaranteed, detected }
  }
}

/**
 * Tests many texts under one key: the same results as `detect` on each, at millions of tokens per second.
 * @example
 * const texts = [1, 2, 3].map((i) => Array.from({ length: 100 }, (_, t) => (i * t * t) % 997))
 * detectMany(gumbel(), texts, { key: 'secret', vocabSize: 50257 }).map((d) => d.detected) // [false, false, false]
 */
export function detectMany<Code>(
  watermark: Watermark<Code>,
  texts: Iterable<Tokens>,
  options: DetectOptions,
): Detection[] {
  const one = tester(watermark, options)
  const test = wordTester(watermark, options, one, noScores) ?? one
  const each = iterable<Tokens>('texts', texts, 'texts that can be iterated, each a list of token ids')
  return Array.from(each, (tokens, i) => test(tokens, `texts[${i}]`))
}

/** A `Detection` without its scores per token. */
export type TextDetection = Pick<
  Detection,
  'statistic' | 'logPValue' | 'pValue' | 'scored' | 'detected' | 'guaranteed'
>

/** What `detectMany` finds, without scores per token. */
export function detectTexts<Code>(
  watermark: Watermark<Code>,
  texts: readonly Tokens[],
  options: DetectOptions,
): TextDetection[] {
  let scratch = new Float64Array(1024)
  const room = (length: number): Float64Array => {
    if (length > scratch.length) scratch = new Float64Array(2 * length)
    return scratch
  }
  const one = tester(watermark, options)
  const test = wordTester(watermark, options, one, room) ?? one
  return texts.map((tokens, i) => {
    const { statistic, logPValue, pValue, scored, detected, guaranteed } = test(tokens, `texts[${i}]`)
    return { statistic, logPValue, pValue, scored, detected, guaranteed }
  })
}

/** Columns of `outcomesOf`, text after text: statistic, ln p, number of scored tokens. */
export const COLUMNS = 3

/**
 * What `detectMany` finds in texts that lie one after the other in `tokens`, without scores per token: three numbers for each text.
 * @param lengths how many tokens each text has
 */
export function outcomesOf<Code>(
  watermark: Watermark<Code>,
  tokens: Int32Array,
  lengths: Int32Array,
  options: DetectOptions,
): Float64Array {
  const scratch = new Float64Array(lengths.reduce((a, b) => Math.max(a, b), 0))
  const one = tester(watermark, options)
  const test = wordTester(watermark, options, one, () => scratch) ?? one
  const outcomes = new Float64Array(COLUMNS * lengths.length)
  let at = 0
  for (let i = 0; i < lengths.length; i++) {
    const { statistic, logPValue, scored } = test(tokens.subarray(at, at + lengths[i]!))
    outcomes[COLUMNS * i] = statistic
    outcomes[COLUMNS * i + 1] = logPValue
    outcomes[COLUMNS * i + 2] = scored
    at += lengths[i]!
  }
  return outcomes
}
