/** Folders of tiny models, gone when the file's tests are done; and what holds for every model. */
import { rm } from 'node:fs/promises'
import { afterAll, expect } from 'vitest'
import { generateMany } from '../../src/text/decode/generate.ts'
import type { LanguageModel } from '../../src/text/decode/language-model.ts'

const folders: string[] = []
export const kept = async (folder: Promise<string>): Promise<string> => {
  folders.push(await folder)
  return folder
}
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

export const prompts = [
  'the cat sat',
  'a big red house by the river',
  'dog ran',
  'the cat sat on the mat and the dog ran far',
]

/** Each text of a batch has the log-probabilities that it has when scored whole and alone. */
export async function consistent(model: LanguageModel, digits = 4): Promise<void> {
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
