import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { probabilities, weights } from '../../src/laws/index.ts'
import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { synthid } from '../../src/watermarks/index.ts'
import { tournament } from '../../src/watermarks/synthid.ts'

for (const layers of [2, 20]) describeWatermark(synthid({ layers }))
describeWatermark(synthid({ detector: 'weighted' }))
// one leaf more in each match, and the method is biased
describeWatermark(synthid({ leaves: 3 }))

describe('synthid with more layers than an orbit can list, by induction over layers', () => {
  const after = (p: Float64Array, words: Uint32Array, layers: number): Float64Array => {
    const q = new Float64Array(p.length)
    tournament(p, words, layers, 2, q)
    return q
  }
  test('the mean over a layer and its complement is what the layers before gave', () => {
    const word = fc.noShrink(fc.integer({ min: 0, max: 2 ** 32 - 1 }))
    const words = fc.array(word, { minLength: 8, maxLength: 8 })
    fc.assert(
      fc.property(weights(), words, fc.integer({ min: 1, max: 32 }), (w, list, layers) => {
        const p = probabilities(w)
        const bits = Uint32Array.from(list.slice(0, p.length))
        const flipped = bits.map((bit) => bit ^ (1 << (layers - 1)))
        const before = after(p, bits, layers - 1)
        const [one, other] = [after(p, bits, layers), after(p, flipped, layers)]
        for (const [i, mass] of before.entries()) expect((one[i]! + other[i]!) / 2).toBeCloseTo(mass, 12)
      }),
      { numRuns: 500 },
    )
  })
})
