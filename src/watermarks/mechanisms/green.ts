/**
 * Green sets: a token is green where its word, shifted, lies below a threshold. Each token is green with probability exactly
 * threshold / 2^32, independently of the others, and asking about one token costs O(1).
 */

import { allTokensTest, binomial, sumDetector } from '../../core/detect/index.ts'
import { active, reweightWords } from '../../core/kernels/index.ts'
import type { Words } from '../../core/keys/index.ts'
import { type Random, wordsOf } from '../../core/keys/index.ts'
import { number } from '../../input.ts'
import type { DeclaredParts, Detector, Weighted } from '../../watermark.ts'
import { ofOwnWord } from './word-score.ts'

export interface GreenSet {
  readonly random: Words
  /** Added to every word, modulo 2^32. */
  readonly shift: number
}

/** A rate of green tokens that 32-bit words can represent. */
export interface GreenRate {
  readonly threshold: number
  readonly rate: number
}

export function greenRate(gamma: unknown): GreenRate {
  const threshold = Math.round(number('gamma', gamma, 0, 1, true) * 2 ** 32)
  number('gamma', threshold / 2 ** 32, 0, 1, true)
  return { threshold, rate: threshold / 2 ** 32 }
}

/** The names of the tests of green tokens; the first is the default. */
export const greenTests = ['guaranteed', 'published'] as const
export type GreenTest = (typeof greenTests)[number]

/** The exact tail over what is independent, or the published z-test over all tokens. */
export const greenDetector = (test: GreenTest, rate: number): Detector =>
  test === 'published' ? allTokensTest('z-test', rate) : sumDetector({ nullLaw: binomial(rate), bound: 1 })

export const drawGreen = (random: Random): GreenSet => ({ random, shift: 0 })

/** The score, 1 for green tokens and 0 for others, with its fast path. */
export const greenScore = (threshold: number): Pick<DeclaredParts<GreenSet>, 'score' | 'fast'> => ({
  score: (token, { random, shift }) => ((random.uint32(token) + shift) >>> 0 < threshold ? 1 : 0),
  fast: ofOwnWord((word) => (word < threshold ? 1 : 0)),
})

/** Writes q: p times one factor for green tokens and another for the rest, which depend on the mass of the green tokens. */
export function greenReweight(
  p: Float64Array,
  green: GreenSet,
  threshold: number,
  factors: (greenMass: number) => { green: number; red: number },
  q: Float64Array,
): void {
  reweightWords(p, green.random, q, (p, words, q) => {
    const factor = factors(active(p).greenMass(p, words, green.shift, threshold))
    active(p).greenScale(p, words, green.shift, threshold, factor.green, factor.red, q)
  })
}

/**
 * All shifts of a green set, as the few that differ: between two breakpoints no token changes colour, and the weight is the
 * distance. A uniform shift makes each token green with probability `rate`.
 */
export function greenOrbit(green: GreenSet, p: Float64Array, threshold: number): Weighted<GreenSet>[] {
  const turn = 2 ** 32
  const cuts = new Set<number>()
  for (let i = 0; i < p.length; i++) {
    if (p[i]! === 0) continue
    const word = green.random.uint32(i)
    cuts.add((turn - word) % turn) // from here the shifted word starts at 0: green
    cuts.add((turn - word + threshold) % turn) // from here it is no longer green
  }
  const shifts = [...cuts].sort((a, b) => a - b)
  return shifts.map((shift, k) => {
    const next = k + 1 < shifts.length ? shifts[k + 1]! : shifts[0]! + turn
    return { code: { random: green.random, shift }, weight: (next - shift) / turn }
  })
}

/** Every green set of a small vocabulary with its probability. */
export function* allGreenSets(vocabSize: number, rate: number): Generator<Weighted<GreenSet>> {
  for (let set = 0; set < 2 ** vocabSize; set++) {
    const words = Array.from({ length: vocabSize }, (_, token) => ((set >>> token) & 1 ? 0 : 2 ** 32 - 1))
    const size = words.filter((word) => word === 0).length
    yield {
      code: { random: wordsOf(words), shift: 0 },
      weight: rate ** size * (1 - rate) ** (vocabSize - size),
    }
  }
}
