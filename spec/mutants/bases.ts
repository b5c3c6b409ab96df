/**
 * Correct watermarks, written as plainly as an author would write them: no kernels, sorts where the shipped ones have
 * quantiles. Mutants are these with one change, and these themselves pass every law (bases.spec.ts).
 */

import { below, OWN, type Random } from '../../src/core/keys/random.ts'
import { defineWatermark } from '../../src/core/method/define-watermark.ts'
import { binomial, exponential, ngram, sumDetector } from '../../src/index.ts'
import type { Watermark, Weighted } from '../../src/watermark.ts'

/** One 32-bit word per token. */
export interface Words {
  word(token: number): number
}
export const drawWords = (random: Random): Words => ({ word: (i) => random.uint32(i) })
export const complement = ({ word }: Words): Words => ({ word: (i) => ~word(i) >>> 0 })
export const both = (code: Words): Words[] => [code, complement(code)]
export const upperHalf = (token: number, { word }: Words): number => (word(token) >= 2 ** 31 ? 1 : 0)
export const half = sumDetector({ nullLaw: binomial(1 / 2), bound: 1 })

/** Tokens from the lowest word to the highest: numbers that carry word and token are sorted as numbers. */
export const orderOf = (size: number, { word }: Words): number[] => {
  const keys = new Float64Array(size)
  for (let i = 0; i < size; i++) keys[i] = word(i) * 2 ** 20 + i
  keys.sort()
  const order: number[] = []
  for (let i = 0; i < size; i++) order.push(keys[i]! - 2 ** 20 * Math.floor(keys[i]! / 2 ** 20))
  return order
}

/** Increments of a function of the running mass along an order. */
export function increments(
  p: Float64Array,
  order: readonly number[],
  bend: (s: number) => number,
  q: Float64Array,
): void {
  let s = 0
  for (const token of order) {
    const before = bend(s)
    s += p[token]!
    q[token] = bend(s) - before
  }
}

const positive = (x: number): number => Math.max(0, x)
export const dipBend =
  (alpha: number) =>
  (s: number): number =>
    positive(Math.min(1, s) - alpha) + positive(Math.min(1, s) - (1 - alpha))

/** DiPmark by a sort. */
export const dip = (alpha = 0.4): Watermark<Words> =>
  defineWatermark({
    id: `plain dip(${alpha})`,
    unbiased: true,
    context: ngram(2),
    draw: drawWords,
    reweight: (p, code, q) => {
      increments(p, orderOf(p.length, code), dipBend(alpha), q)
      for (let i = 0; i < q.length; i++) q[i] = Math.max(0, q[i]!)
    },
    score: upperHalf,
    detector: half,
    orbit: both,
  })

export const isGreen = (token: number, { word }: Words, rate = 1 / 2): boolean => word(token) < rate * 2 ** 32
export const greenMass = (p: Float64Array, code: Words): number =>
  p.reduce((sum, mass, i) => sum + (isGreen(i, code) ? mass : 0), 0)

/** STA-1 with half of the tokens green. */
export const sta = (): Watermark<Words> =>
  defineWatermark({
    id: 'plain sta',
    unbiased: true,
    context: ngram(2),
    draw: drawWords,
    reweight: (p, code, q) => {
      let green = 0
      for (let i = 0; i < p.length; i++) green += q[i] = isGreen(i, code) ? p[i]! : 0
      const rest = positive(1 - green)
      for (let i = 0; i < p.length; i++) q[i] = p[i]! * (q[i]! > 0 ? 1 + rest : rest)
    },
    score: (token, code) => (isGreen(token, code) ? 1 : 0),
    detector: half,
    orbit: both,
  })

/** m bits per token; `mask` complements whole layers. */
export interface Bits extends Words {
  readonly mask: number
}
export const LAYERS = 3
export const bit = (token: number, layer: number, { word, mask }: Bits): number =>
  ((word(token) ^ mask) >>> layer) & 1

/** A tournament of three layers. */
export const tournament = (): Watermark<Bits> =>
  defineWatermark({
    id: 'plain tournament',
    unbiased: true,
    context: ngram(2),
    draw: (random) => ({ ...drawWords(random), mask: 0 }),
    reweight: (p, code, q) => {
      q.set(p)
      for (let layer = 0; layer < LAYERS; layer++) {
        const ones = q.reduce((sum, mass, i) => sum + mass * bit(i, layer, code), 0)
        for (let i = 0; i < q.length; i++) q[i]! *= positive(1 + bit(i, layer, code) - ones)
      }
    },
    score: (token, code) => [0, 1, 2].reduce((sum, layer) => sum + bit(token, layer, code), 0),
    detector: sumDetector({ nullLaw: binomial(1 / 2, { trials: LAYERS }), bound: LAYERS }),
    orbit: (code) =>
      Array.from({ length: 2 ** LAYERS }, (_, flips) => ({ ...code, mask: code.mask ^ flips })),
  })

/** A partition into channels and a chosen one. */
export interface Channels {
  channel(token: number): number
  readonly chosen: number
}
export const CHANNELS = 4
const drawChannels = (random: Random): Channels => ({
  channel: (i) => below(random, i, CHANNELS),
  chosen: below(random, OWN, CHANNELS),
})
export const channelMass = (p: Float64Array, { channel }: Channels): Float64Array => {
  const mass = new Float64Array(CHANNELS)
  for (let i = 0; i < p.length; i++) mass[channel(i)]! += p[i]!
  return mass
}

/** MCmark with four channels. */
export const channels = (): Watermark<Channels> =>
  defineWatermark({
    id: 'plain channels',
    unbiased: true,
    context: ngram(2),
    draw: drawChannels,
    reweight: (p, code, q) => {
      const mass = channelMass(p, code)
      const surplus = mass.map((s) => positive(CHANNELS * s - 1))
      const total = surplus.reduce((a, b) => a + b, 0)
      const left = positive(1 - CHANNELS * mass[code.chosen]!)
      for (let i = 0; i < p.length; i++) {
        const j = code.channel(i)
        if (p[i] === 0) q[i] = 0
        else if (j === code.chosen) q[i] = p[i]! * Math.min(CHANNELS, 1 / mass[j]!)
        else q[i] = total === 0 ? 0 : ((p[i]! / mass[j]!) * left * surplus[j]!) / total
      }
    },
    score: (token, code) => (code.channel(token) === code.chosen ? 1 : 0),
    detector: sumDetector({ nullLaw: binomial(1 / CHANNELS), bound: 1 }),
    orbit: (code) => Array.from({ length: CHANNELS }, (_, chosen) => ({ ...code, chosen })),
  })

/** One uniform number per token. */
export interface Uniforms {
  u(token: number): number
}
export const arrival = (p: number, u: number): number => -Math.log(u) / p
export function first(p: Float64Array, time: (token: number) => number): number {
  let best = -1
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < p.length; i++) {
    if (p[i]! === 0) continue
    const t = time(i)
    if (t < least || best < 0) {
      least = t
      best = i
    }
  }
  return best
}

/** Gumbel-max without an orbit: laws must find out by sampling. */
export const race = (): Watermark<Uniforms> =>
  defineWatermark({
    id: 'plain race',
    unbiased: true,
    context: ngram(2),
    draw: (random) => ({ u: (i) => random.uniform(i) }),
    choose: (p, { u }) => first(p, (i) => arrival(p[i]!, u(i))),
    score: (token, { u }) => -Math.log1p(-u(token)),
    detector: sumDetector({ nullLaw: exponential() }),
  })

/** A place u on the line of tokens, laid out in the order of their words. */
export interface Place extends Words {
  readonly u: number
}
export function landing(p: Float64Array, place: Place): number {
  let s = 0
  let last = -1
  for (const token of orderOf(p.length, place)) {
    if (p[token] === 0) continue
    s += p[token]!
    last = token
    if (place.u < s) break
  }
  return last
}
function placeOrbit(place: Place, p: Float64Array): Weighted<Place>[] {
  const from = new Map<number, number>()
  let s = 0
  for (const token of orderOf(p.length, place)) {
    from.set(token, s)
    s += p[token]!
  }
  const hit = landing(p, place)
  const share = (place.u - from.get(hit)!) / p[hit]!
  return [...p.keys()]
    .filter((token) => p[token]! > 0)
    .map((token) => ({ weight: p[token]!, code: { ...place, u: from.get(token)! + share * p[token]! } }))
}

/** Inverse sampling; evidence is whether u and the token's word lie in the same half. */
export const inverse = (): Watermark<Place> =>
  defineWatermark({
    id: 'plain inverse',
    unbiased: true,
    context: ngram(2),
    draw: (random) => ({ ...drawWords(random), u: random.uniform(OWN) }),
    choose: landing,
    score: (token, { u, word }) => (u >= 0.5 === word(token) >= 2 ** 31 ? 1 : 0),
    detector: half,
    orbit: placeOrbit,
  })

export const bases = (): Watermark<never>[] =>
  [dip(), sta(), tournament(), channels(), race(), inverse()] as unknown as Watermark<never>[]
