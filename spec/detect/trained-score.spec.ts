/** SynthID's Bayesian detector: an exact null whatever was learned, and probabilities with an interval. */
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/index.ts'
import { wordsOf } from '../../src/core/keys/random.ts'
import { clopperPearson } from '../../src/core/stats/clopper-pearson.ts'
import { logBinomialTail } from '../../src/core/stats/log-binomial-tail.ts'
import { type AnyWatermark, detect, embedder, ngram, synthid } from '../../src/index.ts'
import {
  type BitTraining,
  calibrate,
  embeddedTrainings,
  type MarkedText,
  posterior,
  trainBits,
  withTrainedScore,
} from '../../src/theory/entry.ts'
import { drawCode } from '../../src/theory/step-law.ts'
import { logRatio } from '../stats/exact.ts'

const key = 'a secret of sixteen bytes'
const V = 50
const seed = crypto.getRandomValues(new Uint32Array(1))[0]!
const lm = embeddedTrainings['uwbench-lm']

/** Rates whose weights are whole: nothing is rounded. */
const ofWeights = (weights: readonly number[]): BitTraining => ({
  name: 'weights',
  rates: weights.map((w) => 1 / (1 + Math.exp(-w / 64))),
  tokens: 0,
})

/** ln P(sum >= s) over all words of n tokens, counted. */
function listedTail(watermark: AnyWatermark, layers: number, n: number, s: number): number {
  let counts = new Map([[0, 1n]])
  for (let i = 0; i < n; i++) {
    const next = new Map<number, bigint>()
    for (let word = 0; word < 2 ** layers; word++) {
      const score = watermark.score(0, { random: wordsOf([word]), mask: 0 })
      for (const [sum, count] of counts) next.set(sum + score, (next.get(sum + score) ?? 0n) + count)
    }
    counts = next
  }
  let reached = 0n
  for (const [sum, count] of counts) if (sum >= s) reached += count
  return logRatio(reached, 1n << BigInt(layers * n))
}

/** Marked texts, drawn from a uniform distribution. */
function markedTexts(count: number, length: number): MarkedText[] {
  const random = seededRandom(seed, 'texts')
  const [p, q] = [new Float64Array(V).fill(1 / V), new Float64Array(V)]
  return Array.from({ length: count }, (_, i) => {
    const own = `${key} ${seed}/${i}`
    const writer = embedder(synthid(), { key: own, vocabSize: V, seed: i })
    const tokens: number[] = []
    while (tokens.length < length) {
      writer.reweight(tokens, p, q)
      let [u, token] = [random.uniform(), 0]
      while (token < V - 1 && u >= q[token]!) u -= q[token++]!
      tokens.push(token)
      writer.drew(token, 1 / V)
    }
    return { tokens, key: own }
  })
}

describe('the null law', () => {
  test('is exact: all words of four tokens, as fractions', () => {
    const layers = 4
    const watermark = withTrainedScore(synthid({ layers }), ofWeights([40, 21, 7, 3]))
    const { logTail } = watermark.detector!.nullLaw as { logTail(sum: number, n: number): number }
    for (let s = 0; s <= 284; s += 4)
      expect(logTail(s, 4)).toBeCloseTo(listedTail(watermark, layers, 4, s), 11)
    const mutant = withTrainedScore(synthid({ layers }), ofWeights([40, 21, 8, 3]))
    expect(Math.abs(logTail(143, 4) - listedTail(mutant, layers, 4, 143))).toBeGreaterThan(1e-3)
  })

  test('is exact below 1e-300', () => {
    const watermark = withTrainedScore(synthid(), lm)
    const weights = lm.rates.map((rate) => Math.round(64 * Math.log(rate / (1 - rate))))
    const [n, most] = [60, watermark.detector!.bound]
    const { logTail } = watermark.detector!.nullLaw as { logTail(sum: number, n: number): number }
    expect(most).toBe(weights.reduce((sum, w) => sum + w, 0))
    // a sum that lacks d: the zeros weigh d in all
    const lacking = new Array<bigint>(1001).fill(0n)
    lacking[0] = 1n
    for (let i = 0; i < n; i++)
      for (const w of weights) for (let d = 1000; d >= w; d--) lacking[d]! += lacking[d - w]!
    let [ways, checked] = [0n, 0]
    for (let d = 0; d <= 1000; d++) {
      ways += lacking[d]!
      if (d % 50 !== 0) continue
      const exact = logRatio(ways, 1n << BigInt(20 * n))
      expect(logTail(n * most - d, n) / exact).toBeCloseTo(1, 12)
      if (exact < Math.log(1e-300)) checked++
    }
    expect(checked).toBeGreaterThan(3)
  })

  test(`holds over keys, for any training (${seed}), false alarm 1e-9`, () => {
    const random = seededRandom(seed, 'null')
    const tokens = Array.from({ length: 60 }, () => random.below(V))
    const level = Math.log(0.05)
    const excess = (watermark: AnyWatermark, of = (p: number): number => p): number => {
      let count = 0
      for (let k = 0; k < 400; k++) {
        const options = { key: `a secret of sixteen ${seed}/${k}`, vocabSize: V }
        if (of(detect(watermark, tokens, options).logPValue) <= level) count++
      }
      return logBinomialTail(count, 400, 0.05)
    }
    const poor = ofWeights(Array.from({ length: 20 }, (_, layer) => 3 * layer))
    for (const training of [lm, poor]) {
      const watermark = withTrainedScore(synthid(), training)
      expect(excess(watermark)).toBeGreaterThan(Math.log(5e-10))
      // the square of a p-value is none
      expect(excess(watermark, (log) => 2 * log)).toBeLessThan(Math.log(1e-9))
    }
  })
})

describe('the score', () => {
  test('adds the weights of the ones, beyond a word and for published codes too', () => {
    const forty = Array.from({ length: 40 }, (_, layer) => 40 - layer)
    const long = withTrainedScore(synthid({ layers: 40 }), ofWeights(forty))
    const more = [wordsOf([0b11])]
    expect(long.score(0, { random: wordsOf([0b101]), mask: 0, more })).toBe(40 + 38 + 8 + 7)
    const google = synthid({ layers: 3, codes: 'reference', flavor: 'google' } as never)
    const published = withTrainedScore(google, ofWeights([9, 4, 1]))
    const tokens = Array.from({ length: 40 }, (_, t) => (7 * t * t) % V)
    const options = { key: '[1000003, 2000003, 3000017]', vocabSize: V }
    // a score with equal weights counts bits
    const alike = withTrainedScore(google, ofWeights([5, 5, 5]))
    expect(detect(alike, tokens, options).statistic).toBe(5 * detect(google, tokens, options).statistic)
    expect(detect(published, tokens, options).statistic).not.toBe(0)
  })

  test('has the mean likelihood ratio 1 over fair bits', () => {
    const training = ofWeights([64, 30, 11])
    const watermark = withTrainedScore(synthid({ layers: 3 }), training)
    let mean = 0
    for (let word = 0; word < 8; word++) {
      const statistic = watermark.score(0, { random: wordsOf([word]), mask: 0 })
      mean += Math.exp(posterior(training, { statistic, scored: 1 }).logRatio) / 8
    }
    expect(mean).toBeCloseTo(1, 12)
  })
})

describe('training', () => {
  const texts = markedTexts(100, 102)
  const training = trainBits(synthid(), texts, { vocabSize: V })

  // the winner of a layer has the bit with probability 3/4 - sum q^2 / 4, for q the distribution that the layer is given
  test.each([0, 19])(`finds the rate of layer %i (${seed}), false alarm 1e-9`, (layer) => {
    const [p, q] = [new Float64Array(V).fill(1 / V), new Float64Array(V).fill(1 / V)]
    const codes = layer === 0 ? 1 : 2000
    let collisions = 0
    for (let i = 0; i < codes; i++) {
      const before = synthid({ layers: Math.max(1, layer) })
      if (layer > 0) before.reweight(p, drawCode(before, `${seed}/${i}`, V), q)
      collisions += q.reduce((sum, mass) => sum + mass * mass, 0) / codes
    }
    expect(training.tokens).toBeGreaterThan(9000)
    // 6.2 sd of 9,000 bits and of 2,000 codes; layers 0 and 19 are 0.08 apart
    expect(Math.abs(training.rates[layer]! - (3 / 4 - collisions / 4))).toBeLessThan(0.032)
  })

  test('a trained detector finds a marked text, and plain data survives JSON', () => {
    const [{ tokens, key }] = texts as [MarkedText]
    const kept = JSON.parse(JSON.stringify(training)) as BitTraining
    const found = detect(withTrainedScore(synthid(), kept), tokens, { key, vocabSize: V })
    expect(found.pValue).toBeLessThan(1e-12)
    expect(found.guaranteed).toBe(true)
    expect(posterior(kept, found).probability).toBeGreaterThan(0.999)
  })

  test('wrong watermarks and trainings are refused', () => {
    expect(() => withTrainedScore(synthid({ layers: 3 }), lm)).toThrow(/3 rates, one per layer/)
    expect(() => withTrainedScore(synthid({ detector: 'weighted' }), lm)).toThrow(/detector: 'mean'/)
    expect(() => withTrainedScore(synthid({ layers: 1 }), { ...lm, rates: [0.5] })).toThrow(/above 1\/2/)
    expect(() => withTrainedScore(synthid({ layers: 1 }), { ...lm, rates: [0.4] })).toThrow(/rates\[0\]/)
    expect(() => posterior(lm, { statistic: 0.5, scored: 4 })).toThrow(/detection.statistic/)
    expect(trainBits(synthid({ context: ngram(1) }), [], { vocabSize: 2 }).rates).toEqual(Array(20).fill(0.5))
  })
})

describe('probabilities', () => {
  test('follow Bayes, and the interval the counts of held-out texts', () => {
    const training = ofWeights([64])
    const bare = posterior(training, { statistic: 640, scored: 10 }, { prior: 0.1 })
    const odds = Math.exp(bare.logRatio) / 9
    expect(bare.probability).toBeCloseTo(odds / (1 + odds), 12)
    expect([bare.low, bare.high]).toEqual([0, 1])
    // ten ones: a ratio of (2 * 0.731)^10 = 44.6
    const [strong, weak] = [
      { statistic: 640, scored: 10 },
      { statistic: 0, scored: 10 },
    ]
    const of = (hits: number) => Array.from({ length: 100 }, (_, i) => (i < hits ? strong : weak))
    const calibration = calibrate(training, of(40), of(10))
    expect(calibration.bins.map(({ marked, unmarked }) => [marked, unmarked])).toContainEqual([40, 10])
    const { low, high } = posterior({ ...training, calibration }, strong, { prior: 0.1 })
    const [hit, miss] = [clopperPearson(40, 100, 0.975), clopperPearson(10, 100, 0.975)]
    expect(low / (1 - low)).toBeCloseTo(hit.low / miss.high / 9, 9)
    expect(high / (1 - high)).toBeCloseTo(hit.high / miss.low / 9, 9)
  })

  test(`an interval of 95% holds the share of marked texts (${seed}), false alarm 1e-9`, () => {
    const [training, random] = [ofWeights([64]), seededRandom(seed, 'coverage')]
    const [strong, weak] = [
      { statistic: 640, scored: 10 },
      { statistic: 0, scored: 10 },
    ]
    const draw = (rate: number) => Array.from({ length: 60 }, () => (random.uniform() < rate ? strong : weak))
    let missed = 0
    for (let i = 0; i < 300; i++) {
      const calibration = calibrate(training, draw(0.5), draw(0.2))
      const { low, high } = posterior({ ...training, calibration }, strong)
      if (low > 0.5 / 0.7 || high < 0.5 / 0.7) missed++
    }
    expect(logBinomialTail(missed, 300, 0.05)).toBeGreaterThan(Math.log(1e-9))
  })

  test.each(Object.values(embeddedTrainings))('$name: held-out texts agree with Bayes', (training) => {
    const { bins, marked, unmarked } = training.calibration
    expect(bins.reduce((sum, bin) => sum + bin.marked, 0)).toBe(marked)
    expect(bins.reduce((sum, bin) => sum + bin.unmarked, 0)).toBe(unmarked)
    // the ratio is a fair bet without the key: at least 1/a with probability at most a
    const above = bins.filter(({ from }) => from >= 100).reduce((sum, bin) => sum + bin.unmarked, 0)
    expect(clopperPearson(above, unmarked, 0.999).low).toBeLessThan(0.01)
  })
})
