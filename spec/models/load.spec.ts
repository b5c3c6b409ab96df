import { rm } from 'node:fs/promises'
import { AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer } from '@huggingface/transformers'
import { afterAll, describe, expect, test } from 'vitest'
import { generate, generateMany } from '../../src/models/generate.ts'
import type { LanguageModel } from '../../src/models/language-model.ts'
import { loadModel } from '../../src/models/load.ts'
import { type Seq2seqKind, writeTinyCausal, writeTinySeq2seq } from './tiny/folder.ts'

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
async function consistent(model: LanguageModel): Promise<void> {
  const requests = prompts.flatMap((prompt) => [0, 1].map((index) => ({ prompt, index })))
  const texts = await generateMany(model, requests, { maxNewTokens: 12, stopTokens: [2, 6, 7, 8, 9] })
  expect(new Set(texts.map(({ tokens }) => tokens.length)).size).toBeGreaterThan(1)
  for (const text of texts) {
    const [alone] = await model.logLikelihood([text])
    for (const [i, value] of text.logProbabilities.entries()) expect(value).toBeCloseTo(alone![i]!, 4)
  }
  const together = await model.logLikelihood(texts)
  for (const [i, text] of texts.entries())
    for (const [t, value] of text.logProbabilities.entries()) expect(together[i]![t]).toBeCloseTo(value, 4)
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
          { maxNewTokens: 15 },
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
