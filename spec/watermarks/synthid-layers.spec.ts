import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Expansion } from '../../src/core/keys/random.ts'
import { tournament } from '../../src/watermarks/synthid.ts'

/**
 * Twenty layers have 2^20 complements, too many to average over. By induction over layers the average is p all the same: the
 * mean over {g_k, 1 - g_k} of the k-layer result is the (k-1)-layer result, for every k and whatever the other layers.
 */
test.each([20, 30, 32])('synthid with %i layers is unbiased, layer by layer, to 1e-12', (layers) => {
  fc.assert(
    fc.property(
      fc
        .array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 12 })
        .filter((w) => w.some((x) => x > 0)),
      fc.nat(),
      (weights, seed) => {
        const total = weights.reduce((sum, w) => sum + w, 0)
        const p = Float64Array.from(weights, (w) => w / total)
        const words = new Expansion([seed, 0, 0, 0]).fill(new Uint32Array(p.length))
        const results = (depth: number, mask: number): Float64Array => {
          const q = new Float64Array(p.length)
          tournament(
            p,
            words.map((word) => (word ^ mask) >>> 0),
            depth,
            2,
            q,
          )
          return q
        }
        for (let k = 1; k <= layers; k++) {
          const [with1, with0, before] = [results(k, 0), results(k, 1 << (k - 1)), results(k - 1, 0)]
          for (let i = 0; i < p.length; i++)
            expect(Math.abs((with1[i]! + with0[i]!) / 2 - before[i]!)).toBeLessThanOrEqual(1e-12)
        }
      },
    ),
  )
})

test('with three leaves the same induction fails: that variant is biased', () => {
  const p = Float64Array.of(1 / 4, 3 / 4)
  const [a, b] = [new Float64Array(2), new Float64Array(2)]
  tournament(p, Uint32Array.of(1, 0), 1, 3, a)
  tournament(p, Uint32Array.of(0, 1), 1, 3, b)
  expect(Math.abs((a[0]! + b[0]!) / 2 - p[0]!)).toBeGreaterThan(0.01)
})
