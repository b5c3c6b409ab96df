import { afterAll, describe, expect, test } from 'vitest'
import { reword } from '../../src/text/attacks/reword.ts'
import { survivingNgrams, survivingWords } from '../../src/text/attacks/survival.ts'
import { generateMany } from '../../src/text/decode/generate.ts'
import { embeddedModel } from '../../src/text/models/embedded.ts'

const model = await embeddedModel()
afterAll(() => model.dispose())
const { tokenizer, vocabSize } = model

const sentence = 'The king went to the city, and the people came to him with gold.'
const tokens = tokenizer.encode(sentence)

describe('rewording', () => {
  test('keep 1: every content word stays, every other word changes', async () => {
    const { tokens: reworded } = await reword(model, { keep: 1 }).apply(tokens, { seed: 1, vocabSize })
    const text = tokenizer.decode(reworded)
    expect(reworded.length).toBe(tokens.length)
    expect(survivingWords(sentence, text)).toBe(1)
    const changed = reworded.filter((token, i) => token !== tokens[i])
    const connecting = [' to', ' the', ',', ' and', ' him', ' with'].flatMap((word) => tokenizer.encode(word))
    expect(connecting.length).toBeLessThanOrEqual(changed.length + 2)
    expect(text.endsWith('.')).toBe(true) // the end of the sentence stays
  })

  test('keep 0: no token of a word stays where it was', async () => {
    const { tokens: reworded } = await reword(model, { keep: 0 }).apply(tokens, { seed: 1, vocabSize })
    const same = reworded
      .filter((token, i) => token === tokens[i])
      .map((token) => tokenizer.decode([token]).trim())
    expect(same).toEqual(['.'])
  })

  test('the same seed repeats, in batches of any size; excluded ids are not drawn', async () => {
    const exclude = tokenizer.encode(' of')
    const texts = [1, 2, 1].map((seed) => ({ tokens, options: { seed, vocabSize, exclude } }))
    const [a, b, c] = await reword(model, { batchSize: 2 }).applyAll(texts)
    expect(a).toEqual(c)
    expect(a!.tokens).not.toEqual(b!.tokens)
    for (const { tokens } of [a!, b!]) expect(tokens).not.toContain(exclude[0])
  })

  test('nothing to change, and a text that is too long', async () => {
    expect((await reword(model).apply([], { seed: 1, vocabSize })).tokens).toEqual([])
    const long = Array(model.maxLength + 1).fill(tokens[0])
    await expect(reword(model).apply(long, { seed: 1, vocabSize })).rejects.toThrow(
      /tokens: expected at most 512/,
    )
    expect(() => reword(model, { keep: 2 })).toThrow('keep: expected a number in [0, 1], got 2')
  })

  test('leaves less than 35% of the triples and more than 60% of the content words', async () => {
    const prompts = ['The king said', 'And it came to pass', 'In the winter', 'My friend']
    const texts = await generateMany(
      model,
      prompts.map((prompt) => ({ prompt })),
      { temperature: 0.53, maxNewTokens: 150, stopTokens: [], seed: 3 },
    )
    const attack = reword(model, { temperature: 0.53 })
    const found = await attack.applyAll(
      texts.map(({ tokens }, i) => ({ tokens, options: { seed: i, vocabSize } })),
    )
    const mean = (values: number[]) => values.reduce((a, b) => a + b) / values.length
    const after = found.map(({ tokens }) => tokens)
    expect(mean(after.map((tokens, i) => survivingNgrams(texts[i]!.tokens, tokens)))).toBeLessThan(0.35)
    expect(
      mean(after.map((tokens, i) => survivingWords(texts[i]!.text, tokenizer.decode(tokens)))),
    ).toBeGreaterThan(0.6)
  })
})
