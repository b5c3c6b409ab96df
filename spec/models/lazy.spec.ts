/** The packages behind neural models are imported when a model is loaded and not before; without them the rest works. */
import { expect, test, vi } from 'vitest'

vi.mock('@huggingface/transformers', () => {
  throw new Error('imported')
})

test('toy models need no package; a neural one says which to install', async () => {
  const { embeddedModel, generate, loadModel, markovModel } = await import('../../src/text/models/entry.ts')
  expect((await generate(markovModel(), [1, 2], { maxNewTokens: 5 }))[0]!.tokens.length).toBe(5)
  const command =
    'neural models need the package @huggingface/transformers: ONNXRUNTIME_NODE_INSTALL=skip npm install @huggingface/transformers'
  await expect(embeddedModel()).rejects.toThrow(command)
  await expect(loadModel('owner/name')).rejects.toThrow(command)
})
