/**
 * GGUF files through llama.cpp, where node-llama-cpp is installed, beside the plain forward pass of the same weights. The cache of
 * llama.cpp has 16 bits per number, so logits agree to about three digits. `UWBENCH_GGUF` names a real file to try as well.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, type TestContext, test, vi } from 'vitest'
import { detect } from '../../../src/core/detect/entry.ts'
import { generate } from '../../../src/text/decode/generate.ts'
import { openLlama } from '../../../src/text/models/gguf/llama-cpp.ts'
import { readCheckpoint } from '../../../src/text/models/llama2c/checkpoint.ts'
import { checkModel, loadModel } from '../../../src/text/models/load.ts'
import { gumbel } from '../../../src/watermarks/entry.ts'
import { requireComponent } from '../../require.ts'
import { forward } from '../llama2c/forward.ts'
import { tinyCheckpoint } from '../llama2c/tiny.ts'
import { ggufOf, ggufPieces } from './write.ts'

const root = mkdtempSync(join(tmpdir(), 'uwbench-gguf-'))
afterAll(() => rmSync(root, { recursive: true }))
const path = join(root, 'tiny.gguf')
const checkpoint = readCheckpoint(tinyCheckpoint())
const file = ggufOf(checkpoint, ggufPieces)
writeFileSync(path, file)

const found = await openLlama().then(
  (llama) => llama.dispose().then(() => true),
  () => false,
)
const needsLlama = (context: TestContext) => requireComponent(context, 'node-llama-cpp', found)
const largest = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0)

const tokens = [1, 262, 264, 270, 280, 299, 42]

describe('a GGUF file', () => {
  test('has the logits of the plain forward pass, row by row and after select', async (context) => {
    needsLlama(context)
    const model = await loadModel(path, { threads: 1 })
    expect(model).toMatchObject({ id: 'tiny', kind: 'causal', vocabSize: 300, maxLength: 80, endTokens: [2] })
    const exact = (list: number[]) => forward(checkpoint, list).at(-1)!
    const session = await model.begin([tokens, tokens.slice(0, 3)])
    const row = (at: number) => session.logits.subarray(at * 300, (at + 1) * 300)
    expect(largest(row(0), exact(tokens))).toBeLessThan(0.02)
    expect(largest(row(1), exact(tokens.slice(0, 3)))).toBeLessThan(0.02)
    await session.step([5, 6])
    expect(largest(row(1), exact([...tokens.slice(0, 3), 6]))).toBeLessThan(0.02)
    session.select([1, 1, 0])
    await session.step([7, 8, 9])
    expect(largest(row(0), exact([...tokens.slice(0, 3), 6, 7]))).toBeLessThan(0.02)
    expect(largest(row(1), exact([...tokens.slice(0, 3), 6, 8]))).toBeLessThan(0.02)
    expect(largest(row(2), exact([...tokens, 5, 9]))).toBeLessThan(0.02)
    session.select([2])
    await session.step([10])
    expect(largest(row(0), exact([...tokens, 5, 9, 10]))).toBeLessThan(0.02)
    session.dispose()
    await model.dispose()
  })

  test('writes texts in batches that are detected, and knows their likelihood', async (context) => {
    needsLlama(context)
    const model = await loadModel(path, { threads: 1 })
    const options = { watermark: gumbel(), key: 'a key of more than 16 bytes', seed: 1, stopTokens: [] }
    const texts = await generate(model, ' the cat', { ...options, count: 3, maxNewTokens: 60 })
    expect(texts[0]!.prompt[0]).toBe(1)
    const { key } = options
    const found = detect(gumbel(), texts[0]!.tokens, { key, vocabSize: 300 })
    expect(found.pValue).toBeLessThan(1e-6)
    const [likelihood] = await model.logLikelihood([{ prompt: texts[0]!.prompt, tokens: texts[0]!.tokens }])
    expect(largest(likelihood!, texts[0]!.logProbabilities)).toBeLessThan(0.05)
    const again = model.tokenizer.encode(' the cat')
    expect(model.tokenizer.decode(again).trim()).toBe('the cat')
    await model.dispose()
  })

  test('of a user: whole distributions', async (context) => {
    const own = process.env.UWBENCH_GGUF
    requireComponent(context, 'gguf', own !== undefined, 'UWBENCH_GGUF=model.gguf')
    needsLlama(context)
    const model = await loadModel(own!)
    const session = await model.begin([model.tokenizer.encodePrompt('Once upon a time')])
    expect(session.logits.every(Number.isFinite)).toBe(true)
    session.dispose()
    await model.dispose()
  })
})

describe('errors in one line', () => {
  test('no file, another file, a truncated one', async (context) => {
    await expect(loadModel(join(root, 'none.gguf'))).rejects.toThrow(/a GGUF file that exists/)
    writeFileSync(join(root, 'other.gguf'), 'PK\u0003\u0004 and more')
    await expect(checkModel(join(root, 'other.gguf'), 'decoder')).rejects.toThrow(/begins with 'GGUF'/)
    writeFileSync(join(root, 'short.gguf'), file.subarray(0, file.length / 2))
    needsLlama(context)
    await expect(loadModel(join(root, 'short.gguf'))).rejects.toThrow(/llama.cpp cannot load it/)
  })

  test('without node-llama-cpp: what to install', async () => {
    vi.stubEnv('UWBENCH_LLAMA_CPP', root)
    await expect(loadModel(path)).rejects.toThrow('npm install node-llama-cpp')
    vi.unstubAllEnvs()
  })
})
