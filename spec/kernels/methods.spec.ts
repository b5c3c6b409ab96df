/**
 * Each method as it runs (compiled kernels, histograms, bit patterns, pruning, few tokens with mass) against its definition
 * written down directly, one token and one layer after the other: q agrees to 1e-12, a chosen token exactly. Both with the
 * compiled and with the plain kernels. (Sums are formed in another order: u could fall between two roundings of the same
 * boundary, which happens with probability below 1e-10 in a whole run.)
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { platform, withKernels } from '../../src/core/kernels/active.ts'
import { plain } from '../../src/core/kernels/table.ts'
import { below, Expansion, OWN, type Random } from '../../src/core/keys/random.ts'
import {
  type AnyWatermark,
  deltaReweight,
  dipmark,
  gumbel,
  kgw,
  mcmark,
  sta1,
  synthid,
} from '../../src/watermarks/entry.ts'

type Definition = (p: Float64Array, random: Random) => Float64Array

const pointMass = (size: number, token: number): Float64Array =>
  Float64Array.from({ length: size }, (_, i) => (i === token ? 1 : 0))

const inOrder = (p: Float64Array, random: Random): number[] =>
  [...p.keys()].sort((a, b) => random.uint32(a) - random.uint32(b))

/** Increments of max(s - alpha, 0) + max(s - (1 - alpha), 0) along the order. */
const permuted =
  (alpha: number): Definition =>
  (p, random) => {
    const bend = (s: number): number => Math.max(s - alpha, 0) + Math.max(s - (1 - alpha), 0)
    const q = new Float64Array(p.length)
    let s = 0
    for (const token of inOrder(p, random)) {
      q[token] = bend(s + p[token]!) - bend(s)
      s += p[token]!
    }
    return q
  }

const isGreen = (random: Random, token: number): boolean => random.uint32(token) < 2 ** 31
const greenMass = (p: Float64Array, random: Random): number =>
  p.reduce((sum, mass, i) => sum + (isGreen(random, i) ? mass : 0), 0)

const tournament =
  (layers: number): Definition =>
  (p, random) => {
    let q = p.slice()
    for (let layer = 0; layer < layers; layer++) {
      const bit = (i: number): number => (random.uint32(i) >>> layer) & 1
      const ones = q.reduce((sum, mass, i) => sum + bit(i) * mass, 0)
      q = q.map((mass, i) => mass * (1 + bit(i) - ones))
    }
    return q
  }

const channels =
  (l: number): Definition =>
  (p, random) => {
    const channel = [...p.keys()].map((i) => below(random, i, l))
    const chosen = below(random, OWN, l)
    const mass = Array.from({ length: l }, (_, j) => p.reduce((s, m, i) => s + (channel[i] === j ? m : 0), 0))
    const over = mass.map((s) => Math.max(0, l * s - 1))
    const total = over.reduce((a, b) => a + b, 0)
    const left = Math.max(0, 1 - l * mass[chosen]!)
    return p.map((m, i) => {
      const j = channel[i]!
      if (j === chosen) return m * Math.min(l, 1 / mass[j]!)
      return m === 0 || total === 0 ? 0 : ((m / mass[j]!) * left * over[j]!) / total
    })
  }

const definitions: [AnyWatermark, Definition][] = [
  [dipmark({ alpha: 0.4 }), permuted(0.4)],
  [dipmark({ alpha: 0.5 }), permuted(0.5)],
  [
    sta1(),
    (p, random) => {
      const green = greenMass(p, random)
      return p.map((mass, i) => mass * ((isGreen(random, i) ? 1 : 0) + 1 - green))
    },
  ],
  [
    kgw({ delta: 2 }),
    (p, random) => {
      const boosted = p.map((mass, i) => mass * (isGreen(random, i) ? Math.exp(2) : 1))
      const total = boosted.reduce((a, b) => a + b, 0)
      return boosted.map((mass) => mass / total)
    },
  ],
  [synthid({ layers: 20 }), tournament(20)],
  [synthid({ layers: 32 }), tournament(32)],
  [mcmark({ channels: 20 }), channels(20)],
  [
    gumbel(),
    (p, random) => {
      const time = p.map((mass, i) =>
        mass > 0 ? -Math.log1p(-random.uniform(i)) / mass : Number.POSITIVE_INFINITY,
      )
      return pointMass(p.length, time.indexOf(Math.min(...time)))
    },
  ],
  [
    deltaReweight(),
    (p, random) => {
      let s = 0
      const hit = inOrder(p, random).find((token) => {
        s += p[token]!
        return s >= random.uniform(OWN)
      })
      return pointMass(p.length, hit!)
    },
  ],
]

/** Distributions over 1 to 3000 tokens; `kept` of 64 tokens have mass, as after top-k. */
const distribution = fc
  .record({
    size: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 41, max: 3000 })),
    kept: fc.constantFrom(64, 63, 32, 7, 2),
    tilt: fc.constantFrom(1, 4, 30),
    seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  })
  .map(({ size, kept, tilt, seed }) => {
    const random = new Expansion([seed, 1, 2, 3])
    const weights = Float64Array.from({ length: size }, (_, i) =>
      i === seed % size || random.uint32(i + size) >>> 26 < kept ? random.uniform(i) ** tilt : 0,
    )
    const total = weights.reduce((a, b) => a + b, 0)
    return weights.map((w) => w / total)
  })

describe.each(definitions.map(([watermark, definition]) => ({ id: watermark.id, watermark, definition })))(
  '$id',
  ({ watermark, definition }) => {
    test.each([['as it runs here'], ['plain']])('agrees with its definition, kernels: %s', (kind) => {
      fc.assert(
        fc.property(distribution, fc.integer(), (p, seed) => {
          const random = new Expansion([seed, 0, 0, 0])
          const site = { shared: random, context: [], key: new Uint8Array(1) }
          const q = new Float64Array(p.length).fill(Number.NaN)
          const reweight = () => watermark.reweight(p, watermark.draw(random, p.length, site), q)
          if (kind === 'plain') withKernels(plain, reweight)
          else reweight()
          const expected = definition(p, random)
          expect(Math.max(...q.map((x, i) => Math.abs(x - expected[i]!)))).toBeLessThanOrEqual(1e-12)
        }),
        { numRuns: 100 },
      )
    })
  },
)

test('this platform runs the compiled kernels', () => {
  expect(platform().kind).toBe('wasm')
})
