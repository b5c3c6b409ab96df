/**
 * Christ, Gunn and Zamir (2023), "Undetectable watermarks": tokens are written in binary, and each bit is sampled with one
 * uniform number: bit 1 where u < pi, pi being the probability of a 1 given the bits before. A bit that only one value
 * allows (the vocabulary is no power of two) is forced and not scored.
 */
import { exponential, scanDetector } from '../core/detect/index.ts'
import { active, scratchCodes } from '../core/kernels/index.ts'
import { Expansion, prefix, type Random } from '../core/keys/index.ts'
import { defineMethod, type MethodParts, parameter } from '../core/method/index.ts'
import type { Weighted } from '../watermark.ts'

/** One uniform number per bit, highest bit first. */
export interface BitUniforms {
  at(bit: number): number
  readonly vocabSize: number
  /** The randomness that the numbers were drawn from. */
  readonly random?: Random
}

const width = (vocabSize: number): number => Math.ceil(Math.log2(vocabSize))

/** The steps of a token's binary path: at each bit the ids below `half` have a 0, the others a 1. */
function path(
  token: number,
  vocabSize: number,
): { bit: 0 | 1; low: number; half: number; high: number; forced: boolean }[] {
  let low = 0
  return Array.from({ length: width(vocabSize) }, (_, j) => {
    const span = 2 ** (width(vocabSize) - 1 - j)
    const [start, half] = [low, low + span]
    const bit = token >= half ? 1 : 0
    if (bit === 1) low = half
    return { bit, low: start, half, high: Math.min(vocabSize, half + span), forced: half >= vocabSize }
  })
}

let room = new Float64Array(1)

/** Mass below each id. The array is reused: valid until the next call. */
function cumulative(p: Float64Array): Float64Array {
  if (room.length !== p.length + 1) room = new Float64Array(p.length + 1)
  const below = room
  for (let i = 0; i < p.length; i++) below[i + 1] = below[i]! + p[i]!
  return below
}

/** The probability of a 1 at a step. */
function chanceOfOne(below: Float64Array, low: number, half: number, high: number): number {
  if (half >= high) return 0
  const ones = below[high]! - below[half]!
  return ones / (ones + below[half]! - below[low]!)
}

function choose(p: Float64Array, uniforms: BitUniforms): number {
  const below = cumulative(p)
  let low = 0
  let span = 2 ** width(p.length)
  for (let j = 0; span > 1; j++) {
    span /= 2
    const one = chanceOfOne(below, low, low + span, Math.min(p.length, low + 2 * span))
    if (uniforms.at(j) < one) low += span
  }
  return low
}

function score(token: number, uniforms: BitUniforms): number {
  let sum = 0
  for (const [j, { bit, forced }] of path(token, uniforms.vocabSize).entries()) {
    if (forced) continue
    const u = uniforms.at(j)
    // 2^-65: the upper edge of u's cell, towards less evidence
    sum -= bit === 1 ? Math.log(Math.min(1, u + 2 ** -65)) : Math.log1p(-u)
  }
  return sum
}

/** Scores several tokens, each under numbers of its own: compiled where those come from a key. */
function scoreEach(tokens: ArrayLike<number>, uniforms: (i: number) => BitUniforms, out: Float64Array): void {
  const keys = scratchCodes(4 * tokens.length)
  let vocabSize = 1
  for (let i = 0; i < tokens.length; i++) {
    const own = uniforms(i)
    if (!(own.random instanceof Expansion)) {
      for (let k = 0; k < tokens.length; k++) out[k] = score(tokens[k]!, uniforms(k))
      return
    }
    for (let k = 0; k < 4; k++) keys[4 * i + k] = own.random.keys[k]!
    vocabSize = own.vocabSize
  }
  const ids = Int32Array.from(tokens)
  active(ids, keys).bitScores(ids, keys, vocabSize, out)
}

/** Number of scored bits of a token. */
const scoredBits = (token: number, vocabSize: number): number =>
  path(token, vocabSize).filter(({ forced }) => !forced).length

/** For each token the code that leads to it with the same place of every u within the part of [0, 1] that gave its bit. */
function orbit(uniforms: BitUniforms, p: Float64Array): Weighted<BitUniforms>[] {
  const below = cumulative(p)
  const chances = (token: number) =>
    path(token, p.length).map(({ bit, low, half, high }) => ({
      bit,
      one: chanceOfOne(below, low, half, high),
    }))
  const place = chances(choose(p, uniforms)).map(({ bit, one }, j) => {
    const u = uniforms.at(j)
    return bit === 1 ? u / one : (u - one) / (1 - one)
  })
  return [...p.keys()]
    .filter((token) => p[token]! > 0)
    .map((token) => {
      const u = chances(token).map(({ bit, one }, j) =>
        bit === 1 ? place[j]! * one : one + (1 - one) * place[j]!,
      )
      return { weight: p[token]!, code: { at: (j) => u[j]!, vocabSize: uniforms.vocabSize } }
    })
}

/**
 * Christ, Gunn and Zamir (2023): tokens as bits, marked once the text has enough entropy.
 * @example christ().context.id // 'prefix(entropy=20)'
 */
export const christ = defineMethod('christ', {
  parameters: {
    /** Nats of surprise before the watermark begins. */
    entropy: parameter.number(0, Number.POSITIVE_INFINITY, { open: true, default: 20 }),
    context: parameter.context(({ entropy }: { entropy: number }) => prefix({ entropy })),
  },
  rows: [], // not in the paper
  make: (): MethodParts<BitUniforms> => ({
    unbiased: true,
    draw: (random, vocabSize) => ({ at: (j) => random.uniform(j), vocabSize, random }),
    choose,
    score,
    fast: { scoreEach },
    detector: scanDetector({ nullLaw: exponential(), terms: scoredBits }),
    orbit,
  }),
})
