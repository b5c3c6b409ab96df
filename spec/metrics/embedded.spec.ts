import { afterAll, describe, expect, test } from 'vitest'
import { rewrite } from '../../src/text/attacks/rewrite.ts'
import { embeddedDataset } from '../../src/text/datasets/index.ts'
import { bertScore, corpusBleu, perplexity } from '../../src/text/metrics/entry.ts'
import { embeddedModel } from '../../src/text/models/entry.ts'

/**
 * Metrics and the rewrite attack on the real model. Nothing is random but the runtime's rounding; each bound is far from what was
 * measured (in the comments).
 */
const model = await embeddedModel()
afterAll(() => model.dispose())
const { examples: verses } = await embeddedDataset('translation')
const { examples: passages } = await embeddedDataset('continuation', { limit: 8 })

test('copying the source of all 773 verses scores what the model card says: BLEU 43.0', () => {
  const copied = corpusBleu(
    verses.map((verse) => verse.source!),
    verses.map((verse) => verse.reference!),
  )
  expect(copied.score.toFixed(1)).toBe('43.0')
})

describe('under the embedded model', () => {
  const samples = passages.map(({ prompt, reference }) => ({
    text: reference!,
    prompt: model.tokenizer.encodePrompt(prompt),
    tokens: model.tokenizer.encode(` ${reference}`),
  }))

  test('perplexity: human text is likely, its words in reverse are not', async () => {
    const metric = perplexity(model)
    const backwards = samples.map((sample) => ({
      ...sample,
      tokens: model.tokenizer.encode(` ${sample.text.split(' ').reverse().join(' ')}`),
    }))
    const [forward, reversed] = [await metric.score(samples), await metric.score(backwards)]
    forward.forEach((value, i) => {
      expect(value).toBeGreaterThan(1)
      expect(reversed[i]!).toBeGreaterThan(2 * value) // measured: 11 to 81 times
    })
  })

  test('BERTScore: a verse is closer to its own translation than to the next one', async () => {
    const some = verses.slice(0, 12)
    const sources = some.map((verse) => verse.source!)
    const references = some.map((verse) => verse.reference!)
    const own = await bertScore(model.hidden!, sources, references)
    const next = await bertScore(model.hidden!, sources, [...references.slice(1), references[0]!])
    own.forEach((score, i) => {
      expect(score.f1).toBeGreaterThan(next[i]!.f1) // measured: by 0.18 to 0.45
    })
    const [self] = await bertScore(model.hidden!, references.slice(0, 1), references.slice(0, 1))
    expect(self!.f1).toBeCloseTo(1, 5)
  })

  test('rewrite: nearly all regenerated tokens change, and the text stays about as likely', async () => {
    const attack = rewrite(model, { strength: 0.4 })
    const { vocabSize } = model
    const rewritten = await attack.applyAll(
      samples.map(({ tokens, prompt }, i) => ({ tokens, options: { seed: i, vocabSize, prompt } })),
    )
    rewritten.forEach(({ tokens, distance }, i) => {
      const masked = Math.round(0.4 * samples[i]!.tokens.length)
      expect(tokens.length).toBe(samples[i]!.tokens.length)
      expect(distance).toBeLessThanOrEqual(masked)
      expect(distance).toBeGreaterThan(0.7 * masked) // measured: 0.90 to 1.00
    })
    const before = await perplexity(model).score(samples)
    const after = await perplexity(model).score(
      rewritten.map(({ tokens }, i) => ({ ...samples[i]!, tokens })),
    )
    const mean = (values: Float64Array) =>
      values.reduce((sum, value) => sum + Math.log(value), 0) / values.length
    expect(Math.abs(mean(after) - mean(before))).toBeLessThan(1.5) // nats; measured 0.62, words in reverse 3.4
  })
})
