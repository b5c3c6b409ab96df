/** Texts of inference engines and toolkits: positions, scores, counts and p-values of fixtures/reference/engines.json. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  type Detection,
  type DetectOptions,
  detect,
  dualKeyGumbel,
  gumbel,
  kgw,
  parseWatermark,
  synthid,
} from '../../src/index.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import { asPublished, sglangContexts, textsealContexts } from '../../src/watermarks/reference.ts'

interface Text {
  readonly kind: string
  readonly vocab: number
  readonly key: string
  readonly tokens: number[]
  readonly prompt: number[]
  readonly scored: number
  readonly positions: number[]
  readonly score: number
  readonly p: number
}
type Scores = { readonly scores: number[] }
type Dual = { readonly alpha: number; readonly scores_a: number[]; readonly scores_b: number[] }
type Green = { readonly gamma: number; readonly green: string; readonly count: number }
type Ones = { readonly ones: number[] }
interface Sum {
  readonly contexts: number
  readonly score: number
  readonly log_p: number
}
type Sets = {
  vllm_synthid: { texts: (Text & Ones & { depth: number; hits: number })[] }
  vllm_hmac: { texts: (Text & Scores)[] }
  vllm_dual_key: { texts: (Text & Dual)[] }
  vllm_speculative: { texts: (Text & Dual)[] }
  vllm_red_green: { texts: (Text & Green)[] }
  vllm_sbw: { texts: (Text & Green)[] }
  sglang: {
    texts: (Text & {
      window: number
      with_prompt: Sum & Scores & { positions: number[] }
      without_prompt: Sum
    })[]
    dual: (Text &
      Dual & { key_a: string; key_b: string; mixing_probability: number; coin_a: string; combined: Sum })[]
  }
  textseal: { texts: (Text & Scores & Dual & Green & { method: string; ngram: number })[] }
  tgi: { texts: (Text & { green: string; green_without_first: number; z: number })[] }
  llamacpp_synthid: { texts: (Text & Ones & { keys: number[]; z: number })[] }
}

const { sets } = JSON.parse(
  readFileSync(new URL('../../fixtures/reference/engines.json', import.meta.url), 'utf8'),
) as { sets: Sets }

const found = (watermark: AnyWatermark, text: Text, more: Partial<DetectOptions> = {}): Detection =>
  detect(watermark, text.tokens, { key: text.key, vocabSize: text.vocab, ...more })

const positionsOf = ({ perToken }: Detection): number[] =>
  [...perToken.keys()].filter((t) => !Number.isNaN(perToken[t]!))
const scoresOf = ({ perToken }: Detection): number[] => [...perToken].filter((score) => !Number.isNaN(score))

/** Compares the p-value on the scale of its logarithm. */
const samePValue = ({ logPValue }: Detection, p: number, tolerance: number): void =>
  expect(Math.abs(logPValue - Math.log(p))).toBeLessThan(tolerance)

function sameScores(d: Detection, scores: readonly number[], tolerance: number): void {
  const own = scoresOf(d)
  expect(own).toHaveLength(scores.length)
  for (const [i, score] of scores.entries())
    expect(Math.abs(own[i]! - score)).toBeLessThan(tolerance * Math.max(1, score))
}

/** The id is read back, and means the same. */
function readsBack(watermark: AnyWatermark): void {
  const read = parseWatermark(watermark.id)
  expect([read.id, read.domain, read.context.id]).toEqual([
    watermark.id,
    watermark.domain,
    watermark.context.id,
  ])
}

describe('vLLM', () => {
  test.each(sets.vllm_synthid.texts)('SynthID: $kind, $depth layers', (text) => {
    const watermark = asPublished(synthid({ layers: text.depth }), 'vllm')
    const d = found(watermark, text)
    expect(positionsOf(d)).toEqual(text.positions)
    expect(scoresOf(d)).toEqual(text.ones)
    expect(d.statistic).toBe(text.hits)
    samePValue(d, text.p, 1e-9)
    expect(d.guaranteed).toBe(true)
    readsBack(watermark)
  })

  test.each(sets.vllm_hmac.texts)('HMAC: $kind', (text) => {
    const d = found(asPublished(gumbel(), 'vllm-hmac'), text)
    expect(positionsOf(d)).toEqual(text.positions)
    sameScores(d, text.scores, 1e-9)
    samePValue(d, text.p, 1e-4)
    expect(d.pValue).toBeGreaterThanOrEqual(text.p * (1 - 1e-12))
  })

  test.each([...sets.vllm_dual_key.texts, ...sets.vllm_speculative.texts])('dual key: $kind', (text) => {
    const { alpha } = text
    const d = found(asPublished(dualKeyGumbel({ alpha }), 'vllm'), text)
    expect(positionsOf(d)).toEqual(text.positions)
    sameScores(
      d,
      text.scores_a.map((a, i) => (1 - alpha) * a + alpha * text.scores_b[i]!),
      1e-9,
    )
    // the true tail is the heavier one from about 0.05 on
    if (text.p < 0.01) expect(d.pValue).toBeGreaterThan(text.p)
    const published = found(asPublished(dualKeyGumbel({ alpha, detector: 'published' }), 'vllm'), text)
    expect(published.guaranteed).toBe(false)
    expect(Math.abs(published.statistic - text.score)).toBeLessThan(1e-9)
    samePValue(published, text.p, 1e-9)
  })

  test.each(sets.vllm_red_green.texts)('red-green: $kind', (text) => {
    const watermark = asPublished(kgw({ delta: 2, gamma: text.gamma }), 'vllm')
    const d = found(watermark, text)
    expect(positionsOf(d)).toEqual(text.positions)
    expect(scoresOf(d).join('')).toBe(text.green)
    samePValue(d, text.p, 1e-9)
    readsBack(watermark)
  })

  test.each(sets.vllm_sbw.texts)('sbw: $kind', (text) => {
    const published = found(asPublished(kgw({ delta: 2, detector: 'published' }), 'vllm-sbw'), text)
    expect(positionsOf(published)).toEqual(text.positions)
    expect(scoresOf(published).join('')).toBe(text.green)
    expect([published.statistic, published.guaranteed]).toEqual([text.count, false])
    samePValue(published, text.p, 1e-9)
    const d = found(asPublished(kgw({ delta: 2 }), 'vllm-sbw'), text)
    expect(d.guaranteed).toBe(true)
    for (const t of positionsOf(d)) expect(d.perToken[t]).toBe(published.perToken[t])
    expect(d.scored).toBeLessThanOrEqual(text.scored)
    readsBack(asPublished(kgw({ delta: 2 }), 'vllm-sbw'))
  })

  test('sbw: unmarked loops, which vLLM finds at 4e-4, are no evidence once shared seeds count once', () => {
    const loop = sets.vllm_sbw.texts.find(({ kind }) => kind === 'unmarked-loop')!
    expect(loop.p).toBeLessThan(1e-3)
    expect(found(asPublished(kgw({ delta: 2 }), 'vllm-sbw'), loop).pValue).toBeGreaterThan(0.01)
  })
})

describe('SGLang', () => {
  test.each(sets.sglang.texts)('one key: $kind', (text) => {
    const { prompt, window, with_prompt, without_prompt } = text
    const watermark = asPublished(gumbel({ context: sglangContexts({ window }) }), 'sglang')
    const d = found(watermark, text, { prompt })
    expect(positionsOf(d)).toEqual(with_prompt.positions)
    sameScores(d, with_prompt.scores, 1e-9)
    expect(Math.abs(d.logPValue - with_prompt.log_p)).toBeLessThan(1e-4)
    expect(d.logPValue).toBeGreaterThan(with_prompt.log_p)
    const alone = found(watermark, text)
    expect(alone.scored).toBe(without_prompt.contexts)
    expect(Math.abs(alone.statistic - without_prompt.score)).toBeLessThan(1e-9)
    expect(Math.abs(alone.logPValue - without_prompt.log_p)).toBeLessThan(1e-4)
  })

  test.each(sets.sglang.dual)('two keys: $kind', (text) => {
    const { prompt, combined, coin_a, scores_a, scores_b } = text
    const alpha = 1 - text.mixing_probability
    const options = { prompt, key: `${text.key_a},${text.key_b}` }
    const d = found(asPublished(dualKeyGumbel({ alpha }), 'sglang'), text, options)
    expect(d.scored).toBe(combined.contexts)
    sameScores(
      d,
      [...coin_a].map((coin, i) => (coin === '1' ? scores_a : scores_b)[i]!),
      1e-9,
    )
    expect(Math.abs(d.logPValue - combined.log_p)).toBeLessThan(1e-4)
    const published = asPublished(dualKeyGumbel({ alpha, detector: 'published' }), 'sglang')
    expect(Math.abs(found(published, text, options).logPValue - combined.log_p)).toBeLessThan(1e-9)
  })
})

describe('TextSeal', () => {
  const context = ({ ngram }: { ngram: number }) => textsealContexts({ ngram })
  const of = (method: string) => sets.textseal.texts.filter((text) => text.method === method)

  test.each(of('textseal'))('two keys: $kind, $ngram', (text) => {
    const d = found(asPublished(dualKeyGumbel({ context: context(text) }), 'textseal'), text)
    expect(positionsOf(d)).toEqual(text.positions)
    sameScores(
      d,
      text.scores_a.map((a, i) => (a + text.scores_b[i]!) / 2),
      1e-6,
    )
    expect(Math.abs(d.statistic - text.score)).toBeLessThan(1e-6)
    samePValue(d, text.p, 1e-6)
    expect(d.guaranteed).toBe(false)
  })

  test.each(of('gumbelmax'))('one key: $kind', (text) => {
    const watermark = asPublished(gumbel({ context: context(text) }), 'textseal')
    const d = found(watermark, text)
    expect(positionsOf(d)).toEqual(text.positions)
    sameScores(d, text.scores, 1e-6)
    samePValue(d, text.p, 1e-6)
    expect([d.guaranteed, watermark.unbiased]).toEqual([false, false])
    readsBack(watermark)
  })

  test.each(of('greenlist'))('green lists: $kind', (text) => {
    const watermark = asPublished(kgw({ delta: 2, detector: 'published' }), 'textseal')
    const d = found(watermark, text)
    expect(positionsOf(d)).toEqual(text.positions)
    expect(scoresOf(d).join('')).toBe(text.green)
    samePValue(d, text.p, 1e-9)
    expect(found(asPublished(kgw({ delta: 2 }), 'textseal'), text).pValue).toBeGreaterThan(d.pValue)
  })

  test('bits of SynthID', () => {
    const { synthid_bits: bits } = sets.textseal as unknown as {
      synthid_bits: { key: number; context: number[]; token: number; bits: string }[]
    }
    const watermark = asPublished(synthid({ layers: 30 }), 'textseal')
    for (const { key, context, token, bits: expected } of bits) {
      const { random } = watermark.draw(undefined as never, 200_000, {
        shared: undefined as never,
        context,
        key: new TextEncoder().encode(String(key)),
      })
      const word = random.uint32(token)
      expect(Array.from({ length: 30 }, (_, layer) => (word >>> layer) & 1).join('')).toBe(expected)
    }
    readsBack(watermark)
  })
})

test.each(sets.tgi.texts)('TGI: $kind', (text) => {
  const { prompt, green } = text
  const watermark = asPublished(kgw({ delta: 2 }), 'tgi')
  const d = found(watermark, text, { prompt })
  // after token 0 all keys have one list: no evidence
  const previous = [prompt.at(-1)!, ...text.tokens]
  for (const [t, flag] of [...green].entries())
    expect(d.perToken[t]).toBe(previous[t] === 0 ? Number.NaN : Number(flag))
  expect(found(watermark, text).perToken[0]).toBeNaN()
  const z = found(asPublished(kgw({ delta: 2, detector: 'published' }), 'tgi'), text)
  expect(Math.abs(z.statistic - text.z)).toBeLessThan(1e-9)
  readsBack(watermark)
})

test.each(sets.llamacpp_synthid.texts)('llama.cpp: $kind', (text) => {
  const { keys, prompt } = text
  const watermark = asPublished(synthid({ layers: keys.length }), 'llama.cpp')
  const d = found(watermark, text, { key: keys.join(', ') })
  expect(positionsOf(d)).toEqual(text.positions)
  expect(scoresOf(d)).toEqual(text.ones)
  const bits = keys.length * d.scored
  expect(Math.abs((2 * d.statistic - bits) / Math.sqrt(bits) - text.z)).toBeLessThan(1e-9)
  const whole = found(watermark, text, { key: keys.join(', '), prompt })
  expect([...whole.perToken.subarray(4)]).toEqual([...d.perToken.subarray(4)])
  expect(positionsOf(whole).slice(0, 4)).toEqual([0, 1, 2, 3])
  readsBack(watermark)
})
