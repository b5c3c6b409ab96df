import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer } from '@huggingface/transformers'
import { afterAll, describe, expect, test } from 'vitest'
import { ngram } from '../../src/keys/ngram.ts'
import { generate, generateMany } from '../../src/models/generate.ts'
import type { LanguageModel } from '../../src/models/language-model.ts'
import { loadEncoder, loadModel } from '../../src/models/load.ts'
import { loadTokenizer } from '../../src/models/load-tokenizer.ts'
import { defineWatermark } from '../../src/watermark.ts'
import { tinyCausal } from './tiny/causal.ts'
import { type Seq2seqKind, writeTinyCausal, writeTinyEncoder, writeTinySeq2seq } from './tiny/folder.ts'

const folders: string[] = []
const kept = async (folder: Promise<string>): Promise<string> => {
  folders.push(await folder)
  return folder
}
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

const prompts = [
  'the cat sat',
  'a big red house by the river',
  'dog ran',
  'the cat sat on the mat and the dog ran far',
]

/** Each text of a batch has the log-probabilities that it has when scored whole and alone. */
async function consistent(model: LanguageModel, digits = 4): Promise<void> {
  const requests = prompts.flatMap((prompt) => [0, 1].map((index) => ({ prompt, index })))
  const texts = await generateMany(model, requests, {
    maxNewTokens: 12,
    stopTokens: [2, 6, 7, 8, 9],
    seed: 0,
  })
  expect(new Set(texts.map(({ tokens }) => tokens.length)).size).toBeGreaterThan(1)
  for (const text of texts) {
    const [alone] = await model.logLikelihood([text])
    for (const [i, value] of text.logProbabilities.entries()) expect(value).toBeCloseTo(alone![i]!, digits)
  }
  const together = await model.logLikelihood(texts)
  for (const [i, text] of texts.entries())
    for (const [t, value] of text.logProbabilities.entries())
      expect(together[i]![t]).toBeCloseTo(value, digits)
}

describe('a causal model whose graph has no positions (gpt2)', () => {
  test('is read from its folder', async () => {
    const model = await loadModel(await kept(writeTinyCausal()), { threads: 1 })
    expect(model).toMatchObject({ kind: 'causal', vocabSize: 24, maxLength: 64, endTokens: [2, 3] })
    expect(model.hidden).toBeUndefined()
    expect(model.tokenizer.encodePrompt('the cat')).toEqual([6, 7])
    await model.dispose()
  })

  test('batches of unequal prompts agree with texts scored alone', async () => {
    const model = await loadModel(await kept(writeTinyCausal()), { threads: 1 })
    await consistent(model)
    await model.dispose()
  })

  test('greedy texts are those of model.generate in @huggingface/transformers', async () => {
    const folder = await kept(writeTinyCausal())
    const model = await loadModel(folder, { threads: 1 })
    const other = await AutoModelForCausalLM.from_pretrained(folder, {
      local_files_only: true,
      dtype: 'fp32',
    })
    const tokenizer = await AutoTokenizer.from_pretrained(folder, { local_files_only: true })
    for (const prompt of prompts) {
      const [ours] = await generate(model, prompt, { temperature: 0, maxNewTokens: 20 })
      const inputs = tokenizer(prompt)
      const theirs = await other.generate({ ...inputs, do_sample: false, max_new_tokens: 20 })
      const [row] = (theirs as { tolist(): bigint[][] }).tolist()
      expect(ours!.tokens).toEqual(row!.slice(ours!.prompt.length).map(Number))
    }
    await model.dispose()
    await other.dispose()
  })

  test("a conversation goes through the chat template, the model's or one of ours", async () => {
    const folder = await kept(writeTinyCausal())
    const chat = [{ role: 'user', content: 'the cat' }] as const
    const own = await loadModel(folder, { threads: 1 })
    // 'user' is not a word of the tokenizer
    expect((await generate(own, chat, { maxNewTokens: 1 }))[0]!.prompt).toEqual([3, 6, 7, 11])
    const ours = await loadModel(folder, { chatTemplate: "{{ messages[0]['content'] }} sat" })
    expect((await generate(ours, chat, { maxNewTokens: 1 }))[0]!.prompt).toEqual([6, 7, 8])
  })
})

test('int4 by setting: the graph of that name, whose weights are what their four bits stand for', async () => {
  const folder = await kept(
    writeTinyCausal({
      'onnx/model_q4.onnx': tinyCausal('float32', 'int4'),
      'onnx/model_int8.onnx': tinyCausal('float32', 'rounded'),
    }),
  )
  const logits = async (dtype: 'fp32' | 'q4' | 'int8') => {
    const model = await loadModel(folder, { dtype, threads: 1 })
    const session = await model.begin([[6, 7, 8]])
    await session.step([9])
    const found = Array.from(session.logits)
    session.dispose()
    await model.dispose()
    return found
  }
  const [plain, four, rounded] = [await logits('fp32'), await logits('q4'), await logits('int8')]
  const distance = (a: readonly number[], b: readonly number[]) =>
    Math.max(...a.map((value, i) => Math.abs(value - b[i]!)))
  expect(distance(four, rounded)).toBeLessThan(1e-4)
  expect(distance(four, plain)).toBeGreaterThan(1e-2)
})

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

describe('encoders', () => {
  test('give one vector per token, without the special tokens around the text', async () => {
    const encoder = await loadEncoder(await kept(writeTinyEncoder()), { threads: 1 })
    const texts = prompts.map((prompt) => encoder.tokenizer.encode(prompt))
    const together = await encoder.hiddenStates(texts)
    expect(encoder.width).toBe(16)
    for (const [i, text] of texts.entries()) {
      expect(together[i]!.length).toBe(16 * text.length)
      const [alone] = await encoder.hiddenStates([text])
      for (const [j, value] of alone!.entries()) expect(together[i]![j]).toBeCloseTo(value, 4)
    }
    // context matters: the same word has another vector in another text
    expect(together[0]!.slice(0, 16)).not.toEqual(together[3]!.slice(0, 16))
    await encoder.dispose()
  })

  test('the encoder of a sequence-to-sequence model is one', async () => {
    const model = await loadModel(await kept(writeTinySeq2seq('bart')), { threads: 1 })
    expect((await model.hidden!.hiddenStates([[6, 7, 8]]))[0]!.length).toBe(48)
    await model.dispose()
  })
})

describe('errors say what is wrong, in one line', () => {
  const folder = () => kept(writeTinyCausal())
  const refused = async (call: Promise<unknown>, message: RegExp) => {
    const error = await call.then(
      () => undefined,
      (e: Error) => e,
    )
    expect(error?.message).toMatch(message)
    expect(error?.message).not.toContain('\n')
  }

  test('a folder that is not there', async () => {
    await refused(
      (async () => loadModel('./no/such/folder'))(),
      /idOrFolder: expected a folder that exists, or a hub id/,
    )
    await refused(
      (async () => loadModel(3 as unknown as string))(),
      /idOrFolder: expected a folder or a hub id/,
    )
  })

  test('a folder that holds no model, or only part of one', async () => {
    await refused(
      loadModel(join(await folder(), 'onnx')),
      /expected a model folder, found no config.json in it/,
    )
    await refused(
      loadModel(await folder(), { dtype: 'q4' }),
      /model_q4.onnx \(dtype 'q4'\), found onnx\/model.onnx/,
    )
    const broken = await kept(writeTinyCausal({ 'config.json': new TextEncoder().encode('{"a": ') }))
    await refused(loadModel(broken), /config.json is not valid JSON/)
    const cut = await kept(writeTinyCausal({ 'onnx/model.onnx': new Uint8Array(100) }))
    await refused(loadModel(cut), /cannot load .*model.onnx/)
  })

  test('a graph that was cut in the middle, with and without rewriting', async () => {
    const whole = tinyCausal()
    const cut = await kept(writeTinyCausal({ 'onnx/model.onnx': whole.slice(0, whole.length >> 1) }))
    await refused(loadModel(cut), /cannot load .*model.onnx \(/)
    await refused(
      loadModel(cut, { appendOnly: true }),
      /cannot load .*model.onnx \(.*the message ends within/,
    )
  })

  test('no tokenizer', async () => {
    const bare = await folder()
    await rm(join(bare, 'tokenizer.json'))
    await refused(loadModel(bare), /expected a model folder, found no tokenizer.json in it/)
  })

  test('another architecture', async () => {
    await refused(
      loadModel(await kept(writeTinyEncoder())),
      /^uwbench-\w+: expected a language model, whose graph has an output 'logits'; this one has last_hidden_state/,
    )
    await refused(
      loadEncoder(await folder()),
      /^uwbench-\w+: expected an encoder, whose graph has an output 'last_hidden_state' of known width; this one has logits, present/,
    )
  })

  test('a graph and a config.json of two vocabularies, for models and tokenizers', async () => {
    const config = { model_type: 'gpt2', n_embd: 16, n_head: 2, n_positions: 64, vocab_size: 30 }
    const two = await kept(writeTinyCausal({ 'config.json': config }))
    const message =
      /^uwbench-\w+: the graph has 24 logits, but config.json says vocab_size 30; they must agree/
    await refused(loadModel(two), message)
    await refused(loadTokenizer(two), message)
  })

  test('settings', async () => {
    await refused(
      (async () => loadModel('a', { dtype: 'fp64' as 'fp32' }))(),
      /dtype: expected one of 'fp32'/,
    )
    await refused((async () => loadModel('a', { threads: 0 }))(), /threads: expected a whole number/)
    await refused(loadModel(await folder(), { device: 'abacus' }), /cannot load .*abacus/)
  })
})
