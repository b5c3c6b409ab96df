/**
 * Many texts under one key. Most scores are functions of one or two keyed words of the token, and most contexts the last few tokens at
 * their first use. Then contexts, seeds and words of a whole text are one call of a kernel; whatever else there is goes text by text to
 * the test that `detect` makes, which is also the test of every text with something odd in it.
 */
import { iterable, outOfRange } from '../../input.ts'
import { type Watermark, wordScore } from '../../watermark.ts'
import { MAX_TEXT, type TextWords, textWords } from '../kernels/text-words.ts'
import type { Tokens } from '../keys/rule.ts'
import { contextKeyOf, secretOf } from '../keys/schedule.ts'
import { checkTokens } from '../keys/tokens.ts'
import { cut, type Detection, type DetectOptions, skipping, type Test, tester } from './detect.ts'
import { lawFor } from './null-laws.ts'

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

/** Adds up functions of the scores, in order. */
function sumOf(
  at: Int32Array,
  count: number,
  scores: Float64Array,
  least: (score: number) => number,
): number {
  let sum = 0
  for (let i = 0; i < count; i++) sum += least(scores[at[i]!]!)
  return sum
}

/** Returns whether these are certainly ids of the vocabulary; `checkTokens` decides about all others. An array that lost its memory seems empty. */
function areTokens(tokens: unknown, vocabSize: number): boolean {
  if (!(tokens instanceof Int32Array)) return false
  // the sign of either is set for an id out of range
  let bits = tokens.length > 0 ? 0 : -1
  for (let i = 0; i < tokens.length; i++) bits |= tokens[i]! | (vocabSize - 1 - tokens[i]!)
  return bits >= 0
}

/** Returns the words that a watermark scores, how many tokens its contexts have and its sum; undefined where one of these is not declared. */
function partsOf<Code>(watermark: Watermark<Code>) {
  const { context: rule, detector } = watermark
  const words = wordScore(watermark)
  const uses = rule.fast?.of === rule.scored ? rule.fast : undefined
  const sums = detector!.fast?.of === detector!.test ? detector!.fast : undefined
  if (words === undefined || uses === undefined || sums === undefined || sums.sum.keyless) return undefined
  if (uses.pairs !== sums.pairs) return undefined
  // own words are found without padding and to any number
  if (!words.engine && (uses.pad ?? uses.limit ?? uses.pairs) !== undefined) return undefined
  return { words, uses, sum: sums.sum, least: sums.least }
}

/**
 * Makes the test of any text: in one call of a kernel, or as `detect` makes it where the watermark or the platform does not allow that.
 * @param room where scores per token are written
 */
function manyTester<Code>(
  watermark: Watermark<Code>,
  options: DetectOptions,
  room: (length: number) => Float64Array,
): Test {
  const one = tester(watermark, options)
  const test: Test = (given, name, prompt) => {
    if (prompt !== undefined) checkTokens(prompt, options.vocabSize, `prompt of ${name}`)
    return one(given, name, prompt)
  }
  const { alpha = 0.01, end, vocabSize } = options
  const parts = partsOf(watermark)
  if (parts === undefined || options.prompt !== undefined || options.excludeContexts !== undefined)
    return test
  const { words, uses, sum, least } = parts
  const law = lawFor(sum.nullLaw, vocabSize)
  const kernel = textWords()
  if (law.logTailOfContexts !== undefined || kernel === undefined) return test
  const skip = options.skip === undefined ? undefined : skipping(options.skip)
  const secret = secretOf(watermark, options.key)
  const engine = words.engine?.(secret)
  const key = contextKeyOf(secret, watermark.domain)
  const find = (tokens: Tokens): number =>
    engine === undefined
      ? kernel.find(tokens, uses.firstUses, key, words.indices)
      : kernel.findFor(tokens, uses, engine)
  const guaranteed = watermark.detector!.guaranteed ?? true
  const logAlpha = Math.log(alpha)
  const { bound = Number.POSITIVE_INFINITY } = sum
  const compiled = words.compiled && kernel.compiled[words.compiled]
  return (given, name, prompt) => {
    if (prompt !== undefined && watermark.context.seesPrompt) return test(given, name, prompt)
    if (!areTokens(given, vocabSize)) checkTokens(given, vocabSize, name)
    const tokens = cut(given, end)
    if (tokens.length > MAX_TEXT) return test(given, name)
    const found = find(tokens)
    const scored = skip === undefined ? found : withoutSkipped(kernel, found, tokens, skip)
    const perToken = room(tokens.length)
    compiled?.(scored)
    const statistic = compiled
      ? addKnown(kernel, scored, bound, perToken)
      : addScores(kernel, scored, words.score, bound, perToken)
    if (Number.isNaN(statistic)) return test(given, name)
    const tested = least === undefined ? statistic : sumOf(kernel.at, scored, perToken, least)
    const logPValue = Math.min(0, scored === 0 ? 0 : law.logTail(tested, scored))
    if (!(logPValue > Number.NEGATIVE_INFINITY)) return test(given, name)
    const exact = law.exact && least === undefined
    const pValue = Math.exp(logPValue)
    const detected = logPValue <= logAlpha
    return { statistic, logPValue, exact, scored, perToken, pValue, guaranteed, detected }
  }
}

export interface DetectManyOptions extends DetectOptions {
  /** The tokens before each text, in the order of the texts; undefined where they are not known. */
  readonly prompts?: Iterable<Tokens | undefined>
}

/** Returns the prompt of each text. */
function promptOf({ prompt, prompts }: DetectManyOptions): (text: number) => Tokens | undefined {
  if (prompts === undefined) return () => undefined
  if (prompt !== undefined)
    throw outOfRange('prompts', 'none where one `prompt` goes before all texts', 'both')
  const each = Array.from(
    iterable<Tokens | undefined>('prompts', prompts, 'lists of token ids, one per text'),
  )
  return (text) => {
    if (text < each.length) return each[text]
    throw outOfRange('prompts', 'one for each text, or undefined', `${each.length} for more texts`)
  }
}

/**
 * Tests many texts under one key: the same results as `detect` on each, at millions of tokens per second.
 * @example
 * const texts = [1, 2, 3].map((i) => Array.from({ length: 100 }, (_, t) => (i * t * t) % 997))
 * detectMany(gumbel(), texts, { key: 'a long secret key', vocabSize: 50257 }).map((d) => d.detected) // [false, false, false]
 */
export function detectMany<Code>(
  watermark: Watermark<Code>,
  texts: Iterable<Tokens>,
  options: DetectManyOptions,
): Detection[] {
  const { prompts, ...shared } = options ?? {}
  const before = promptOf({ ...shared, prompts })
  const test = manyTester(watermark, shared, (length) => new Float64Array(length).fill(Number.NaN))
  const each = iterable<Tokens>('texts', texts, 'texts that can be iterated, each a list of token ids')
  return Array.from(each, (tokens, i) => test(tokens, `texts[${i}]`, before(i)))
}

/** A `Detection` without its scores per token. */
export type TextDetection = Pick<
  Detection,
  'statistic' | 'logPValue' | 'pValue' | 'scored' | 'detected' | 'guaranteed'
>

/** Makes room for the scores of any text, which nobody reads. */
function unreadScores(): (length: number) => Float64Array {
  let scratch = new Float64Array(1024)
  return (length) => {
    if (length > scratch.length) scratch = new Float64Array(2 * length)
    return scratch
  }
}

/** Returns what `detectMany` finds, without scores per token. */
export function detectTexts<Code>(
  watermark: Watermark<Code>,
  texts: readonly Tokens[],
  options: DetectOptions,
  prompts: readonly (Tokens | undefined)[] = [],
): TextDetection[] {
  const test = manyTester(watermark, options, unreadScores())
  return texts.map((tokens, i) => {
    const { statistic, logPValue, pValue, scored, detected, guaranteed } = test(
      tokens,
      `texts[${i}]`,
      prompts[i],
    )
    return { statistic, logPValue, pValue, scored, detected, guaranteed }
  })
}

/** Columns of `outcomesOf`, text after text: statistic, ln p, number of scored tokens. */
export const COLUMNS = 3

/**
 * Returns what `detectMany` finds in texts that lie one after the other in `tokens`, without scores per token: three numbers for each text.
 * @param lengths how many tokens each text has
 */
export function outcomesOf<Code>(
  watermark: Watermark<Code>,
  tokens: Int32Array,
  lengths: Int32Array,
  options: DetectOptions,
): Float64Array {
  const test = manyTester(watermark, options, unreadScores())
  const outcomes = new Float64Array(COLUMNS * lengths.length)
  let at = 0
  for (let i = 0; i < lengths.length; i++) {
    const { statistic, logPValue, scored } = test(tokens.subarray(at, at + lengths[i]!))
    outcomes.set([statistic, logPValue, scored], COLUMNS * i)
    at += lengths[i]!
  }
  return outcomes
}
