/** Fast paths against the plain functions that they stand in for, of shipped watermarks and of any others. */
import {
  codeAt,
  type FastPaths,
  fastScores,
  reweightMany,
  type Watermark,
  wordScore,
} from '../../watermark.ts'
import type { Context, KeySchedule } from '../keys/schedule.ts'
import { keySchedule } from '../keys/schedule.ts'
import { type Stream, seededRandom } from '../keys/stream.ts'
import { walk } from '../keys/walk.ts'
import { detect } from './detect.ts'
import { detectMany } from './detect-many.ts'

export interface FastPathOptions {
  /** Default 64. */
  readonly vocabSize?: number
  /** Other seeds give other keys, texts and distributions. Default 0. */
  readonly seed?: number | string
}

/** Codes at the marked positions of a text, and its tokens: what a fast path is tried on. */
interface Sample<Code> {
  readonly watermark: Watermark<Code>
  readonly schedule: KeySchedule
  readonly vocabSize: number
  readonly contexts: readonly Context[]
  readonly codes: readonly Code[]
  readonly tokens: Int32Array
  readonly stream: Stream
}

/** Tokens of a text, and the most codes that are drawn for it. */
const [LENGTH, CODES] = [80, 12]

/** Returns whether two results differ by rounding at most. */
const isClose = (a: number, b: number, rounding = 1e-12): boolean =>
  a === b || Math.abs(a - b) <= rounding * (1 + Math.abs(b))

/** The most that rows of q may differ: a watermark in another process may compute batches in float32. */
const FLOAT32 = 1e-6

const differs = (path: string, got: number, plain: number, where: string): string =>
  `${path}: expected ${plain}, as the plain function gives, got ${got} (${where})`

function scoreManyError<Code>({ watermark, codes, contexts, tokens }: Sample<Code>): string | undefined {
  const { scoreMany } = fastScores(watermark)
  const out = new Float64Array(tokens.length)
  for (const [k, code] of scoreMany === undefined ? [] : codes.entries()) {
    scoreMany!(tokens, code, out)
    for (const [i, token] of tokens.entries()) {
      const plain = watermark.score(token, code)
      if (!isClose(out[i]!, plain))
        return differs('fast.scoreMany', out[i]!, plain, `token ${token} after ${contexts[k]}`)
    }
  }
  return undefined
}

function scoreEachError<Code>({ watermark, codes, contexts, tokens }: Sample<Code>): string | undefined {
  const { scoreEach } = fastScores(watermark)
  if (scoreEach === undefined) return undefined
  const several = tokens.subarray(0, codes.length)
  const out = new Float64Array(codes.length)
  scoreEach(several, (i) => codes[i]!, out)
  for (const [i, token] of several.entries()) {
    const plain = watermark.score(token, codes[i]!)
    if (!isClose(out[i]!, plain))
      return differs('fast.scoreEach', out[i]!, plain, `token ${token} after ${contexts[i]}`)
  }
  return undefined
}

/** In place of a second word that `indices` does not ask for: a score that looks at it is found out. */
const NO_WORD = 0x9e3779b9

function wordsError<Code>(sample: Sample<Code>): string | undefined {
  const { watermark, schedule, codes, contexts, tokens } = sample
  const words = wordScore(watermark)
  // words of an engine are compared in whole texts
  if (words === undefined || words.engine) return undefined
  const { indices, score } = words
  for (const [k, context] of contexts.entries()) {
    const random = schedule.random(context)
    for (const token of tokens) {
      const wordAt = (i: number): number =>
        i < indices.length ? random.uint32((token & indices[i]!) ^ indices[i + 1]!) : NO_WORD
      const [got, plain] = [score(wordAt(0), wordAt(2)), watermark.score(token, codes[k]!)]
      if (!Number.isNaN(got) && got !== plain)
        return differs('fast.words', got, plain, `token ${token} after ${context}`)
    }
  }
  return undefined
}

/** A distribution with mass on some or all tokens. */
function someDistribution(vocabSize: number, stream: Stream): Float64Array {
  const masses = Float64Array.from({ length: vocabSize }, (_, i) =>
    i === 0 || stream.below(4) > 0 ? stream.uniform() : 0,
  )
  const total = masses.reduce((sum, mass) => sum + mass, 0)
  return masses.map((mass) => mass / total)
}

function reweightManyError<Code>(sample: Sample<Code>): string | undefined {
  const { watermark, codes, contexts, vocabSize, stream } = sample
  const many: FastPaths<Code>['reweightMany'] = reweightMany(watermark)
  if (many === undefined) return undefined
  const p = someDistribution(vocabSize, stream)
  const [rows, q] = [new Float64Array(codes.length * vocabSize), new Float64Array(vocabSize)]
  many(p, codes, rows)
  for (const [k, code] of codes.entries()) {
    watermark.reweight(p, code, q)
    for (let i = 0; i < vocabSize; i++)
      if (!isClose(rows[k * vocabSize + i]!, q[i]!, FLOAT32))
        return differs(
          'fast.reweightMany',
          rows[k * vocabSize + i]!,
          q[i]!,
          `mass of token ${i} after ${contexts[k]}`,
        )
  }
  return undefined
}

/** Whole texts, with the fast paths of the context rule and of the detector: `detectMany` against `detect`. */
function detectManyError<Code>(
  watermark: Watermark<Code>,
  texts: readonly Int32Array[],
  key: string,
  vocabSize: number,
): string | undefined {
  if (wordScore(watermark) === undefined || watermark.detector === undefined) return undefined
  for (const skip of [[], [texts[0]![0]!]]) {
    const options = { key, vocabSize, skip }
    for (const [i, got] of detectMany(watermark, texts, options).entries()) {
      const plain = detect(watermark, texts[i]!, options)
      const where = `text ${texts[i]!.join()}`
      for (const field of ['statistic', 'scored', 'logPValue'] as const)
        if (got[field] !== plain[field])
          return differs(`${field} of detectMany`, got[field], plain[field], where)
      const t = plain.perToken.findIndex((score, at) => !Object.is(score, got.perToken[at]))
      if (t >= 0) return differs(`score ${t} of detectMany`, got.perToken[t]!, plain.perToken[t]!, where)
    }
  }
  return undefined
}

/**
 * Compares the fast paths of a watermark with its plain functions, on codes of random texts under a random key, and on whole
 * texts. Returns the first difference in words, or undefined where all agree.
 * @example fastPathError(gumbel()) // undefined
 */
export function fastPathError<Code>(
  watermark: Watermark<Code>,
  { vocabSize = 64, seed = 0 }: FastPathOptions = {},
): string | undefined {
  const stream = seededRandom(seed, 'fast paths')
  const key = `uwbench law fast paths ${seed}`
  const schedule = keySchedule(key, watermark.domain)
  // few types, so that contexts recur, and all of them
  const texts = [4, vocabSize].map((types) =>
    Int32Array.from({ length: LENGTH }, () => stream.below(Math.min(types, vocabSize))),
  )
  for (const tokens of texts) {
    const marked = [...walk(watermark.context, tokens)].filter((context) => context !== undefined)
    const contexts = marked.slice(0, CODES).map((context) => [...context])
    const codes = contexts.map((context) => codeAt(watermark, schedule, vocabSize, context))
    const sample = { watermark, schedule, vocabSize, contexts, codes, tokens, stream }
    for (const check of [scoreManyError, scoreEachError, wordsError, reweightManyError]) {
      const error = check(sample)
      if (error !== undefined) return error
    }
  }
  return detectManyError(watermark, texts, key, vocabSize)
}
