import { AutoModelForSeq2SeqLM, AutoTokenizer } from '@huggingface/transformers'
import { describe, expect, test } from 'vitest'
import { ngram } from '../../src/core/keys/ngram.ts'
import { defineWatermark } from '../../src/core/method/define-watermark.ts'
import { generate, generateMany } from '../../src/text/decode/generate.ts'
import { loadModel } from '../../src/text/models/load.ts'
import { consistent, kept, prompts } from './consistent.ts'
import { type Seq2seqKind, writeTinySeq2seq } from './tiny/folder.ts'

describe.each(['bart', 'mbart', 't5'] as const)('a sequence-to-sequence model (%s)', (kind: Seq2seqKind) => {
  test('merged and split decoders give the same texts, in batches of unequal sources', async () => {
    const texts = []
    for (const layout of ['merged', 'split'] as const) {
      const model = await loadModel(await kept(writeTinySeq2seq(kind, layout)), { threads: 1 })
      expect(model.kind).toBe('seq2seq')
      await consistent(model)
      texts.push(
        await generateMany(
          model,
          prompts.map((prompt) => ({ prompt })),
          { maxNewTokens: 15, seed: 0 },
        ),
      )
      await model.dispose()
    }
    expect(texts[0]!.map(({ tokens }) => tokens)).toEqual(texts[1]!.map(({ tokens }) => tokens))
  })

  test('greedy texts are those of model.generate in @huggingface/transformers', async () => {
    const folder = await kept(writeTinySeq2seq(kind))
    const model = await loadModel(folder, { threads: 1 })
    const other = await AutoModelForSeq2SeqLM.from_pretrained(folder, {
      local_files_only: true,
      dtype: 'fp32',
    })
    const tokenizer = await AutoTokenizer.from_pretrained(folder, { local_files_only: true })
    const seen: number[] = []
    for (const prompt of prompts) {
      const [ours] = await generate(model, prompt, { temperature: 0, maxNewTokens: 20 })
      const theirs = await other.generate({ ...tokenizer(prompt), do_sample: false, max_new_tokens: 20 })
      const [row] = (theirs as { tolist(): bigint[][] }).tolist()
      // the library counts a forced begin token as new
      const tokens = row!.slice(kind === 'bart' ? 2 : 1).map(Number)
      expect(ours!.tokens.slice(0, tokens.length)).toEqual(tokens)
      seen.push(...tokens)
    }
    expect(new Set(seen).size).toBeGreaterThan(5)
    await model.dispose()
    await other.dispose()
  })
})

test('a watermark sees the text of a sequence-to-sequence model, not its source', async () => {
  const model = await loadModel(await kept(writeTinySeq2seq('t5')), { threads: 1 })
  const contexts: number[][] = []
  const spy = defineWatermark<null>({
    id: 'spy',
    unbiased: true,
    context: ngram(2, { repeated: 'reuse' }), // whatever is drawn
    draw(_random, _vocabSize, { context }) {
      contexts.push([...context])
      return null
    },
    reweight: (p, _code, q) => q.set(p),
    score: () => 0,
    detector: undefined,
  })
  const [text] = await generate(model, 'the cat sat', {
    watermark: spy,
    key: 'k',
    maxNewTokens: 4,
    stopTokens: [],
  })
  const [a = 0, b = 0, c = 0] = text!.tokens
  expect(contexts).toEqual([
    [a, b],
    [b, c],
  ])
  await model.dispose()
})

describe('languages of multilingual models', () => {
  const start = async (kind: Seq2seqKind, options: object) => {
    const model = await loadModel(await kept(writeTinySeq2seq(kind)), { threads: 1, ...options })
    const prompt = model.tokenizer.encodePrompt('the cat')
    const { logits } = await model.begin([prompt])
    await model.dispose()
    return { prompt, logits }
  }

  test("the source language takes the place of the tokenizer's own", async () => {
    expect((await start('mbart', {})).prompt).toEqual([6, 7, 2, 4])
    expect((await start('mbart', { sourceLanguage: 'ro_RO' })).prompt).toEqual([6, 7, 2, 5])
  })

  test('the target language is what the decoder starts with', async () => {
    const romanian = await start('mbart', {})
    expect((await start('mbart', { targetLanguage: 'ro_RO' })).logits).toEqual(romanian.logits)
    expect((await start('mbart', { targetLanguage: 'en_XX' })).logits).not.toEqual(romanian.logits)
  })

  test('an unknown code is refused', async () => {
    await expect(start('mbart', { targetLanguage: 'the cat' })).rejects.toThrow(
      /targetLanguage: expected a language/,
    )
  })
})

describe('sources that are too long', () => {
  const long = Array(70).fill('cat').join(' ')
  test('are refused, or cut before their end token if that was asked for', async () => {
    const folder = await kept(writeTinySeq2seq('bart'))
    const model = await loadModel(folder, { threads: 1 })
    await expect(generate(model, long)).rejects.toThrow(
      /prompts\[0\]: expected at most 64 tokens .*got '72 tokens'/,
    )
    const cutting = await loadModel(folder, { threads: 1, truncateSources: true })
    const [text] = await generate(cutting, long, { maxNewTokens: 2 })
    expect(text!.prompt).toEqual([1, ...Array(62).fill(7), 2])
  })

  test('a model with relative positions has no limit', async () => {
    const model = await loadModel(await kept(writeTinySeq2seq('t5')), { threads: 1 })
    expect(model.maxLength).toBeGreaterThan(1e15)
  })
})
