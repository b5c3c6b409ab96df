/** A likelihood-ratio test whose guarantee needs no law of scores: over all codes, the mean of every wealth is 1. */
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/index.ts'
import { detect, detectWithModel, embedder } from '../../src/index.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import {
  bimark,
  dipmark,
  ens,
  expEdit,
  gammaReweight,
  gumbel,
  kgw,
  mcmark,
  sta1,
  synthid,
} from '../../src/watermarks/entry.ts'

const key = 'a secret of sixteen bytes'

describe('the bets are fair', () => {
  test.each<AnyWatermark>([
    gammaReweight(),
    dipmark({ alpha: 0.4 }),
    mcmark({ channels: 3 }),
    sta1(),
    synthid({ layers: 2 }),
    bimark({ layers: 2 }),
  ])('$id: the mean of the e-value over all codes is 1, whatever the token', (watermark) => {
    const p = Float64Array.of(0.5, 0.3, 0.2)
    for (let token = 0; token < 3; token++) {
      let mean = 0
      for (const { code, weight } of watermark.enumerate!(3)) {
        const drawn = { ...watermark, draw: () => code }
        const options = { key, vocabSize: 3, probabilities: () => p }
        mean += weight * detectWithModel(drawn, [0, 1, token], options).eValue
      }
      expect(mean).toBeCloseTo(1, 12)
    }
  })

  test('a biased watermark is refused, and one whose contexts the text does not tell', () => {
    const options = { key, vocabSize: 3, probabilities: () => Float64Array.of(0.5, 0.3, 0.2) }
    expect(() => detectWithModel(kgw({ delta: 2 }), [0, 1, 2], options)).toThrow(/unbiased/)
    expect(() => detectWithModel(expEdit(), [0, 1, 2], options)).toThrow(/read from the text/)
    const wrong = (p: Float64Array) => () =>
      detectWithModel(gumbel(), [0, 1, 2], { ...options, probabilities: () => p })
    expect(wrong(Float64Array.of(1, 0))).toThrow(/probabilities\(2\): expected/)
    expect(wrong(Float64Array.of(1, 1, 0))).toThrow(/sum of probabilities\(2\)/)
    expect(wrong(Float64Array.of(Number.NaN, 1, 0))).toThrow(/mass in probabilities\(2\)/)
  })

  test('a context is bet on once, and a token that the model rules out not at all', () => {
    const p = Float64Array.of(0.5, 0.5, 0)
    const options = { key, vocabSize: 3, probabilities: () => p }
    expect(detectWithModel(gumbel(), [0, 0, 0, 0, 0, 0], options).scored).toBe(1)
    expect(detectWithModel(gumbel(), [0, 1, 2], options)).toMatchObject({ scored: 0, pValue: 1 })
  })
})

/** A text of n marked tokens whose every distribution is p. */
function marked(watermark: AnyWatermark, p: Float64Array, n: number, seed: number): number[] {
  const random = seededRandom(seed)
  const text = embedder(watermark, { key, vocabSize: p.length, seed })
  const q = new Float64Array(p.length)
  const tokens: number[] = []
  while (tokens.length < n) {
    text.reweight(tokens, p, q)
    let u = random.uniform()
    let token = 0
    while (token < p.length - 1 && u > q[token]!) u -= q[token++]!
    tokens.push(token)
    text.drew(token, p[token]!)
  }
  return tokens
}

test.each<AnyWatermark>([gumbel(), gammaReweight(), ens({ marks: 5 }), synthid(), mcmark({ channels: 20 })])(
  '$id: at low entropy the model shows what scores alone do not',
  (watermark) => {
    // most of the mass on one token, another one at each position: contexts do not come back
    const V = 400
    const at = (t: number): Float64Array => {
      const p = new Float64Array(V).fill(0.1 / (V - 1))
      p[(7 * t * t + 3 * t) % V] = 0.9
      return p
    }
    const random = seededRandom(2)
    const text = embedder(watermark, { key, vocabSize: V, seed: 1 })
    const q = new Float64Array(V)
    const tokens: number[] = []
    while (tokens.length < 250) {
      const p = at(tokens.length)
      text.reweight(tokens, p, q)
      let u = random.uniform()
      let token = 0
      while (token < V - 1 && u > q[token]!) u -= q[token++]!
      tokens.push(token)
      text.drew(token, p[token]!)
    }
    const options = { key, vocabSize: V }
    const withModel = detectWithModel(watermark, tokens, { ...options, probabilities: at })
    const without = detect(watermark, tokens, options)
    expect(withModel.logPValue).toBeLessThan(without.logPValue)
    expect(withModel.pValue).toBeLessThan(1e-4)
    const stranger = detectWithModel(watermark, tokens, {
      ...options,
      key: 'another secret of sixteen',
      probabilities: at,
    })
    // at most 1e-3 with probability 1e-3 for a text of another key; the keys are fixed here
    expect(stranger.pValue).toBeGreaterThan(1e-3)
  },
)

test('an edited text keeps most of its evidence', () => {
  const p = Float64Array.from({ length: 50 }, () => 1 / 50)
  const tokens = marked(gumbel(), p, 120, 3)
  const options = { key, vocabSize: 50, probabilities: () => p }
  const whole = detectWithModel(gumbel(), tokens, options).logPValue
  const edited = detectWithModel(gumbel(), tokens.with(60, (tokens[60]! + 1) % 50), options).logPValue
  expect(edited).toBeLessThan(whole / 2)
})
