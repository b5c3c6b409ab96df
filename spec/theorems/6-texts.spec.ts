import { expect } from 'vitest'
import { embedder } from '../../src/core/embed/embedder.ts'
import { sequence } from '../../src/core/keys/index.ts'
import { generate } from '../../src/text/decode/generate.ts'
import type { LanguageModel } from '../../src/text/decode/language-model.ts'
import { markovModel } from '../../src/text/decode/toy.ts'
import { amplificationBracket } from '../../src/theory/amplification.ts'
import { textBhattacharyya } from '../../src/theory/text-bhattacharyya.ts'
import { textQueryBudget } from '../../src/theory/text-query-budget.ts'
import {
  type AnyWatermark,
  dipmark,
  expEdit,
  gammaReweight,
  gumbel,
  kgw,
  mcmark,
  sta1,
  synthid,
  unwatermarked,
} from '../../src/watermarks/entry.ts'
import { section } from './statement.ts'

const statement = section('Repeated prompts: whole texts')

/** BC of the texts of a small model and its watermarked texts, by listing every text. */
async function listedBhattacharyya(
  watermark: AnyWatermark,
  model: LanguageModel,
  key: string,
  prompt: readonly number[],
  length: number,
): Promise<number> {
  const { vocabSize } = model
  let total = 0
  for (let index = 0; index < vocabSize ** length; index++) {
    const text = Array.from({ length }, (_, t) => Math.floor(index / vocabSize ** t) % vocabSize)
    const [logs] = await model.logLikelihood([{ prompt, tokens: text }])
    const mark = embedder(watermark, { key, vocabSize, seed: 0 })
    const q = new Float64Array(vocabSize)
    let product = 1
    for (let t = 0; t < length; t++) {
      const seen = [...prompt, ...text.slice(0, t)]
      const p = await nextDistribution(model, seen)
      mark.reweight(seen, p, q)
      mark.drew(text[t]!, p[text[t]!]!)
      product *= Math.sqrt(Math.exp(logs![t]!) * q[text[t]!]!)
    }
    total += product
  }
  return total
}

async function nextDistribution(model: LanguageModel, seen: readonly number[]): Promise<Float64Array> {
  const continuations = Array.from({ length: model.vocabSize }, (_, token) => ({
    prompt: seen,
    tokens: [token],
  }))
  const logs = await model.logLikelihood(continuations)
  return Float64Array.from(logs, (row) => Math.exp(row[0]!))
}

const tiny = markovModel({ vocabSize: 3, entropy: 0.9, seed: 5 })

statement({
  name: 'BC of whole texts is the mean of prod Z_t over tokens drawn in proportion to sqrt(p q), Z_t the normalisers',
  how: 'simulated: 2000 texts of 4 tokens per watermark against all 81 texts listed; Chernoff interval, false alarm 1e-9 in all',
  claim: 1,
  check: async (power) => {
    const watermarks: AnyWatermark[] = [dipmark({ alpha: 0.4 }), sta1(), mcmark({ channels: 3 }), gumbel()]
    const found: string[] = []
    for (const watermark of watermarks) {
      const exact = await listedBhattacharyya(watermark, tiny, 'secret', [0, 1], 4)
      const { low, high, estimate } = await textBhattacharyya(watermark, tiny, {
        key: 'secret',
        prompt: [0, 1],
        length: 4,
        texts: 2000,
        confidence: 1 - 1e-9 / watermarks.length,
      })
      expect(exact ** power).toBeGreaterThanOrEqual(low)
      expect(exact ** power).toBeLessThanOrEqual(high)
      found.push(`${watermark.id} ${estimate.toFixed(4)} (listed ${exact.toFixed(4)})`)
    }
    return found.join(', ')
  },
  falsehood: { what: 'its square', claim: 2 },
})

const model = markovModel({ vocabSize: 16, entropy: 1.5 })
const trials = 60

statement({
  name: 'asking the same prompts again tells a watermarked model from the model: the query budget of texts',
  how: `simulated: SPMG test at 5% on a Markov model (16 tokens, 1.5 nats), 2 prompts, texts of 12 tokens, ${trials} keys; the range misses with probability at most 1%`,
  claim: [gumbel(), kgw({ delta: 2 })] as readonly AnyWatermark[],
  check: async (reached) => {
    const rows: string[] = []
    const others: AnyWatermark[] = [synthid(), gammaReweight(), mcmark({ channels: 10 })]
    for (const watermark of [...reached, ...others]) {
      const options = {
        prompts: [
          [1, 2],
          [3, 4],
        ],
        length: 12,
        trials,
        most: 64,
      }
      const { low, high, steps } = await textQueryBudget(watermark, model, options)
      if (reached.includes(watermark)) expect(high).toBeLessThan(Number.POSITIVE_INFINITY)
      const last = steps.at(-1)!
      const power = `power ${(last.rejected / last.trials).toFixed(2)} at ${last.generations}`
      rows.push(
        `${watermark.id} ${high < Number.POSITIVE_INFINITY ? `${low}..${high}` : `${low} or more`} (${power})`,
      )
    }
    return `generations per prompt for power 1/2: ${rows.join(', ')}`
  },
  falsehood: { what: 'so is the identity', claim: [unwatermarked()] },
})

statement({
  name: 'BC of texts never grows with their length',
  how: 'exact: 4 watermarks, every text of 1 to 4 tokens of a Markov model over 3 tokens listed',
  claim: 1,
  check: async (factor) => {
    const watermarks: AnyWatermark[] = [dipmark({ alpha: 0.4 }), sta1(), kgw({ delta: 2 }), gumbel()]
    const rows: string[] = []
    for (const watermark of watermarks) {
      const values: number[] = []
      for (const length of [1, 2, 3, 4])
        values.push(await listedBhattacharyya(watermark, tiny, 'another', [0, 1], length))
      for (let i = 1; i < values.length; i++)
        expect(values[i]).toBeLessThanOrEqual(factor * values[i - 1]! + 1e-12)
      const { low, high } = amplificationBracket(values[3]!, 0.5)
      rows.push(
        `${watermark.id} ${values.map((x) => x.toFixed(3)).join(' ')}, TV 1/2 within ${low}..${high} texts`,
      )
    }
    return rows.join('; ')
  },
  falsehood: { what: 'each token halves it', claim: 0.5 },
})

/** EXP-Edit whose texts all begin at one place of the key list. */
const oneOffset = (keyLength: number): AnyWatermark => ({
  ...expEdit({ keyLength }),
  context: {
    ...sequence({ length: keyLength }),
    begin() {
      let at = 0
      return { next: () => [at++ % keyLength] }
    },
  },
})

statement({
  name: 'EXP-Edit under one key: a prompt has one text where all begin at one offset of the key list, at most keyLength texts where each has its own',
  how: 'exact: 200 texts of 12 tokens of a Markov model over 8 tokens under each of 5 keys, a key list of 16; the law of a text is a point under a key and an offset',
  claim: 16,
  check: async (most) => {
    const model = markovModel({ vocabSize: 8, entropy: 1.5, seed: 5 })
    const count = async (watermark: AnyWatermark, key: string) => {
      const texts = await generate(model, [0, 1], { watermark, key, count: 200, maxNewTokens: 12, seed: key })
      return new Set(texts.map(({ tokens }) => tokens.join())).size
    }
    const own: number[] = []
    for (const key of ['one', 'two', 'three', 'four', 'five'].map((name) => `the offsets of key ${name}`)) {
      expect(await count(oneOffset(16), key)).toBe(1)
      own.push(await count(expEdit({ keyLength: 16 }), key))
      expect(own.at(-1)).toBeLessThanOrEqual(most)
    }
    return `different texts of 200: 1 with one offset; ${own.join(', ')} with an offset each`
  },
  falsehood: { what: 'a prompt has one text in both cases', claim: 1 },
})
