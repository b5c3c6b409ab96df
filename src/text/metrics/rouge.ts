import { boolean, text as checkText, integer, oneOf, refuseUnknown } from '../../input.ts'
import { lcsLength, lcsPositions } from './lcs.ts'
import { comparison, type Metric } from './metric.ts'
import { ngramCounts, ngramTotal, overlap } from './ngrams.ts'
import { porterStem } from './porter.ts'

/**
 * ROUGE (Lin, 2004) as Google's `rouge_score` computes it. Words are runs of a-z and 0-9 of the lower-cased text; with `stem`,
 * words of more than three letters are stemmed. Precision and recall divide what is shared by the candidate's and the
 * reference's size, F1 is their harmonic mean; what has nothing to share scores 0.
 */
export interface RougeOptions {
  readonly stem?: boolean
}

function stemOf(options: RougeOptions): boolean {
  refuseUnknown('rouge', options, ['stem'])
  return boolean('stem', options.stem ?? false)
}

/** Each in [0, 1]. */
export interface RougeScore {
  readonly precision: number
  readonly recall: number
  readonly f1: number
}

/**
 * Returns the words ROUGE compares.
 * @example rougeWords('The cats ran.', { stem: true }) // ['the', 'cat', 'ran']
 */
export function rougeWords(text: string, options: RougeOptions = {}): string[] {
  const stem = stemOf(options)
  checkText('text', text)
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return stem ? words.map((word) => (word.length > 3 ? porterStem(word) : word)) : words
}

function rougeOf(shared: number, candidate: number, reference: number): RougeScore {
  if (shared === 0) return { precision: 0, recall: 0, f1: 0 }
  const precision = shared / candidate
  const recall = shared / reference
  return { precision, recall, f1: (2 * precision * recall) / (precision + recall) }
}

/**
 * Computes ROUGE-n: shared n-grams, each counted as often as in both.
 *
 * @example rougeN('testing one', 'testing one two', 2) // { precision: 1, recall: 0.5, f1: 0.6666666666666666 }
 */
export function rougeN(
  candidate: string,
  reference: string,
  n: number,
  options: RougeOptions = {},
): RougeScore {
  integer('n', n, 1, 9)
  const ours = rougeWords(candidate, options)
  const theirs = rougeWords(reference, options)
  const shared = overlap(ngramCounts(theirs, n), ngramCounts(ours, n))
  return rougeOf(shared, ngramTotal(ours.length, n), ngramTotal(theirs.length, n))
}

/**
 * Computes ROUGE-L: the longest common subsequence of the two texts, line ends ignored.
 *
 * @example rougeL('testing two', 'testing one two').f1 // 0.8
 */
export function rougeL(candidate: string, reference: string, options: RougeOptions = {}): RougeScore {
  const ours = rougeWords(candidate, options)
  const theirs = rougeWords(reference, options)
  return rougeOf(lcsLength(ours, theirs), ours.length, theirs.length)
}

/**
 * Computes ROUGE-L of a summary, one sentence per line: for each reference sentence the union of its longest common subsequences with all
 * candidate sentences, no word used more often than it occurs.
 * @example rougeLsum('w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5', 'w1 w2 w3 w4 w5') // { precision: 0.4, recall: 0.8, f1: 0.5333 }
 */
export function rougeLsum(candidate: string, reference: string, options: RougeOptions = {}): RougeScore {
  checkText('candidate', candidate)
  checkText('reference', reference)
  const lines = (text: string) => text.split('\n').map((line) => rougeWords(line, options))
  const ours = lines(candidate)
  const theirs = lines(reference)
  const left = [ours, theirs].map((sentences) => ngramCounts(sentences.flat(), 1))
  let shared = 0
  for (const sentence of theirs) {
    const union = new Set(ours.flatMap((own) => lcsPositions(sentence, own)))
    for (const position of union) {
      const word = sentence[position]!
      if (left.some((counts) => (counts.get(word) ?? 0) === 0)) continue
      for (const counts of left) counts.set(word, counts.get(word)! - 1)
      shared++
    }
  }
  return rougeOf(shared, ours.flat().length, theirs.flat().length)
}

/**
 * Returns ROUGE F1 as a metric of the benchmark, in [0, 1].
 *
 * @example rouge('L', { stem: true }).id // 'rougeL(stem)'
 */
export function rouge(kind: 1 | 2 | 'L' | 'Lsum', options: RougeOptions = {}): Metric {
  oneOf('kind', kind, [1, 2, 'L', 'Lsum'])
  const stem = stemOf(options)
  const score = kind === 'L' ? rougeL : kind === 'Lsum' ? rougeLsum : undefined
  return comparison(
    { id: `rouge${kind}${stem ? '(stem)' : ''}`, low: 0, high: 1, better: 'higher' },
    (text, reference) =>
      (score ? score(text, reference, options) : rougeN(text, reference, kind as number, options)).f1,
  )
}
