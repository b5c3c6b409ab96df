import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ngram } from '../../src/core/keys/ngram.ts'
import { defineWatermark } from '../../src/core/method/define-watermark.ts'
import { generate, generateMany, type TextRequest } from '../../src/text/decode/generate.ts'
import type { LanguageModel } from '../../src/text/decode/language-model.ts'
import { markovModel } from '../../src/text/decode/toy.ts'
import { gumbel } from '../../src/watermarks/gumbel.ts'
import { kgw } from '../../src/watermarks/kgw.ts'

const model = markovModel({ vocabSize: 30, order: 2, entropy: 2 })

describe('a text does not depend on what is generated beside it', () => {
  test('a text of a batch is the text generated alone, for any batch and watermark', async () => {
    const settings = fc.record({
      watermark: fc.constantFrom(undefined, gumbel(), kgw({ delta: 2 })),
      batchSize: fc.integer({ min: 1, max: 7 }),
      stopTokens: fc.constantFrom([], [3], [3, 4, 5]),
      temperature: fc.constantFrom(0, 0.5, 1),
      topK: fc.constantFrom(0, 5),
      seed: fc.nat(),
    })
    const prompts = fc.array(fc.array(fc.nat({ max: 29 }), { maxLength: 4 }), { minLength: 1, maxLength: 9 })
    await fc.assert(
      fc.asyncProperty(settings, prompts, async (options, list) => {
        const shared = { ...options, key: 'k', maxNewTokens: 12 }
        const requests = list.map((prompt, index) => ({ prompt, index, key: `key ${index % 3}` }))
        const together = await generateMany(model, requests, shared)
        for (const [i, request] of requests.entries())
          expect(together[i]).toEqual((await generateMany(model, [request], shared))[0])
      }),
      { numRuns: 40 },
    )
  })

  test('`first` gives text i of a count again', async () => {
    const options = { watermark: gumbel(), key: 'secret', seed: 7, maxNewTokens: 20 }
    const eight = await generate(model, [1, 2], { ...options, count: 8, batchSize: 3 })
    expect(await generate(model, [1, 2], { ...options, first: 5 })).toEqual([eight[5]])
  })

  test('the same seed gives the same texts, another seed or index other ones', async () => {
    const run = (seed: number | string) => generate(model, [1, 2], { seed, count: 2, maxNewTokens: 30 })
    expect(await run(1)).toEqual(await run(1))
    const texts = [...(await run(1)), ...(await run(2)), ...(await run('1'))].map((text) => text.text)
    expect(new Set(texts).size).toBe(6)
  })

  test('texts of one list differ by default; a request with a seed of its own is the same anywhere', async () => {
    const shared = { maxNewTokens: 30, seed: 1 }
    const write = async (requests: readonly TextRequest[]) =>
      (await generateMany(model, requests, shared)).map(({ text }) => text)
    const prompt = [1, 2]
    const three = await write([{ prompt }, { prompt }, { prompt }])
    expect(new Set(three).size).toBe(3)
    expect(await write([{ prompt }, { prompt, index: 2 }])).toEqual([three[0], three[2]])
    const [own] = await write([{ prompt, seed: 2 }])
    expect((await write([{ prompt }, { prompt, seed: 2 }]))[1]).toBe(own)
  })
})

describe('the order is warpers, watermark, draw', () => {
  /** Writes down the p it is given and moves all mass to the least likely token that has some. */
  const least = (seen: number[][]) =>
    defineWatermark<null>({
      id: 'least',
      unbiased: false,
      context: ngram(1, { repeated: 'reuse', short: true }),
      draw: () => null,
      choose(p) {
        seen.push(Array.from(p))
        return p.reduce(
          (best, mass, i) => (mass > 0 && mass < p[best]! ? i : best),
          p.indexOf(Math.max(...p)),
        )
      },
      score: () => 0,
      detector: undefined,
    })

  test('the watermark sees the warped distribution and the draw follows the watermark', async () => {
    const seen: number[][] = []
    const [text] = await generate(model, [1, 2], {
      watermark: least(seen),
      key: 'k',
      topK: 3,
      temperature: 0.5,
      maxNewTokens: 10,
    })
    for (const [i, p] of seen.entries()) {
      const kept = p.filter((mass) => mass > 0)
      expect(kept.length).toBe(3)
      expect(kept.reduce((a, b) => a + b)).toBeCloseTo(1, 12)
      expect(p[text!.tokens[i]!]).toBe(Math.min(...kept))
      expect(text!.logProbabilities[i]).toBe(Math.log(p[text!.tokens[i]!]!))
    }
  })

  test('the watermark sees the prompt before the text', async () => {
    const contexts: number[][] = []
    const spy = defineWatermark<null>({
      id: 'spy',
      unbiased: true,
      context: ngram(2),
      draw: (_random, _vocabSize, site) => {
        contexts.push([...site.context])
        return null
      },
      reweight: (p, _code, q) => q.set(p),
      score: () => 0,
      detector: undefined,
    })
    const [text] = await generate(model, [8, 9], { watermark: spy, key: 'k', maxNewTokens: 3, seed: 3 })
    const [a = 0, b = 0] = text!.tokens
    expect(contexts).toEqual([
      [8, 9],
      [9, a],
      [a, b],
    ])
  })
})

test('texts are fresh without a seed, and the same with one', async () => {
  const write = async (seed?: number) =>
    (await generate(model, [1, 2], { maxNewTokens: 200, seed }))[0]!.tokens
  expect(await write()).not.toEqual(await write()) // equal with probability below 2^-100: over half a bit per token
  expect(await write(0)).toEqual(await write(0))
})

describe('the law of the texts', () => {
  /**
   * The L1 distance of frequencies from their law. Bretagnolle, Huber and Carol: P(L1 >= e) <= 2^k exp(-n e^2 / 2) for k cells.
   * With k = 16 and n = 20,000 that is 1e-9 at e = 0.0564; a law that is 0.113 away passes with at most the same probability.
   */
  test('20,000 pairs of tokens follow the exact joint law (false alarm 1e-9)', async () => {
    const settings = { vocabSize: 4, order: 1, entropy: 1 }
    const small = markovModel(settings)
    const n = 20_000
    const texts = await generate(small, [0], { count: n, maxNewTokens: 2, batchSize: 500 })
    const share = new Float64Array(16)
    for (const { tokens } of texts) share[4 * tokens[0]! + tokens[1]!]! += 1 / n
    const pairs = Array.from({ length: 16 }, (_, i) => ({ prompt: [0], tokens: [i >> 2, i & 3] }))
    const distance = async (of: LanguageModel) =>
      (await of.logLikelihood(pairs)).reduce(
        (sum, [a = 0, b = 0], i) => sum + Math.abs(share[i]! - Math.exp(a + b)),
        0,
      )
    expect(await distance(small)).toBeLessThan(0.0564)
    // the control: the law of another model is told apart
    expect(await distance(markovModel({ ...settings, seed: 2 }))).toBeGreaterThan(0.113)
  })

  test('log-probabilities and entropies are those of the model', async () => {
    const [text] = await generate(model, [1, 2], { maxNewTokens: 15 })
    const [expected] = await model.logLikelihood([{ prompt: [1, 2], tokens: text!.tokens }])
    for (const [i, value] of text!.logProbabilities.entries()) expect(value).toBeCloseTo(expected![i]!, 12)
    for (const entropy of text!.entropies) expect(entropy).toBeCloseTo(2, 4)
  })
})

describe('the course of a call', () => {
  /** The model, and what is asked of it. */
  function watched(inner: LanguageModel) {
    const log = { prompts: [] as number[][], steps: [] as number[], open: 0 }
    const outer: LanguageModel = {
      ...inner,
      async begin(prompts) {
        log.prompts.push(...prompts.map((prompt) => Array.from(prompt)))
        log.open++
        const session = await inner.begin(prompts)
        return {
          get rows() {
            return session.rows
          },
          get logits() {
            return session.logits
          },
          step(tokens) {
            log.steps.push(session.rows)
            return session.step(tokens)
          },
          select: (rows) => session.select(rows),
          dispose() {
            log.open--
            session.dispose()
          },
        }
      },
    }
    return { log, outer }
  }

  test('a prompt that many texts share is read once', async () => {
    const { log, outer } = watched(model)
    await generate(outer, [5, 6], { count: 8, maxNewTokens: 3 })
    expect(log).toEqual({ prompts: [[5, 6]], steps: [8, 8], open: 0 })
  })

  test('finished texts leave the batch, and a stop token is kept as the last token', async () => {
    const { log, outer } = watched(model)
    const stopTokens = [1, 2, 3]
    const texts = await generate(outer, [5, 6], { count: 16, maxNewTokens: 30, stopTokens })
    const alive = (i: number) => texts.filter((text) => text.tokens.length > i + 1).length
    expect(log.steps).toEqual(log.steps.map((_, i) => alive(i)))
    expect(log.steps.at(-1)).toBeLessThan(16)
    for (const { tokens, finish } of texts) {
      expect(tokens.findIndex((token) => stopTokens.includes(token))).toBe(
        finish === 'stop' ? tokens.length - 1 : -1,
      )
      if (finish === 'length') expect(tokens.length).toBe(30)
    }
  })

  test('the callback sees every token of every text in order', async () => {
    const heard: number[][] = [[], [], []]
    const requests = [[1], [2, 3], []].map((prompt) => ({ prompt }))
    const texts = await generateMany(model, requests, {
      maxNewTokens: 5,
      batchSize: 2,
      onToken({ text, token, position }) {
        expect(heard[text]!.push(token)).toBe(position + 1)
      },
    })
    expect(heard).toEqual(texts.map((text) => text.tokens))
  })

  test('an abort ends the call with its reason and frees the session', async () => {
    const { log, outer } = watched(model)
    const control = new AbortController()
    const reason = new Error('enough')
    const call = generate(outer, [1], {
      maxNewTokens: 100,
      signal: control.signal,
      onToken: ({ position }) => position === 3 && control.abort(reason),
    })
    await expect(call).rejects.toBe(reason)
    expect(log.open).toBe(0)
    expect(log.steps.length).toBe(3)
    await expect(generate(outer, [1], { signal: control.signal })).rejects.toBe(reason)
    expect(log.prompts.length).toBe(1)
  })
})

describe('errors say what is wrong', () => {
  const short: LanguageModel = { ...model, maxLength: 10 }
  test.each([
    ['no key', () => generate(model, [1], { watermark: gumbel() }), /key: expected a secret key/],
    [
      'a token outside',
      () => generate(model, [1, 30]),
      /prompt\[1\]: expected an integer in \[0, 29\], got 30/,
    ],
    ['a stop outside', () => generate(model, [1], { stopTokens: [99] }), /stopTokens\[0\]/],
    ['a chat', () => generate(model, [{ role: 'user', content: 'hi' }]), /no chat template/],
    [
      'no prompt',
      () => generate(model, undefined as unknown as string),
      /prompt: expected a string, tokens or/,
    ],
    ['a long prompt', () => generate(short, Array(10).fill(1)), /prompt: expected fewer than 10 tokens/],
    ['no room', () => generate(short, [1, 2], { maxNewTokens: 9 }), /maxNewTokens: expected at most 8/],
    ['no texts', () => generate(model, [1], { count: 0 }), /count: expected an integer in \[1, 1000000\]/],
  ])('%s', async (_name, call, message) => {
    await expect(call()).rejects.toThrow(message)
  })

  test('without maxNewTokens a text ends where the room ends', async () => {
    expect((await generate(short, [1, 2]))[0]).toMatchObject({ finish: 'length', tokens: { length: 8 } })
  })
})
