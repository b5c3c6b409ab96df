/** Exact averages of q: over a code's orbit, or over every code. */
import { type Watermark, type Weighted, weightedOrbit } from '../../watermark.ts'
import { oneCode } from './codes.ts'
import { Violation } from './for-all.ts'

/** Float64 sums of a toy vocabulary stray less than this. */
const ROUNDING = 1e-12
/** More codes than this are not listed one by one. */
const MOST_LISTED = 2 ** 12

/** The weighted average of q over codes. */
export function averageOf<Code>(
  watermark: Watermark<Code>,
  members: Iterable<Weighted<Code>>,
  p: Float64Array,
): Float64Array {
  const mean = new Float64Array(p.length)
  const q = new Float64Array(p.length)
  let total = 0
  for (const { code, weight } of members) {
    if (!(weight >= 0)) throw new Violation(`a weight of ${weight} in the average`)
    watermark.reweight(p, code, q)
    for (let i = 0; i < p.length; i++) mean[i]! += weight * q[i]!
    total += weight
  }
  if (!(Math.abs(total - 1) <= ROUNDING))
    throw new Violation(`the weights of the average sum to ${total}, not 1`)
  return mean
}

/** Total variation between two distributions. */
export function totalVariation(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i]! - b[i]!)
  return sum / 2
}

/** Vocabularies beyond this are not listed code by code. */
const LARGEST_LISTED = 4

/** The largest vocabulary, up to four tokens, whose codes the watermark lists and are not too many; else 0. */
export function listedVocabulary<Code>(watermark: Watermark<Code>): number {
  if (watermark.enumerate === undefined) return 0
  for (let vocabSize = LARGEST_LISTED; vocabSize >= 2; vocabSize--) {
    let left = MOST_LISTED
    for (const _ of watermark.enumerate(vocabSize)) if (--left < 0) break
    if (left >= 0) return vocabSize
  }
  return 0
}

/** The largest vocabulary whose average of q is computed exactly: any with an orbit, few tokens with a list of codes. */
export const exactVocabulary = <Code>(watermark: Watermark<Code>): number =>
  watermark.orbit === undefined ? listedVocabulary(watermark) : Number.POSITIVE_INFINITY

/** The codes to average over: the orbit of a code, or every code where no orbit is declared. */
export const membersFor = <Code>(
  watermark: Watermark<Code>,
  code: Code,
  p: Float64Array,
): Iterable<Weighted<Code>> =>
  watermark.orbit === undefined ? watermark.enumerate!(p.length) : weightedOrbit(watermark, code, p)!

/** Returns whether the orbit of a code has at most `most` members. */
export function isAverageable<Code>(
  watermark: Watermark<Code>,
  p: Float64Array,
  keys: number,
  most: number,
): boolean {
  let left = most
  for (const _ of watermark.orbit!(oneCode(watermark, keys, p.length), p)) if (--left < 0) return false
  return true
}

const digits = (x: number): string => `${+x.toPrecision(4)}`
/** Longer averages are not printed whole. */
const READABLE = 8

/** Prints an average, or where it is furthest from p. */
function shown(mean: Float64Array, p: Float64Array): string {
  if (mean.length <= READABLE) return `[${[...mean].map(digits).join(', ')}]`
  const off = mean.map((m, i) => Math.abs(m - p[i]!))
  const worst = off.indexOf(Math.max(...off))
  return `${digits(mean[worst]!)} at token ${worst}, where p is ${digits(p[worst]!)}`
}

/** Throws where an average is not p. */
export function mustEqual(mean: Float64Array, p: Float64Array, what: string): void {
  const bias = totalVariation(mean, p)
  if (bias <= ROUNDING * Math.max(1, p.length / 8)) return
  throw new Violation(`${what} is ${shown(mean, p)}: ${bias.toPrecision(3)} away in total variation`)
}
