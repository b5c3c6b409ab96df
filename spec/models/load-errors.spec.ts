import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { loadEncoder, loadModel } from '../../src/text/models/load.ts'
import { loadTokenizer } from '../../src/text/models/load-tokenizer.ts'
import { kept } from './consistent.ts'
import { refused } from './refused.ts'
import { tinyCausal } from './tiny/causal.ts'
import { writeTinyCausal, writeTinyEncoder } from './tiny/folder.ts'

describe('errors say what is wrong, in one line', () => {
  const folder = () => kept(writeTinyCausal())

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

  test('a tokenizer that is none, for models and tokenizers', async () => {
    for (const content of ['{"model":', 'null', '{}']) {
      const folder = await kept(writeTinyCausal({ 'tokenizer.json': new TextEncoder().encode(content) }))
      for (const load of [loadModel, loadTokenizer])
        await refused(load(folder), /tokenizer\.json: expected a tokenizer \(/)
    }
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
    await refused((async () => loadModel('a', { threads: 0 }))(), /threads: expected an integer/)
    await refused(loadModel(await folder(), { device: 'abacus' }), /cannot load .*abacus/)
  })
})
