import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seededRandom } from '../../../src/core/keys/stream.ts'
import { generateMany } from '../../../src/text/decode/generate.ts'
import type { LanguageModel } from '../../../src/text/decode/language-model.ts'
import { readCheckpoint } from '../../../src/text/models/llama2c/checkpoint.ts'
import { writeLlamaFolder } from '../../../src/text/models/llama2c/folder.ts'
import { loadModel } from '../../../src/text/models/load.ts'
import { forward } from './forward.ts'
import { concat, TINY, tinyCheckpoint, tinyPieces, tokenizerBin } from './tiny.ts'

const checkpoint = readCheckpoint(tinyCheckpoint())
const folder = mkdtempSync(join(tmpdir(), 'uwbench-llama2c-'))
beforeAll(() => writeLlamaFolder(concat(tinyCheckpoint(), tokenizerBin(tinyPieces)), folder))
afterAll(() => rm(folder, { recursive: true }))

const { vocabSize } = TINY
const stream = seededRandom(1, 'llama2c')
const sequence = (length: number) => Array.from({ length }, () => stream.below(vocabSize))
const gap = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  expect(a.length).toBe(b.length)
  return Array.from(a).reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0)
}

describe.each([false, true])('the converted model with appendOnly: %s', (appendOnly) => {
  let model: LanguageModel
  beforeAll(async () => {
    model = await loadModel(folder, { threads: 1, appendOnly })
  })
  afterAll(() => model.dispose())

  test('is a causal model with the sizes of the header', () => {
    expect(model).toMatchObject({ kind: 'causal', vocabSize, maxLength: 80, endTokens: [1] })
    expect(model.hidden!.width).toBe(24)
  })

  test('has the logits of the plain forward pass, prompt and steps', async () => {
    const texts = [sequence(75), sequence(76), sequence(78)]
    const exact = texts.map((text) => forward(checkpoint, text))
    const prompts = texts.map((text, i) => text.slice(0, [5, 6, 8][i]))
    const session = await model.begin(prompts)
    for (let i = 0; ; i++) {
      for (const row of texts.keys()) {
        const logits = session.logits.slice(row * vocabSize, (row + 1) * vocabSize)
        expect(gap(logits, exact[row]![prompts[row]!.length - 1 + i]!)).toBeLessThan(1e-4)
      }
      if (i === 70) break
      await session.step(texts.map((text, row) => text[prompts[row]!.length + i]!))
    }
    session.dispose()
  })

  test('a token, an order or a weight changed is seen at that tolerance', async () => {
    const text = sequence(12)
    const [a = 0, b = 0] = text
    const session = await model.begin([text])
    const others = [
      [...text.slice(0, -2), 7, text.at(-1)!],
      [b, a, ...text.slice(2)],
    ]
    for (const other of others)
      expect(gap(session.logits, forward(checkpoint, other).at(-1)!)).toBeGreaterThan(1e-2)
    const query = checkpoint.query.map((x, i) => (i === 3 ? x + 0.1 : x))
    expect(gap(session.logits, forward({ ...checkpoint, query }, text).at(-1)!)).toBeGreaterThan(1e-4)
    session.dispose()
  })

  test('generates texts whose log-probabilities are those of the texts alone', async () => {
    const texts = await generateMany(model, [{ prompt: 'the cat' }, { prompt: 'a' }], { maxNewTokens: 20 })
    const found = await model.logLikelihood(texts)
    for (const [i, text] of texts.entries()) expect(gap(found[i]!, text.logProbabilities)).toBeLessThan(1e-4)
    expect(texts[0]!.prompt[0]).toBe(1)
  })
})
