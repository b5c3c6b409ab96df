import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generate, generateMany } from '../../src/text/decode/generate.ts'
import type { LanguageModel } from '../../src/text/decode/language-model.ts'
import { embeddedModel } from '../../src/text/models/embedded.ts'

let model: LanguageModel
beforeAll(async () => {
  model = await embeddedModel()
})
afterAll(() => model.dispose())

const prompts = ['The whale', 'It was a dark night and the wind', 'And he said unto them,']

/** The largest difference of two lists of numbers. */
const gap = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  expect(a.length).toBe(b.length)
  return Array.from(a).reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0)
}

describe('the tokenizer', () => {
  test('decode inverts encode on ASCII; a prompt begins with token 0', () => {
    const { encode, encodePrompt, decode } = model.tokenizer
    for (const text of ['', ' a', 'The whale, "Moby Dick" (1851)\n\nis 3.5x bigger!', '  two  blanks ']) {
      expect(decode(encode(text))).toBe(text)
      expect(encodePrompt(text)).toEqual([0, ...encode(text)])
    }
  })
})

describe('sessions', () => {
  const rowOf = (logits: Float32Array, row: number) =>
    logits.slice(row * model.vocabSize, (row + 1) * model.vocabSize)

  test('a row of a padded batch has the logits of the text alone', async () => {
    const tokens = prompts.map(model.tokenizer.encodePrompt)
    const batch = await model.begin(tokens)
    await batch.step([11, 12, 13])
    batch.select([2, 0, 0])
    await batch.step([14, 15, 16])
    const texts = [
      [...tokens[2]!, 13, 14],
      [...tokens[0]!, 11, 15],
      [...tokens[0]!, 11, 16],
    ]
    for (const [row, text] of texts.entries()) {
      const alone = await model.begin([text])
      // float32 sums in another order: the logits are around 10
      expect(gap(rowOf(batch.logits, row), alone.logits)).toBeLessThan(1e-3)
      expect(gap(rowOf(batch.logits, (row + 1) % 3), alone.logits)).toBeGreaterThan(0.1)
    }
  })

  test('the log-likelihood is what the steps show', async () => {
    const texts = await generateMany(
      model,
      prompts.map((prompt) => ({ prompt })),
      { maxNewTokens: 70, stopTokens: [] },
    )
    const found = await model.logLikelihood(texts)
    for (const [i, text] of texts.entries()) expect(gap(found[i]!, text.logProbabilities)).toBeLessThan(1e-3)
  })

  test('hidden states are those of the text alone, and depend on what comes before only', async () => {
    const { width, hiddenStates } = model.hidden!
    const texts = prompts.map(model.tokenizer.encode)
    const together = await hiddenStates(texts)
    for (const [i, text] of texts.entries()) {
      const [alone] = await hiddenStates([text])
      expect(together[i]!.length).toBe(text.length * width)
      expect(gap(together[i]!, alone!)).toBeLessThan(1e-3)
      const [shorter] = await hiddenStates([text.slice(0, -1)])
      expect(gap(shorter!, alone!.slice(0, -width))).toBeLessThan(1e-3)
    }
  })

  test('an empty prompt is the begin token', async () => {
    expect((await model.begin([[]])).logits).toEqual((await model.begin([[0]])).logits)
  })
})

describe('generation', () => {
  test('the same seed gives the same text', async () => {
    const run = () => generate(model, prompts[0]!, { count: 4, seed: 3, maxNewTokens: 30 })
    expect(await run()).toEqual(await run())
  })

  test('greedy decoding translates a verse', async () => {
    const [text] = await generate(model, 'Translate: And he said unto them, Go ye into the city.\nModern:', {
      temperature: 0,
    })
    expect(text).toMatchObject({ text: ' He said to them, "Go into the city."', finish: 'stop' })
  })
})

test.each([
  [
    'a long prompt',
    () => model.begin([Array(513).fill(1)]),
    /prompts\[0\]: expected at most 512 tokens in all/,
  ],
  ['a token outside', () => model.begin([[4096]]), /prompts\[0\]\[0\]: expected an integer in \[0, 4095\]/],
  [
    'a long text',
    () => model.logLikelihood([{ prompt: [], tokens: Array(512).fill(1) }]),
    /texts\[0\]: expected at most 512 tokens in all \(uwbench-lm\), got '513 tokens'/,
  ],
])('errors say what is wrong: %s', async (_name, call, message) => {
  await expect(async () => call()).rejects.toThrow(message)
})
