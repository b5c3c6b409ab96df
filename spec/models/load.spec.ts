import { AutoModelForCausalLM, AutoTokenizer } from '@huggingface/transformers'
import { describe, expect, test } from 'vitest'
import { generate } from '../../src/text/decode/generate.ts'
import { loadEncoder, loadModel } from '../../src/text/models/load.ts'
import { consistent, kept, prompts } from './consistent.ts'
import { tinyCausal } from './tiny/causal.ts'
import { writeTinyCausal, writeTinyEncoder, writeTinySeq2seq } from './tiny/folder.ts'

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
