import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lawFor } from '../../src/core/detect/null-laws.ts'
import { seededRandom } from '../../src/core/keys/index.ts'
import { detect, embedder, ngram } from '../../src/index.ts'
import { type Watermark, weightedOrbit } from '../../src/watermark.ts'
import {
  dipmark,
  expEdit,
  gammaReweight,
  kgw,
  mcmark,
  parseWatermark,
  shippedMethods,
  sta1,
  synthid,
} from '../../src/watermarks/entry.ts'
import { asPublished, kgwGreenlist, toReferenceOutput } from '../../src/watermarks/reference.ts'
import { vectors } from './vectors.ts'

const codes = 'reference'
// biome-ignore lint/suspicious/noExplicitAny: a list of watermarks with different codes
const every: Watermark<any>[] = [
  ...shippedMethods().flatMap((method) =>
    Object.keys(method.published).map((name) => asPublished(method.usual(), name)),
  ),
  kgw({ delta: 1, gamma: 0.3, codes }),
  sta1({ gamma: 0.3, codes }),
  mcmark({ channels: 3, codes }),
  synthid({ layers: 30, codes, flavor: 'google' }),
  synthid({ detector: 'weighted', codes }),
]

/** Bytes that are no text, as published codes take them. */
const randomBytes = (label: string) => Uint8Array.of(255, ...new TextEncoder().encode(label))

/** What `detect` scored, as [position, score]. */
const scores = (perToken: Float64Array) =>
  Array.from(perToken, (score, t) => [t, score] as const).filter(([, score]) => !Number.isNaN(score))

describe('texts are scored as published implementations score them', () => {
  const repo = vectors.mcmark_repo_ngram2
  const privateKey = Uint8Array.from(repo.private_key_hex.match(/../g)!, (byte) => Number.parseInt(byte, 16))
  // biome-ignore lint/suspicious/noExplicitAny: the code does not matter here
  const check = (watermark: Watermark<any>, expected: (t: number) => number) => {
    const { perToken } = detect(watermark, repo.token_ids, { key: privateKey, vocabSize: repo.vocab })
    const scored = scores(perToken)
    expect(scored.length).toBeGreaterThan(50)
    expect(scored).toEqual(scored.map(([t]) => [t, expected(t)]))
  }
  // the vectors begin at position 1
  test('DiPmark and gamma-reweight', () => {
    check(dipmark({ alpha: 0.3, codes }), (t) => Number(repo.green_quantile[t - 1]! > 0.5))
    check(gammaReweight({ codes }), (t) => Number(repo.green_quantile[t - 1]! > 0.5))
  })
  test('STA-1', () => check(sta1({ codes }), (t) => repo.sta_green[t - 1]!))
  test.each([2, 10, 20])('MCmark, %s channels', (channels) =>
    check(mcmark({ channels, codes }), (t) => repo.mcmark_hit[channels]![t - 1]!),
  )

  test.each(['huggingface', 'google'] as const)('SynthID, %s', (flavor) => {
    const vector = flavor === 'google' ? vectors.synthid_google : vectors.synthid_hf
    const watermark = synthid({ layers: vector.keys.length, codes, flavor })
    const key = vector.keys.join(', ')
    const { perToken } = detect(watermark, vector.token_ids, { key, vocabSize: 50257 })
    const expected = vector.g_values.map((bits, i) =>
      vector.context_repetition_mask[i] === 1 ? bits.reduce((sum, bit) => sum + bit, 0) : Number.NaN,
    )
    expect(Array.from(perToken.slice(4))).toEqual(expected)
  })

  test.each(vectors.exp_edit)('EXP-Edit, key $key: generated and aligned as in the demo', (vector) => {
    const { key, key_length: keyLength, vocab: vocabSize, block, gamma: penalty, tokens } = vector
    const watermark = expEdit({ keyLength, block, penalty, codes })
    const { statistic } = detect(watermark, tokens, { key: String(key), vocabSize, runs: 1 })
    expect(Math.abs(statistic + vector.statistic)).toBeLessThan(1e-9)
    const secret = new TextEncoder().encode(String(key))
    const generated = vector.probs.map((p, t) => {
      const context = [(vector.offset + t) % keyLength]
      const site = { shared: undefined as never, context, key: secret }
      return watermark.choose!(Float64Array.from(p), watermark.draw(undefined as never, vocabSize, site))
    })
    expect(generated).toEqual(tokens.slice(0, generated.length))
  })

  test('KGW', () => {
    const [vocabSize, hashingKey, ratio] = [1000, 15485863, 0.25]
    const stream = seededRandom(1)
    const tokens = Array.from({ length: 60 }, () => stream.below(vocabSize))
    const mark = kgw({ delta: 2, gamma: ratio, codes })
    const scored = scores(detect(mark, tokens, { key: String(hashingKey), vocabSize }).perToken)
    expect(scored.length).toBeGreaterThan(40)
    for (const [t, score] of scored) {
      const green = kgwGreenlist({ vocabSize, hashingKey, ratio, previous: tokens[t - 1]! })
      expect(score).toBe(Number(green.includes(tokens[t]!)))
    }
  })
})

describe.each(every)('$id', (watermark) => {
  test('its id is read back', () => expect(parseWatermark(watermark.id).id).toBe(watermark.id))

  test('a text of 200 tokens is detected with its key and with no other', () => {
    const vocabSize = 211
    const stream = seededRandom(1, watermark.id)
    const text = embedder(watermark, { key: randomBytes('a secret'), vocabSize, seed: 1 })
    const p = new Float64Array(vocabSize)
    const q = new Float64Array(vocabSize)
    const tokens: number[] = []
    while (tokens.length < 200) {
      for (let i = 0; i < vocabSize; i++) p[i] = -Math.log(stream.uniform())
      const total = p.reduce((sum, mass) => sum + mass, 0)
      for (let i = 0; i < vocabSize; i++) p[i]! /= total
      text.reweight(tokens, p, q)
      let u = stream.uniform()
      let token = 0
      while (u > q[token]! && token < vocabSize - 1) u -= q[token++]!
      tokens.push(token)
      text.drew(token, p[token]!)
    }
    const detection = (key: string) => detect(watermark, tokens, { key: randomBytes(key), vocabSize })
    expect(detection('a secret').pValue).toBeLessThan(1e-3)
    expect(detection('another').pValue).toBeGreaterThan(1e-9)
  })
})

/** The share of tokens that score under the code of one context. */
// biome-ignore lint/suspicious/noExplicitAny: the code does not matter here
function share(watermark: Watermark<any>, vocabSize: number, context: number[], key: Uint8Array): number {
  const code = watermark.draw(undefined as never, vocabSize, { shared: undefined as never, context, key })
  let sum = 0
  for (let token = 0; token < vocabSize; token++) sum += watermark.score(token, code)
  return sum / vocabSize
}

/** Channels differ in size by one: their share is exact over the orbit, see below. With self-hash each token has a list of its own. */
const oneSize = every.filter(
  ({ id, detector }) => typeof detector!.nullLaw === 'function' && !/^mcmark|elfHash/.test(id),
)

test.each(oneSize)('$id: exactly the share of the null law scores, in every code', (watermark) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.uint8Array(), (vocabSize, bytes) => {
      const key = Uint8Array.of(255, ...bytes) // no text, so no integers
      const law = lawFor(watermark.detector!.nullLaw!, vocabSize)
      expect(share(watermark, vocabSize, [3], key)).toBeCloseTo(law.mean, 12)
      expect(law.logTail(0, 5)).toBe(0)
    }),
  )
})

test('mcmark: over its orbit, one token in l scores', () => {
  const watermark = mcmark({ channels: 3, codes })
  const code = watermark.draw(undefined as never, 10, {
    shared: undefined as never,
    context: [1, 2],
    key: new Uint8Array([1]),
  })
  const hits = [...watermark.orbit!(code, new Float64Array(10))].map((member) =>
    Array.from({ length: 10 }, (_, token) => watermark.score(token, member as typeof code)),
  )
  for (let token = 0; token < 10; token++)
    expect(hits.reduce((sum, member) => sum + member[token]!, 0)).toBe(1)
})

test('synthid: the rate of ones over a large vocabulary is the declared one', () => {
  // Under a random key each of the 2^16 table states is met equally often: exact for V = 65536.
  const watermark = synthid({ layers: 8, codes })
  const law = lawFor(watermark.detector!.nullLaw!, 65536)
  expect(share(watermark, 65536, [1, 2, 3, 4], new Uint8Array([1]))).toBeCloseTo(law.mean, 10)
})

test.each(every.filter((w) => w.orbit !== undefined && w.choose === undefined))(
  'orbit of $id averages to p',
  (watermark) => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { minLength: 1, maxLength: 12 }), fc.nat(), (weights, k) => {
        fc.pre(weights.some((w) => w > 0))
        const total = weights.reduce((sum, w) => sum + w, 0)
        const p = Float64Array.from(weights, (w) => w / total)
        const site = { shared: undefined as never, context: [k, 2], key: new Uint8Array([7]) }
        const members = weightedOrbit(watermark, watermark.draw(undefined as never, p.length, site), p)!
        const mean = new Float64Array(p.length)
        for (const { code, weight } of members) {
          const q = new Float64Array(p.length)
          watermark.reweight(p, code, q)
          q.forEach((mass, i) => {
            mean[i]! += weight * mass
          })
        }
        for (const [i, mass] of p.entries()) expect(Math.abs(mean[i]! - mass)).toBeLessThan(1e-12)
      }),
    )
  },
)

test('KGW enumerates the sets of its size', () => {
  const sets = [...kgw({ delta: 2, codes }).enumerate!(5)]
  expect(sets.length).toBe(10)
  expect(sets.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 14)
  const score = kgw({ delta: 2, codes }).score
  const names = sets.map(({ code }) => [0, 1, 2, 3, 4].filter((token) => score(token, code) === 1).join())
  expect(new Set(names).size).toBe(10)
  expect(names.every((name) => name.length === 3)).toBe(true)
})

test.each(every.filter((w) => w.enumerate !== undefined))(
  '$id: the listed codes have total weight 1 and the null law as their mean score',
  // biome-ignore lint/suspicious/noExplicitAny: the code does not matter here
  (watermark: Watermark<any>) => {
    for (const vocabSize of [2, 4, 5]) {
      const listed = [...watermark.enumerate!(vocabSize)]
      expect(listed.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 12)
      const mean = lawFor(watermark.detector!.nullLaw!, vocabSize).mean
      for (let token = 0; token < vocabSize; token++) {
        const score = listed.reduce((sum, { code, weight }) => sum + weight * watermark.score(token, code), 0)
        expect(score).toBeCloseTo(mean, 12)
      }
    }
  },
)

test('permutation runs of EXP-Edit use keys of their own', () => {
  // With the secret in every run all statistics would tie and the p-value be 1.
  const vector = vectors.exp_edit[2]!
  const watermark = expEdit({ keyLength: 16, block: 10, penalty: 0.5, codes })
  const key = String(vector.key)
  const { pValue } = detect(watermark, vector.tokens, { key, vocabSize: vector.vocab, runs: 99 })
  expect(pValue).toBeLessThanOrEqual(0.02)
})

test('wrong options are named', () => {
  expect(() => kgw({ delta: 2, codes: 'published' as 'reference' })).toThrow(/codes: expected one of/)
  expect(() => kgw({ delta: 2, codes, context: ngram(2) })).toThrow(/context: expected ngram\(1\)/)
  expect(() => synthid({ flavor: 'google' })).toThrow(/flavor/)
  const keys = { key: '1, 2, 3', vocabSize: 10 }
  expect(() => detect(synthid({ codes }), [1, 2, 3, 4, 5, 6], keys)).toThrow(
    /key: expected 20 layer keys.*got 3 integers/,
  )
})

describe('the output shape of Transformers', () => {
  const vocabSize = 50
  const mark = kgw({ delta: 2, codes })
  const tokens = Array.from({ length: 40 }, (_, i) => (7 * i * i) % vocabSize)
  const detection = detect(mark, tokens, { key: '15485863', vocabSize, alpha: 0.5 })
  test('counts, z-score, p-value, decision', () => {
    const output = toReferenceOutput(detection, mark, { vocabSize })
    const { num_tokens_scored: n, num_green_tokens: green } = output
    expect(n).toBe(detection.scored)
    expect(green).toBe(detection.statistic)
    expect(output).toEqual({
      num_tokens_scored: n,
      num_green_tokens: green,
      green_fraction: green / n,
      z_score: (green - n / 2) / Math.sqrt(n / 4),
      p_value: detection.pValue,
      prediction: detection.detected,
    })
    const below = output.z_score - 0.1
    expect(toReferenceOutput(detection, mark, { vocabSize, zThreshold: below }).prediction).toBe(true)
    expect(toReferenceOutput(detection, mark, { vocabSize, zThreshold: below + 0.2 }).prediction).toBe(false)
  })
  test('a text without a scored token', () => {
    const nothing = detect(mark, [1], { key: '15485863', vocabSize })
    expect(toReferenceOutput(nothing, mark, { vocabSize })).toEqual({
      num_tokens_scored: 0,
      num_green_tokens: 0,
      green_fraction: 0,
      z_score: 0,
      p_value: 1,
      prediction: false,
    })
  })
  test('only for green lists', () => {
    const bits = detect(synthid(), tokens, { key: 'x', vocabSize })
    expect(() => toReferenceOutput(bits, synthid(), { vocabSize })).toThrow(/synthid.*green-list/)
  })
})
