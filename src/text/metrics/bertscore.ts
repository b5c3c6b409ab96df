import {
  text as checkText,
  integer,
  iterable,
  list,
  number,
  oneOf,
  outOfRange,
  refuseUnknown,
  wrongType,
} from '../../input.ts'
import type { Encoder } from '../decode/language-model.ts'
import { type Metric, required, sampleTexts } from './metric.ts'

/**
 * BERTScore (Zhang et al., 2020): every token of one text is matched greedily with the most similar token of the other,
 *
 *   R = sum_i w(x_i) max_j cos(x_i, y_j) / sum_i w(x_i),   P the same with the texts exchanged,   F1 = 2PR / (P + R),
 *
 * x the reference, y the candidate. Weights are 1, or inverse document frequencies over the references:
 * w(t) = ln((M + 1) / (m(t) + 1)) for M references of which m(t) contain the token t. Rescaling with a baseline b, the mean score of
 * unrelated texts, maps s to (s - b) / (1 - b). Special tokens take no part.
 *
 * If P or R is not positive, the harmonic mean leaves [-1, 1]; F1 is then min(P, R), which continues it. A text without tokens
 * scores 0. Where all weights of a text vanish (idf of words that are in every reference) they count equally.
 */
export interface BertScore {
  readonly precision: number
  readonly recall: number
  readonly f1: number
}

export interface BertScoreOptions {
  /** `true` takes document frequencies from the references given; a map carries them over from {@link inverseDocumentFrequency}. */
  readonly idf?: boolean | Idf
  /** The mean score of unrelated texts under this encoder; one number, or one per score. */
  readonly baseline?: number | BertScore
  /** Texts that the encoder gets at once. */
  readonly batch?: number
}

/** Weight of a token id. */
export type Idf = (token: number) => number

/**
 * Computes ln((M + 1) / (m + 1)) for a token found in m of M texts.
 * @example inverseDocumentFrequency([[1, 2], [1, 3]])(2) // ln(3 / 2) = 0.4055
 */
export function inverseDocumentFrequency(texts: readonly ArrayLike<number>[]): Idf {
  const documents = new Map<number, number>()
  let count = 0
  for (const text of iterable('texts', texts, 'a list of texts, each a list of tokens')) {
    count++
    for (const token of new Set(Array.from(list<number>('texts', text, 'lists of tokens'))))
      documents.set(token, (documents.get(token) ?? 0) + 1)
  }
  return (token) => Math.log((count + 1) / ((documents.get(token) ?? 0) + 1))
}

/** A text as the matching sees it: unit vectors, row-major, and one weight per token. */
interface Embedded {
  readonly vectors: Float32Array
  readonly weights: Float64Array
}

/**
 * Computes BERTScore of each candidate against its reference.
 * @example
 * const model = await embeddedModel()
 * const [score] = await bertScore(model.hidden, ['the cat sat'], ['the cat sat'])
 * score.f1 // 1.000
 * await model.dispose()
 */
export async function bertScore(
  encoder: Encoder,
  candidates: readonly string[],
  references: readonly string[],
  options: BertScoreOptions = {},
): Promise<BertScore[]> {
  requireEncoder(encoder)
  checkOptions('bertScore', options)
  checkTexts('candidates', candidates)
  checkTexts('references', references)
  if (candidates.length !== references.length)
    throw new RangeError(
      `references: expected ${candidates.length}, one per candidate, got ${references.length}`,
    )
  const encode = (texts: readonly string[]) => texts.map((text) => encoder.tokenizer.encode(text))
  const weight = weighting(options.idf, () => encode(references))
  const rescale = rescaling(options.baseline)
  const batch = options.batch ?? 16
  const scores: BertScore[] = []
  for (let start = 0; start < candidates.length; start += batch) {
    const pairs = [candidates, references].map((texts) => encode(texts.slice(start, start + batch)))
    const [ours, theirs] = await embedAll(encoder, pairs, weight)
    ours!.forEach((candidate, i) => {
      scores.push(rescale(greedyMatch(candidate, theirs![i]!, encoder.width)))
    })
  }
  return scores
}

function requireEncoder(encoder: Encoder): void {
  if (typeof encoder?.hiddenStates !== 'function' || typeof encoder.tokenizer?.encode !== 'function')
    throw wrongType('encoder', 'an encoder such as hidden of a model or await loadEncoder(...)', encoder)
  integer('encoder.width', encoder.width, 1)
}

function checkTexts(name: string, texts: readonly string[]): void {
  Array.from(list<string>(name, texts, 'a list of texts'), (text, i) => checkText(`${name}[${i}]`, text))
}

function checkOptions(name: string, options: BertScoreOptions, more: readonly string[] = []): void {
  refuseUnknown(name, options, ['idf', 'baseline', 'batch', ...more])
  const { idf = false, batch = 16 } = options
  if (typeof idf !== 'boolean' && typeof idf !== 'function')
    throw wrongType('idf', 'true, false or what inverseDocumentFrequency returns', idf)
  integer('batch', batch, 1)
  rescaling(options.baseline)({ precision: 0, recall: 0, f1: 0 })
}

const weighting = (idf: BertScoreOptions['idf'], references: () => number[][]): Idf =>
  typeof idf === 'function' ? idf : idf ? inverseDocumentFrequency(references()) : () => 1

/** Embeds each distinct text of the groups once. */
async function embedAll(encoder: Encoder, groups: readonly number[][][], weight: Idf): Promise<Embedded[][]> {
  const distinct = new Map(groups.flat().map((tokens) => [tokens.join(), tokens]))
  const embedded = new Map<string, Embedded>()
  const texts = [...distinct].filter(([, tokens]) => tokens.length > 0)
  const states = await encoder.hiddenStates(texts.map(([, tokens]) => tokens))
  texts.forEach(([key, tokens], i) => {
    const weights = Float64Array.from(tokens, weight)
    if (weights.every((w) => w === 0)) weights.fill(1)
    if (states[i]?.length !== tokens.length * encoder.width)
      throw outOfRange('encoder.width', 'the length of one vector of its hidden states', encoder.width)
    embedded.set(key, { vectors: unitRows(states[i]!, encoder.width), weights })
  })
  const nothing = { vectors: new Float32Array(0), weights: new Float64Array(0) }
  return groups.map((group) => group.map((tokens) => embedded.get(tokens.join()) ?? nothing))
}

/** Returns the rows scaled to length 1; a zero vector stays zero, at cosine 0 to everything. */
function unitRows(rows: Float32Array, width: number): Float32Array {
  const unit = new Float32Array(rows.length)
  for (let start = 0; start < rows.length; start += width) {
    let square = 0
    for (let i = start; i < start + width; i++) square += rows[i]! * rows[i]!
    if (square > 0) for (let i = start; i < start + width; i++) unit[i] = rows[i]! / Math.sqrt(square)
  }
  return unit
}

function greedyMatch(candidate: Embedded, reference: Embedded, width: number): BertScore {
  const n = candidate.weights.length
  const m = reference.weights.length
  if (n === 0 || m === 0) return { precision: 0, recall: 0, f1: 0 }
  const forCandidate = new Float64Array(n).fill(-1)
  const forReference = new Float64Array(m).fill(-1)
  for (let i = 0; i < n; i++)
    for (let j = 0; j < m; j++) {
      let cosine = 0
      for (let k = 0; k < width; k++)
        cosine += candidate.vectors[i * width + k]! * reference.vectors[j * width + k]!
      cosine = Math.min(1, cosine) // float32 vectors: a text against itself may exceed 1 by rounding
      if (cosine > forCandidate[i]!) forCandidate[i] = cosine
      if (cosine > forReference[j]!) forReference[j] = cosine
    }
  const precision = weightedMean(forCandidate, candidate.weights)
  const recall = weightedMean(forReference, reference.weights)
  return { precision, recall, f1: harmonic(precision, recall) }
}

function weightedMean(values: Float64Array, weights: Float64Array): number {
  let sum = 0
  let total = 0
  for (let i = 0; i < values.length; i++) {
    sum += weights[i]! * values[i]!
    total += weights[i]!
  }
  return sum / total
}

const harmonic = (p: number, r: number): number => (p > 0 && r > 0 ? (2 * p * r) / (p + r) : Math.min(p, r))

function rescaling(baseline: BertScoreOptions['baseline']): (score: BertScore) => BertScore {
  if (baseline === undefined) return (score) => score
  if (typeof baseline !== 'number' && (typeof baseline !== 'object' || baseline === null))
    throw wrongType('baseline', 'a number, or { precision, recall, f1 }', baseline)
  const b = typeof baseline === 'number' ? { precision: baseline, recall: baseline, f1: baseline } : baseline
  const map = (key: keyof BertScore, score: BertScore) =>
    (score[key] - number(`baseline.${key}`, b[key], -1, 0.999)) / (1 - b[key])
  return (score) => ({
    precision: map('precision', score),
    recall: map('recall', score),
    f1: map('f1', score),
  })
}

/**
 * Returns BERTScore as a metric of the benchmark, in [-1, 1] (rescaled: from (-1 - b) / (1 - b)).
 * @example
 * const model = await embeddedModel()
 * bertScoreMetric(model.hidden, { part: 'recall' }).id // 'bertscore(part=recall)'
 * await model.dispose()
 */
export function bertScoreMetric(
  encoder: Encoder,
  given: BertScoreOptions & { readonly part?: keyof BertScore } = {},
): Metric {
  requireEncoder(encoder)
  checkOptions('bertScoreMetric', given, ['part'])
  const { part = 'f1', ...options } = given
  oneOf('part', part, ['precision', 'recall', 'f1'])
  const marks = [`part=${part}`, options.idf ? 'idf' : '', options.baseline === undefined ? '' : 'rescaled']
  const id = `bertscore(${marks.filter(Boolean).join(',')})`
  const lowest = rescaling(options.baseline)({ precision: -1, recall: -1, f1: -1 })
  return {
    id,
    low: lowest[part],
    high: 1,
    better: 'higher',
    needs: ['reference'],
    async score(samples) {
      const references = required(id, samples, 'reference')
      const scores = await bertScore(encoder, sampleTexts(samples), references, options)
      return Float64Array.from(scores, (score) => score[part])
    },
  }
}
