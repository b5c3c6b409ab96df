/** Engines in the other direction: texts that we mark are found with the prompt, and keys in a wrong format are refused unseen. */
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/stream.ts'
import {
  detect,
  detectMany,
  dualKeyGumbel,
  embedder,
  gumbel,
  kgw,
  ngram,
  stream,
  synthid,
} from '../../src/index.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import { asPublished, sglangContexts, textsealContexts } from '../../src/watermarks/reference.ts'

const V = 500
const prompt = [3, 1, 4, 1, 5, 9]
const engines: [AnyWatermark, string, string][] = [
  [gumbel(), 'sglang', '0123456789abcdef'],
  [dualKeyGumbel(), 'sglang', '0123456789abcdef,deadbeef'],
  [gumbel(), 'textseal', '42'],
  [dualKeyGumbel(), 'textseal', '42'],
  [synthid({ layers: 30 }), 'textseal', '42'],
  [kgw({ delta: 4 }), 'textseal', '42'],
  [kgw({ delta: 4 }), 'tgi', '15485863'],
  [synthid({ layers: 4 }), 'llama.cpp', '654, 400, 836, 123'],
  [synthid({ layers: 32 }), 'vllm', '42'],
  [gumbel(), 'vllm-hmac', '42'],
  [dualKeyGumbel(), 'vllm', '42'],
  [kgw({ delta: 4, gamma: 0.25 }), 'vllm', '42'],
  [kgw({ delta: 4 }), 'vllm-sbw', '42'],
]

function write(watermark: AnyWatermark, key: string): number[] {
  const stream = seededRandom(1, 'engines')
  const text = embedder(watermark, { key, vocabSize: V, seed: 1 })
  const p = new Float64Array(V).fill(1 / V)
  const q = new Float64Array(V)
  const tokens: number[] = []
  for (let t = 0; t < 100; t++) {
    text.reweight([...prompt, ...tokens], p, q)
    let u = stream.uniform()
    let token = 0
    while (token < V - 1 && u >= q[token]!) u -= q[token++]!
    text.drew(token, p[token]!)
    tokens.push(token)
  }
  return tokens
}

test.each(engines)('%o as %s: what is marked is found', (plain, name, key) => {
  const watermark = asPublished(plain, name)
  const tokens = write(watermark, key)
  const alone = detect(watermark, tokens, { key, vocabSize: V })
  const whole = detect(watermark, tokens, { key, vocabSize: V, prompt })
  expect(Math.max(alone.pValue, whole.pValue)).toBeLessThan(1e-4)
  expect(whole.scored).toBeGreaterThanOrEqual(alone.scored)
  if (watermark.context.seesPrompt) expect(whole.perToken[0]).not.toBeNaN()
  expect(detectMany(watermark, [tokens], { key, vocabSize: V, prompt })).toEqual([whole])
  const each = { key, vocabSize: V, prompts: [prompt, undefined] }
  expect(detectMany(watermark, [tokens, tokens], each)).toEqual([whole, alone])
  const text = stream(watermark, { key, vocabSize: V, prompt })
  const read = tokens.map((token) => text.push(token).scored)
  if (!watermark.context.recurs) expect(read.at(-1)).toBe(whole.scored)
  if (watermark.context.seesPrompt) expect(read[0]).toBe(1)
})

test.each(engines)(
  '%o as %s: a prompt of its own and a prompt in the tokens mark alike',
  (plain, name, key) => {
    const watermark = asPublished(plain, name)
    const p = Float64Array.from({ length: V }, (_, i) => (2 * (i + 1)) / V / (V + 1))
    const [whole, apart] = [new Float64Array(V), new Float64Array(V)]
    const together = embedder(watermark, { key, vocabSize: V, seed: 1 })
    const alone = embedder(watermark, { key, vocabSize: V, seed: 1, prompt })
    for (let t = 0; t < 8; t++) {
      const tokens = Array.from({ length: t }, (_, i) => 7 * i)
      expect(alone.reweight(tokens, p, apart)).toBe(together.reweight([...prompt, ...tokens], p, whole))
      expect(apart).toEqual(whole)
    }
  },
)

test('prompts that are no tokens, or too few, are refused', () => {
  const options = { key: 'a key of many bytes', vocabSize: V }
  expect(() => detectMany(gumbel(), [[1], [2]], { ...options, prompts: [[3]] })).toThrow(/prompts: expected/)
  expect(() => detectMany(gumbel(), [[1]], { ...options, prompts: [[V]] })).toThrow(/prompt of texts\[0\]/)
  expect(() => detectMany(gumbel(), [[1]], { ...options, prompt, prompts: [] })).toThrow(/prompts: expected/)
  expect(() => stream(gumbel(), { ...options, prompt: [-1] })).toThrow(/prompt\[0\]: expected/)
  expect(() => embedder(gumbel(), { ...options, prompt: [V] })).toThrow(/prompt\[0\]: expected/)
})

const asIntegers: [AnyWatermark, string, string, bigint | number | readonly (bigint | number)[]][] = [
  [gumbel(), 'vllm', '42', 42n],
  [gumbel(), 'vllm-hmac', '42', 42],
  [gumbel(), 'sglang', '0123456789abcdef', 0x0123456789abcdefn],
  [dualKeyGumbel(), 'sglang', 'ab, deadbeef', [0xab, 0xdeadbeefn]],
  [gumbel(), 'textseal', '42', 42n],
  [kgw({ delta: 4 }), 'tgi', '15485863', 15485863n],
  [synthid({ layers: 3 }), 'llama.cpp', '654, 400, 836', [654, 400n, 836]],
]

test.each(asIntegers)('%o as %s takes its key as text and as integers', (plain, name, text, integers) => {
  const watermark = asPublished(plain, name)
  const tokens = Array.from({ length: 30 }, (_, t) => (t * t) % V)
  const found = detect(watermark, tokens, { key: text, vocabSize: V })
  expect(detect(watermark, tokens, { key: integers, vocabSize: V })).toEqual(found)
  expect(detectMany(watermark, [tokens], { key: integers, vocabSize: V })).toEqual([found])
  const p = Float64Array.from({ length: V }, (_, i) => (2 * (i + 1)) / V / (V + 1))
  const marks = [text, integers].map((key) => {
    const q = new Float64Array(V)
    embedder(watermark, { key, vocabSize: V, seed: 1 }).reweight(prompt, p, q)
    return q
  })
  expect(marks[0]).toEqual(marks[1])
  const wrong = typeof integers === 'object' ? [...integers, -12345678901n] : -12345678901n
  for (const key of [wrong, 2 ** 60, 0.123456789])
    try {
      detect(watermark, tokens, { key, vocabSize: V })
      expect.fail('not refused')
    } catch (error) {
      expect((error as Error).message).toMatch(/^key: expected/)
      expect((error as Error).message).not.toMatch(/12345678|1152921/)
    }
})

test('TGI needs no key; everything else does, and own codes take text or bytes alone', () => {
  const watermark = asPublished(kgw({ delta: 4 }), 'tgi')
  const tokens = write(watermark, '15485863')
  const found = detect(watermark, tokens, { vocabSize: V })
  expect(found).toEqual(detect(watermark, tokens, { key: '15485863', vocabSize: V }))
  expect(found.pValue).toBeLessThan(1e-4)
  expect(() => detect(asPublished(gumbel(), 'sglang'), tokens, { vocabSize: V })).toThrow(/^key: expected/)
  expect(() => detect(gumbel(), tokens, { vocabSize: V })).toThrow(/^key: expected/)
  expect(() => detect(gumbel(), tokens, { key: 42n, vocabSize: V })).toThrow(/^key: expected a string/)
})

test.each([
  [gumbel(), 'sglang', ['0x12', '', 'xyz', '0123456789abcdef0', 'ab,cd', '-1']],
  [dualKeyGumbel(), 'sglang', ['abc', 'a,b,c', 'a,,b']],
  [gumbel(), 'vllm-hmac', ['abc', String(1n << 256n), '1,2']],
  [gumbel(), 'textseal', ['abc', String(1n << 63n)]],
  [kgw({ delta: 2 }), 'vllm-sbw', ['abc', String(1n << 63n)]],
  [synthid({ layers: 3 }), 'llama.cpp', ['1, 2', 'abc']],
] as [AnyWatermark, string, string[]][])(
  '%o as %s refuses other keys, and shows none',
  (plain, name, keys) => {
    for (const key of keys)
      try {
        detect(asPublished(plain, name), [1, 2, 3, 4, 5, 6, 7], { key, vocabSize: V })
        expect.fail('not refused')
      } catch (error) {
        expect((error as Error).message).toMatch(/^key: /)
        if (key.length > 4) expect((error as Error).message).not.toContain(key)
      }
  },
)

describe('the prompt', () => {
  const none = () => false

  test('gives the first positions of ngram a context, as one longer text would', () => {
    const tokens = [2, 6, 5, 3, 5]
    expect(ngram(2).scored([...prompt, ...tokens], none, prompt.length)[0]).toEqual([5, 9])
    const options = { key: 'a key of many bytes', vocabSize: V }
    const whole = detect(gumbel(), [...prompt, ...tokens], options)
    const text = detect(gumbel(), tokens, { ...options, prompt })
    expect([...text.perToken]).toEqual([...whole.perToken.subarray(prompt.length)])
    expect(detect(gumbel(), tokens, options).scored).toBe(3)
    expect(() => detect(gumbel(), tokens, { ...options, prompt: [V] })).toThrow(/prompt\[0\]: expected/)
  })

  test('is ignored by rules that do not say that they see it', () => {
    const { seesPrompt: _, ...blind } = ngram(2)
    const watermark = gumbel({ context: { ...blind, id: 'mine' } })
    const options = { key: 'a key of many bytes', vocabSize: V }
    expect(detect(watermark, [1, 2, 3], { ...options, prompt }).scored).toBe(1)
  })

  test('an empty prompt is not an unknown one', () => {
    const rule = sglangContexts({ window: 2 })
    expect(rule.scored([7, 8, 9], none)).toEqual([undefined, undefined, [7, 8]])
    expect(rule.scored([7, 8, 9], none, 0)).toEqual([[], [7], [7, 8]])
    expect(textsealContexts().scored([7, 8, 9], none, 1)).toEqual([[7], [8]])
  })

  test('SGLang scores 4,096 contexts at most, and marks no more', () => {
    const tokens = Array.from({ length: 5000 }, (_, t) => t)
    const rule = sglangContexts({ window: 1 })
    expect(rule.scored(tokens, none).filter((context) => context !== undefined)).toHaveLength(4096)
    const cursor = rule.begin(undefined as never)
    const marked = tokens.map((_, t) => cursor.next(tokens.slice(0, t)) !== undefined)
    expect(marked.lastIndexOf(true)).toBe(4095)
  })
})

test('weights of two keys: 0 and 1 are one exponential, the default is alpha', () => {
  const law = (options: object) => dualKeyGumbel(options).detector!.nullLaw as { name: string }
  expect(law({}).name).toBe('twoExponentials(0.9,0.1)')
  expect(law({ alpha: 0 }).name).toBe('exponential()')
  expect(law({ alpha: 0.3, weight: 1 }).name).toBe('exponential()')
  expect(asPublished(dualKeyGumbel(), 'sglang').id).toBe('dualKeyGumbel(codes=sglang)')
  expect(() => dualKeyGumbel({ codes: 'sglang', weight: 0.5 })).toThrow(/weight: expected none/)
  // a bound, close to one exponential
  const tiny = dualKeyGumbel({ weight: 1e-9 }).detector!.nullLaw as unknown as {
    exact: boolean
    logTail(sum: number, n: number): number
  }
  expect(tiny.exact).toBe(false)
  expect(Math.exp(tiny.logTail(150, 100))).toBeGreaterThan(Math.exp(-13))
})

test.each<AnyWatermark>([gumbel(), dualKeyGumbel()])('TextSeal starves a tail of 5,000 tokens: %#', (own) => {
  const watermark = asPublished(own, 'textseal')
  const size = 5001
  const p = new Float64Array(size).fill(0.5 / (size - 1))
  p[0] = 0.5
  const q = new Float64Array(size)
  const texts = 1500
  let tail = 0
  for (let i = 0; i < texts; i++) {
    const text = embedder(watermark, { key: `${1000 + 7919 * i}`, vocabSize: size, seed: i })
    text.reweight([i % size], p, q)
    tail += 1 - q[0]!
  }
  // 0.352 by computation. An unbiased code has a mean of 1/2 and stays above 0.42 but for 1e-9; this one stays below but for 1e-7
  expect(tail / texts).toBeLessThan(0.42)
})
