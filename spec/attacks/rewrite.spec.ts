import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editDistance } from '../../src/text/attacks/edit-distance.ts'
import { rewrite } from '../../src/text/attacks/rewrite.ts'
import { markovModel } from '../../src/text/decode/toy.ts'

const model = markovModel({ vocabSize: 12, seed: 3 })
const { vocabSize } = model
const texts = fc.array(fc.integer({ min: 0, max: vocabSize - 1 }), { maxLength: 60, size: 'max' })
const seeds = fc.integer({ min: 0, max: 1e6 })

describe('with a toy model', () => {
  test('keeps the length, changes at most round(strength n) positions, reports the distance made', () =>
    fc.assert(
      fc.asyncProperty(
        texts,
        fc.constantFrom(0, 0.2, 0.5, 1),
        fc.integer({ min: 1, max: 12 }),
        seeds,
        async (text, strength, span, seed) => {
          const { tokens, distance } = await rewrite(model, { strength, span }).apply(text, {
            seed,
            vocabSize,
          })
          expect(tokens.length).toBe(text.length)
          const changed = tokens.filter((token, i) => token !== text[i]).length
          expect(changed).toBeLessThanOrEqual(Math.round(strength * text.length))
          expect(distance).toBe(editDistance(text, tokens))
        },
      ),
    ))

  test('many at once are the same as one by one, ragged lengths and prompts included', async () => {
    const attack = rewrite(model, { strength: 0.4, span: 4, batchSize: 3 })
    const work = [30, 7, 0, 55, 18, 1, 40].map((length, i) => ({
      tokens: Array.from({ length }, (_, k) => (k * 7 + i) % vocabSize),
      options: { seed: i, vocabSize, prompt: Array.from({ length: i }, () => 2) },
    }))
    const together = await attack.applyAll(work)
    const alone = await Promise.all(work.map(({ tokens, options }) => attack.apply(tokens, options)))
    expect(together).toEqual(alone)
  })

  test('the same seed repeats, several seeds give several rewrites', async () => {
    const text = Array.from({ length: 50 }, (_, i) => i % vocabSize)
    const attack = rewrite(model, { strength: 0.5 })
    const results = await Promise.all([1, 2, 3, 1].map((seed) => attack.apply(text, { seed, vocabSize })))
    expect(results[3]).toEqual(results[0])
    expect(new Set(results.map(({ tokens }) => tokens.join())).size).toBe(3)
  })
})

/** Exact laws: the regenerated tokens are the model's, given what stands before them. */
describe('what is drawn', () => {
  test('at temperature 0 each masked token is the most likely one after its rewritten left side', async () => {
    const attack = rewrite(model, { strength: 1, temperature: 0 })
    const prompt = [4, 5]
    const { tokens } = await attack.apply([1, 2, 3, 4, 5, 6], { seed: 1, vocabSize, prompt })
    for (const [i, token] of tokens.entries()) {
      const session = await model.begin([[...prompt, ...tokens.slice(0, i)]])
      const logits = session.logits.slice(0, vocabSize)
      for (const end of model.endTokens) logits[end] = -Infinity
      expect(token).toBe(logits.indexOf(Math.max(...logits)))
    }
  })

  test('excluded ids and end tokens are never drawn', async () => {
    const text = Array.from({ length: 80 }, () => 1)
    const exclude = [3, 4, 5, 6, 7, 8, 9, 10, 11]
    for (const seed of [1, 2, 3]) {
      const { tokens } = await rewrite(model, { strength: 1 }).apply(text, { seed, vocabSize, exclude })
      expect(tokens.some((token) => exclude.includes(token) || model.endTokens.includes(token))).toBe(false)
    }
  })

  test('where nothing is allowed the text stays', async () => {
    const exclude = Array.from({ length: vocabSize }, (_, i) => i)
    const text = [3, 1, 2]
    expect(await rewrite(model, { strength: 1 }).apply(text, { seed: 1, vocabSize, exclude })).toEqual({
      tokens: text,
      distance: 0,
    })
  })
})

test('ids name what shapes the attack; errors what is wrong', async () => {
  expect(rewrite(model, { strength: 0.3 }).id).toBe('rewrite(strength=0.3,span=10)')
  expect(rewrite(model, { strength: 0.3, span: 5, topP: 0.9, temperature: 0.7 }).id).toBe(
    'rewrite(strength=0.3,span=5,temperature=0.7,topP=0.9)',
  )
  expect(() => rewrite(model, { strength: 1.5 })).toThrow('strength: expected a number in [0, 1], got 1.5')
  expect(() => rewrite({ ...model, kind: 'seq2seq' }, { strength: 0.5 })).toThrow(
    "model: expected a causal language model, got 'seq2seq'",
  )
  const short = { ...model, maxLength: 3 }
  await expect(rewrite(short, { strength: 0.5 }).apply([1, 2, 3, 4], { seed: 1, vocabSize })).rejects.toThrow(
    'tokens: expected at most 3',
  )
})
