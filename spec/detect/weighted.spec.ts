/** Scores weighed by what the model says of each position: the tail is exact over all codes, and over keys. */
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/index.ts'
import { logBinomialTail } from '../../src/core/stats/log-binomial-tail.ts'
import { logGammaTail } from '../../src/core/stats/log-gamma-tail.ts'
import { detect, embedder } from '../../src/index.ts'
import { detectWeighted, type WeightedEvidence } from '../../src/theory/entry.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import {
  expEdit,
  gammaReweight,
  gumbel,
  kgw,
  sta1,
  synthid,
  withMinimaxScore,
} from '../../src/watermarks/entry.ts'

const key = 'a secret of sixteen bytes'
const V = 100

/** Every fifth position leaves a choice among all tokens, the others next to none. */
function at(t: number): Float64Array {
  const p = new Float64Array(V).fill(t % 5 === 0 ? 1 / V : 0.001)
  if (t % 5 !== 0) p[(7 * t * t + 3 * t) % V] = 1 - 0.001 * (V - 1)
  return p
}

function text(watermark: AnyWatermark, n: number): number[] {
  const random = seededRandom(2)
  const writer = embedder(watermark, { key, vocabSize: V, seed: 1 })
  const q = new Float64Array(V)
  const tokens: number[] = []
  while (tokens.length < n) {
    writer.reweight(tokens, at(tokens.length), q)
    let u = random.uniform()
    let token = 0
    while (token < V - 1 && u > q[token]!) u -= q[token++]!
    tokens.push(token)
    writer.drew(token, at(tokens.length - 1)[token]!)
  }
  return tokens
}

describe('the tail is exact', () => {
  test('for bits: all 64 outcomes of six positions, with weights 8 and 4', () => {
    const p = [Float64Array.of(1 / 3, 1 / 3, 1 / 3), Float64Array.of(0.85, 0.149, 0.001)]
    const probabilities = (t: number) => p[t % 2]!
    const tokens = [0, 1, 2, 2, 1, 0, 0, 2]
    const counts = new Map<number, number>()
    const pValues = new Map<number, number>()
    for (let outcome = 0; outcome < 64; outcome++) {
      let place = 0
      const given: AnyWatermark = { ...kgw({ delta: 2, gamma: 0.5 }), score: () => (outcome >> place++) & 1 }
      const { statistic, pValue } = detectWeighted(given, tokens, {
        key,
        vocabSize: 4,
        probabilities: (t) => Float64Array.of(...probabilities(t), 0),
      })
      counts.set(statistic, (counts.get(statistic) ?? 0) + 1 / 64)
      pValues.set(statistic, pValue)
    }
    expect(counts.size).toBeGreaterThan(7)
    for (const [s, pValue] of pValues) {
      let tail = 0
      for (const [other, mass] of counts) if (other >= s) tail += mass
      expect(pValue).toBeCloseTo(tail, 12)
    }
  })

  const tokens = text(gumbel(), 60)
  const seed = crypto.getRandomValues(new Uint32Array(1))[0]
  /** ln of the chance of so many p-values of at most 5% over 400 keys if the guarantee holds. */
  function excess(
    watermark: AnyWatermark,
    weight: 'entropy' | 'surprisal',
    logP = ({ logPValue }: WeightedEvidence) => logPValue,
  ): number {
    let count = 0
    for (let k = 0; k < 400; k++) {
      const options = { key: `a secret of sixteen ${seed}/${k}`, vocabSize: V, probabilities: at, weight }
      if (logP(detectWeighted(watermark, tokens, options)) <= Math.log(0.05)) count++
    }
    return logBinomialTail(count, 400, 0.05)
  }

  test.each<AnyWatermark>([gumbel(), kgw({ delta: 2 }), synthid({ layers: 4 })])(
    `$id: P(p <= a) <= a over keys (${seed}), false alarm 1e-9`,
    (watermark) => {
      for (const weight of ['entropy', 'surprisal'] as const)
        expect(excess(watermark, weight)).toBeGreaterThan(Math.log(5e-10))
    },
  )

  test('a law that takes a weight of w for w scores is rejected', () => {
    // 8 eighths where all is open, 2 of the entropy elsewhere; the first two have no context
    const total = tokens.reduce((sum, _, t) => (t < 2 ? sum : sum + (t % 5 === 0 ? 8 : 2)), 0)
    const mutant = ({ statistic }: WeightedEvidence) => logGammaTail(statistic, total)
    expect(excess(gumbel(), 'entropy', mutant)).toBeLessThan(Math.log(1e-9))
  })
})

test.each<AnyWatermark>([gumbel(), gammaReweight(), sta1(), synthid()])(
  '$id: shows more than the plain sum where few positions leave a choice',
  (watermark) => {
    const tokens = text(watermark, 200)
    const options = { key, vocabSize: V }
    const plain = detect(watermark, tokens, options)
    for (const weight of ['entropy', 'surprisal'] as const) {
      const found = detectWeighted(watermark, tokens, { ...options, probabilities: at, weight })
      expect(found.logPValue).toBeLessThan(plain.logPValue)
      const stranger = { key: 'another secret of sixteen', vocabSize: V, probabilities: at, weight }
      // at most 1e-3 with probability 1e-3 for a text of another key; the keys are fixed here
      expect(detectWeighted(watermark, tokens, stranger).pValue).toBeGreaterThan(1e-3)
    }
  },
)

test('equal weights give the p-value of detect', () => {
  const tokens = text(kgw({ delta: 2 }), 50)
  const probabilities = () => new Float64Array(V).fill(1 / V)
  const options = { key, vocabSize: V }
  const weighted = detectWeighted(kgw({ delta: 2 }), tokens, { ...options, probabilities })
  expect(weighted.logPValue).toBeCloseTo(detect(kgw({ delta: 2 }), tokens, options).logPValue, 10)
})

test('positions without a choice have no weight, and what has no exact tail is refused', () => {
  const sure = () => Float64Array.of(1, 0, 0)
  const options = { key, vocabSize: 3, probabilities: sure }
  expect(detectWeighted(gumbel(), [0, 0, 0, 1, 2], options)).toMatchObject({ scored: 0, pValue: 1 })
  expect(() => detectWeighted(withMinimaxScore(gumbel()), [0, 1, 2], options)).toThrow(/bits, counts or/)
  expect(() => detectWeighted(expEdit(), [0, 1, 2], options)).toThrow(/sum detector/)
  expect(() => detectWeighted(gumbel(), [0], { ...options, weight: 'score' as never })).toThrow(/weight/)
})
