import { boolean, text as checkText, integer, list, number, oneOf, refuseUnknown } from '../../input.ts'
import { comparison, type Metric, required, sampleTexts } from './metric.ts'
import { ngramCounts, ngramTotal, overlap } from './ngrams.ts'
import { splitWords, tokenize13a } from './tokenize13a.ts'

/**
 * BLEU (Papineni et al., 2002) as sacreBLEU (Post, 2018) computes it, so that values can be compared across papers:
 *
 *   BLEU = 100 BP exp( 1/N sum_{n=1..N} ln p_n ),   BP = exp(1 - r/c) if c < r, else 1,
 *
 * p_n the share of the hypotheses' n-grams found in their references (clipped counts), c and r the total lengths. An order with no
 * match has p_n = 0 and would make the whole score 0; smoothing (Chen and Cherry, 2014) replaces it:
 *   exp    p_n = 1 / (2^k total), k counting such orders so far (mteval's own)
 *   floor  p_n = value / total, value 0.1
 *   add-k  p_n = (match + value) / (total + value) for n > 1, value 1
 * A score without a single matching word is 0 whatever the smoothing.
 */
export interface BleuOptions {
  readonly tokenize?: '13a' | 'none'
  readonly lowercase?: boolean
  readonly smoothing?: 'exp' | 'floor' | 'add-k' | 'none'
  /** The constant of `floor` (default 0.1) and `add-k` (default 1). */
  readonly smoothingValue?: number
  /** Highest order of n-grams, N. */
  readonly maxOrder?: number
  /** Average only over orders the hypothesis is long enough for; otherwise a text shorter than N words scores 0. */
  readonly effectiveOrder?: boolean
}

/** A BLEU score and its parts. */
export interface BleuScore {
  /** In [0, 100]. */
  readonly score: number
  /** Smoothed n-gram precisions in [0, 100], n = 1..N. */
  readonly precisions: readonly number[]
  readonly brevityPenalty: number
  readonly hypothesisLength: number
  readonly referenceLength: number
}

function checkOptions(options: BleuOptions): void {
  refuseUnknown('bleu', options, [
    'tokenize',
    'lowercase',
    'smoothing',
    'smoothingValue',
    'maxOrder',
    'effectiveOrder',
  ])
  if (options.tokenize !== undefined) oneOf('tokenize', options.tokenize, ['13a', 'none'])
  if (options.smoothing !== undefined)
    oneOf('smoothing', options.smoothing, ['exp', 'floor', 'add-k', 'none'])
  if (options.lowercase !== undefined) boolean('lowercase', options.lowercase)
  if (options.effectiveOrder !== undefined) boolean('effectiveOrder', options.effectiveOrder)
}

/** Sufficient statistics: they add up over sentences. */
interface Counts {
  readonly matches: number[]
  readonly totals: number[]
  hypothesisLength: number
  referenceLength: number
}

const noCounts = (order: number): Counts => ({
  matches: Array(order).fill(0),
  totals: Array(order).fill(0),
  hypothesisLength: 0,
  referenceLength: 0,
})

/**
 * Computes BLEU of a corpus: counts are added over all sentences before precisions are taken. One or several references per hypothesis.
 *
 * @example corpusBleu(['The dog bit the man.'], [['The dog bit the man.', 'The dog had bit the man.']]).score // 100
 */
export function corpusBleu(
  hypotheses: readonly string[],
  references: readonly (string | readonly string[])[],
  options: BleuOptions = {},
): BleuScore {
  checkOptions(options)
  list('hypotheses', hypotheses, 'a list of texts')
  list('references', references, 'a list of texts, or of lists of them')
  if (hypotheses.length !== references.length)
    throw new RangeError(
      `references: expected ${hypotheses.length}, one entry per hypothesis, got ${references.length}`,
    )
  const order = integer('maxOrder', options.maxOrder ?? 4, 1, 64)
  const counts = noCounts(order)
  for (let i = 0; i < hypotheses.length; i++) {
    const own = references[i]!
    const several =
      typeof own === 'string'
        ? [own]
        : Array.from(list<string>(`references[${i}]`, own, 'a text or a list of texts'))
    addSentence(counts, checkText(`hypotheses[${i}]`, hypotheses[i]), several, options)
  }
  return fromCounts(counts, options)
}

/**
 * Computes BLEU of one sentence, with the effective order as sacreBLEU's `sentence_bleu`.
 *
 * @example sentenceBleu('this is a fest', 'this is a test', { smoothing: 'floor', smoothingValue: 0.01 }).score // 22.3607
 */
export const sentenceBleu = (
  hypothesis: string,
  references: string | readonly string[],
  options: BleuOptions = {},
): BleuScore => {
  checkOptions(options)
  return corpusBleu([hypothesis], [references], { effectiveOrder: true, ...options })
}

/** Returns the counts of one sentence as numbers: matches and totals of orders 1 to 4, then the two lengths. They add up. */
export function bleuCounts(hypothesis: string, reference: string): number[] {
  const counts = noCounts(4)
  addSentence(counts, hypothesis, [reference], {})
  return [...counts.matches, ...counts.totals, counts.hypothesisLength, counts.referenceLength]
}

/** Computes BLEU of a corpus from the counts of its sentences. */
export function bleuOfCounts(sentences: readonly (readonly number[])[]): number {
  const sums: number[] = Array(10).fill(0)
  for (const counts of sentences) for (let i = 0; i < sums.length; i++) sums[i]! += counts[i]!
  const [matches, totals] = [sums.slice(0, 4), sums.slice(4, 8)]
  return fromCounts({ matches, totals, hypothesisLength: sums[8]!, referenceLength: sums[9]! }, {}).score
}

function addSentence(
  counts: Counts,
  hypothesis: string,
  references: readonly string[],
  options: BleuOptions,
): void {
  if (references.length === 0) throw new RangeError('references: expected at least one, got none')
  const words = wordsOf(hypothesis, options)
  const others = references.map((reference) => wordsOf(checkText('references', reference), options))
  for (let n = 1; n <= counts.matches.length; n++) {
    const best = new Map<string, number>() // the most an n-gram occurs in any one reference
    for (const other of others)
      for (const [key, count] of ngramCounts(other, n)) best.set(key, Math.max(best.get(key) ?? 0, count))
    counts.matches[n - 1]! += overlap(ngramCounts(words, n), best)
    counts.totals[n - 1]! += ngramTotal(words.length, n)
  }
  counts.hypothesisLength += words.length
  counts.referenceLength += closest(
    words.length,
    others.map((other) => other.length),
  )
}

const wordsOf = (text: string, { tokenize = '13a', lowercase = false }: BleuOptions): string[] =>
  (tokenize === '13a' ? tokenize13a : splitWords)(lowercase ? text.toLowerCase() : text)

/** Returns the reference length nearest to the hypothesis'; the shorter of two equally near. */
const closest = (length: number, lengths: readonly number[]): number =>
  lengths.reduce((best, next) => {
    const gain = Math.abs(length - best) - Math.abs(length - next)
    return gain > 0 || (gain === 0 && next < best) ? next : best
  })

function fromCounts(counts: Counts, options: BleuOptions): BleuScore {
  const { smoothing = 'exp', effectiveOrder = false } = options
  const value = options.smoothingValue ?? (smoothing === 'add-k' ? 1 : 0.1)
  number('smoothingValue', value, 0, Number.MAX_VALUE)
  const { matches, totals, hypothesisLength, referenceLength } = counts
  const brevityPenalty =
    hypothesisLength >= referenceLength
      ? 1
      : hypothesisLength === 0
        ? 0
        : Math.exp(1 - referenceLength / hypothesisLength)
  const shares: number[] = Array(matches.length).fill(0)
  const result = (score: number): BleuScore => ({
    score,
    precisions: shares.map((share) => 100 * share),
    brevityPenalty,
    hypothesisLength,
    referenceLength,
  })
  if (matches.every((count) => count === 0)) return result(0)

  let unmatched = 0
  let orders = matches.length
  for (let n = 0; n < matches.length; n++) {
    const add = smoothing === 'add-k' && n > 0 ? value : 0
    const match = matches[n]! + add
    const total = totals[n]! + add
    if (total === 0) break
    if (effectiveOrder) orders = n + 1
    if (match > 0) shares[n] = match / total
    else if (smoothing === 'exp') shares[n] = 1 / (2 ** ++unmatched * total)
    else if (smoothing === 'floor') shares[n] = value / total
  }
  const logs = shares.slice(0, orders).reduce((sum, share) => sum + Math.log(share), 0)
  return result(100 * brevityPenalty * Math.exp(logs / orders))
}

/**
 * Returns BLEU as a metric of the benchmark: per sentence in [0, 100], and of a whole corpus.
 *
 * @example (await bleu().score([{ text: 'a b', reference: 'a b' }]))[0] // 100
 */
export function bleu(options: BleuOptions = {}): Metric {
  checkOptions(options)
  const changed = Object.entries(options).map(([name, value]) => `${name}=${value}`)
  const id = changed.length === 0 ? 'bleu' : `bleu(${changed.sort().join(',')})`
  return {
    ...comparison(
      { id, low: 0, high: 100, better: 'higher' },
      (text, reference) => sentenceBleu(text, reference, options).score,
    ),
    corpus: async (samples) =>
      corpusBleu(sampleTexts(samples), required(id, samples, 'reference'), options).score,
  }
}
