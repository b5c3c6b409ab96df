import { describe, expect, test } from 'vitest'
import { markovModel, ngramModel } from '../../src/text/decode/toy.ts'
import { warper } from '../../src/text/decode/warp.ts'

const text = 'the cat sat on the mat. the cat ran. the dog sat on the cat.'

describe('the random Markov model', () => {
  test.each([0.2, 1, 2.5])(
    'every next-token distribution has the chosen entropy, %s nats',
    async (entropy) => {
      const model = markovModel({ vocabSize: 20, order: 2, entropy })
      const p = new Float64Array(20)
      for (const prompt of [[], [3], [3, 4], [4, 3]]) {
        const session = await model.begin([prompt])
        expect(warper()(session.logits, 0, p)).toBeCloseTo(entropy, 4)
      }
    },
  )

  test('can be uniform', async () => {
    const { logits } = await markovModel({ vocabSize: 7, entropy: Math.log(7) }).begin([[1]])
    expect(new Set(logits).size).toBe(1)
  })

  test('depends on the last `order` tokens and on the seed, nothing else', async () => {
    const model = markovModel({ vocabSize: 9, order: 2 })
    const logitsAfter = async (tokens: number[], m = model) => Array.from((await m.begin([tokens])).logits)
    expect(await logitsAfter([5, 1, 2])).toEqual(await logitsAfter([7, 7, 1, 2]))
    expect(await logitsAfter([5, 1, 2])).not.toEqual(await logitsAfter([5, 2, 1]))
    expect(await logitsAfter([1, 2], markovModel({ vocabSize: 9, order: 2 }))).toEqual(
      await logitsAfter([1, 2]),
    )
    expect(await logitsAfter([1, 2], markovModel({ vocabSize: 9, order: 2, seed: 2 }))).not.toEqual(
      await logitsAfter([1, 2]),
    )
  })
})

describe('the n-gram model', () => {
  test('is its formula: after "the cat" come " sat", " ran" and "." once each', async () => {
    const model = ngramModel(text, { order: 2, smoothing: 1 })
    const { encode } = model.tokenizer
    const prompt = encode('the cat')
    const words = encode(text)
    const V = model.vocabSize
    const share = (w: number) => (words.filter((x) => x === w).length + 1 / V) / (words.length + 1)
    // ' cat' is followed by ' sat', ' ran' and '.': three times in all
    for (const [piece, count] of [
      [' sat', 1],
      [' ran', 1],
      ['.', 1],
      [' mat', 0],
    ] as const) {
      const [w = 0] = encode(piece)
      const [found] = await model.logLikelihood([{ prompt, tokens: [w] }])
      expect(Math.exp(found![0]!)).toBeCloseTo((count + share(w)) / (3 + 1), 6)
    }
  })

  test('every word is possible, the masses sum to 1, and an unknown word is one token', async () => {
    const model = ngramModel(text)
    const { logits } = await model.begin([model.tokenizer.encodePrompt('a zebra')])
    expect(Array.from(logits).reduce((sum, x) => sum + Math.exp(x), 0)).toBeCloseTo(1, 6)
    expect(model.tokenizer.encode(' zebra')).toEqual([0])
  })

  test('decode inverts encode on its own text', () => {
    const { tokenizer } = ngramModel(text)
    expect(tokenizer.decode(tokenizer.encode(text))).toBe(text)
  })
})

describe('sessions of toy models', () => {
  const model = markovModel({ vocabSize: 11, order: 3 })

  test('a row of a batch equals the row alone, through steps and selections', async () => {
    const batch = await model.begin([[1], [2, 3, 4, 5], []])
    await batch.step([7, 8, 9])
    batch.select([2, 0, 0])
    await batch.step([1, 2, 3])
    const texts = [
      [9, 1],
      [1, 7, 2],
      [1, 7, 3],
    ]
    for (const [row, tokens] of texts.entries()) {
      const alone = await model.begin([tokens])
      expect(batch.logits.slice(row * 11, (row + 1) * 11)).toEqual(alone.logits)
    }
  })

  test('the log-likelihood is the sum of the log-probabilities the sessions show', async () => {
    const tokens = [4, 4, 10, 0, 3]
    const [found] = await model.logLikelihood([{ prompt: [1, 2], tokens }])
    const session = await model.begin([[1, 2]])
    const p = new Float64Array(11)
    for (const [i, token] of tokens.entries()) {
      warper()(session.logits, 0, p)
      expect(found![i]).toBeCloseTo(Math.log(p[token]!), 12)
      await session.step([token])
    }
  })

  test('tokens outside the vocabulary are refused', async () => {
    await expect(model.begin([[11]])).rejects.toThrow(/tokens\[0\]: expected an integer in \[0, 10\], got 11/)
  })

  test('digests tell models apart', async () => {
    const digests = [model, markovModel({ seed: 2 }), ngramModel(text), ngramModel(`${text} x`)]
    expect(new Set(await Promise.all(digests.map((m) => m.digest()))).size).toBe(4)
  })
})

test.each([
  [() => markovModel({ vocabSize: 4, entropy: 1.4 }), /entropy: expected a number in \[0, 1.38/],
  [() => markovModel({ vocabSize: 1 }), /vocabSize/],
  [() => ngramModel(''), /text: expected at least one word/],
  [() => ngramModel(3 as unknown as string), /text: expected a string, got 3/],
])('errors say what is wrong: %s', (make, message) => {
  expect(make).toThrow(message)
})
