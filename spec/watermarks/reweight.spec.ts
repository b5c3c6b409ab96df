import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keySchedule } from '../../src/core/keys/schedule.ts'
import { codeAt, weightedOrbit } from '../../src/watermark.ts'
import {
  type AnyWatermark,
  bimark,
  dipmark,
  mcmark,
  shippedWatermarks,
  sta1,
  synthid,
} from '../../src/watermarks/entry.ts'

/** All that ship, and settings at the edges of their range. */
const all: AnyWatermark[] = [
  ...shippedWatermarks(),
  dipmark({ alpha: 0 }),
  dipmark({ alpha: 0.5 }),
  mcmark({ channels: 2 }),
  sta1({ gamma: 0.25 }),
  sta1({ gamma: 1 / 3 }),
  synthid({ layers: 1 }),
  synthid({ layers: 6 }),
  synthid({ layers: 32 }),
  synthid({ layers: 4, leaves: 3 }),
]

/** Distributions of every awkward kind: zeros, ties, point masses, denormals, one token, many tokens. */
const distribution = fc
  .oneof(
    { arbitrary: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 12 }), weight: 6 },
    {
      arbitrary: fc.array(fc.constantFrom(0, 5e-324, 1e-310, 1e-30, 1e-9, 1, 1e9), {
        minLength: 1,
        maxLength: 40,
      }),
      weight: 3,
    },
    {
      arbitrary: fc.array(fc.integer({ min: 0, max: 1_000_000 }), {
        minLength: 900,
        maxLength: 1000,
        size: 'max',
      }),
      weight: 1,
    },
  )
  .filter((weights) => weights.some((w) => w >= 1))
  .map((weights) => {
    const total = weights.reduce((sum, w) => sum + w, 0)
    return Float64Array.from(weights, (w) => w / total)
  })

const key = fc.string({ minLength: 1, maxLength: 8 })

const drawCode = (watermark: AnyWatermark, secret: string, vocabSize: number): unknown =>
  codeAt(watermark, keySchedule(secret, watermark.domain), vocabSize, [1, 2])

const sum = (q: Float64Array): number => q.reduce((total, x) => total + x, 0)

/** Each method gets its share, so that all methods together see 10,000 distributions. */
const numRuns = Math.ceil(10_000 / all.length)

test.each(all.map((watermark) => [watermark.id, watermark] as const))(
  '%s: q is a distribution, zero mass stays zero, p is not touched, a point mass is unchanged',
  (_, watermark) => {
    fc.assert(
      fc.property(distribution, key, (p, secret) => {
        const before = p.slice()
        const q = new Float64Array(p.length).fill(Number.NaN)
        watermark.reweight(p, drawCode(watermark, secret, p.length), q)
        expect(p).toEqual(before)
        expect(Math.abs(sum(q) - 1)).toBeLessThanOrEqual(1e-12)
        expect(q.every((x, i) => x >= 0 && (p[i]! > 0 || x === 0))).toBe(true)
        if (p.filter((mass) => mass > 0).length === 1) expect(q).toEqual(p)
      }),
      { numRuns },
    )
  },
)

/** How many members the orbit of a code has over so many tokens. */
const members = (watermark: AnyWatermark, vocabSize: number): number =>
  weightedOrbit(
    watermark,
    drawCode(watermark, 'any', vocabSize),
    new Float64Array(vocabSize).fill(1 / vocabSize),
  )!.length

test.each(all.filter((w) => w.orbit !== undefined).map((watermark) => [watermark.id, watermark] as const))(
  '%s: the weighted average of q over the orbit is p to 1e-12',
  (_, watermark) => {
    // all pairs of two races: a million of them over a thousand tokens
    const isSquare = members(watermark, 40) > 3 * members(watermark, 20)
    const few = distribution.filter((p) => p.length <= 40)
    fc.assert(
      fc.property(isSquare ? few : distribution, key, (p, secret) => {
        const mean = new Float64Array(p.length)
        const q = new Float64Array(p.length)
        for (const { code, weight } of weightedOrbit(watermark, drawCode(watermark, secret, p.length), p)!) {
          watermark.reweight(p, code, q)
          for (let i = 0; i < q.length; i++) mean[i]! += weight * q[i]!
        }
        expect(Math.max(...p.map((mass, i) => Math.abs(mean[i]! - mass)))).toBeLessThanOrEqual(1e-12)
      }),
      { numRuns },
    )
  },
)

test('layers of bimark keep what a sum lacks by rounding, instead of doubling it', () => {
  const watermark = bimark({ layers: 10 })
  const p = Float64Array.from({ length: 4096 }, (_, token) => (token === 0 ? 0.4 : 0.6 / 4095) * (1 - 1e-13))
  const schedule = keySchedule('key', watermark.domain)
  const q = new Float64Array(p.length)
  // tails in every layer, where what lacks grows
  watermark.reweight(p, { ...codeAt(watermark, schedule, p.length, [1, 2]), coins: 0 }, q)
  expect(Math.abs(sum(q) - 1)).toBeLessThan(1e-12)
})
