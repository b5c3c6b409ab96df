import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Encoder } from '../../src/text/decode/language-model.ts'
import { bertScore, bertScoreMetric, inverseDocumentFrequency } from '../../src/text/metrics/bertscore.ts'

/** Words are tokens, each with a fixed vector: matching can be followed by hand. `cat` and `feline` have cosine 0.8. */
const vectors: Record<string, number[]> = {
  the: [1, 0, 0],
  cat: [0, 2, 0],
  feline: [0, 0.8, 0.6],
  sat: [0, 0, 3],
  not: [-1, 0, 0],
  nil: [0, 0, 0],
}
const vocabulary = Object.keys(vectors)
const asked: number[] = []
const encoder: Encoder = {
  id: 'words',
  width: 3,
  tokenizer: {
    encode: (text) => text.split(' ').flatMap((word) => (word ? [vocabulary.indexOf(word)] : [])),
    encodePrompt: () => [],
    decode: (tokens) => Array.from(tokens, (token) => vocabulary[token]).join(' '),
  },
  hiddenStates: async (texts) => {
    asked.push(texts.length)
    return texts.map((tokens) =>
      Float32Array.from(Array.from(tokens).flatMap((t) => vectors[vocabulary[t]!]!)),
    )
  },
}
const one = async (candidate: string, reference: string, options = {}) =>
  (await bertScore(encoder, [candidate], [reference], options))[0]!

describe('worked by hand', () => {
  test('greedy matching', async () => {
    // feline -> cat 0.8, the -> the 1, sat -> sat 1 against "the cat": P = (1 + 0.8 + max(0, 0)) / 3, R = (1 + 0.8) / 2.
    const { precision, recall, f1 } = await one('the feline sat', 'the cat')
    expect(precision).toBeCloseTo(1.8 / 3, 6)
    expect(recall).toBeCloseTo(0.9, 6)
    expect(f1).toBeCloseTo((2 * 0.6 * 0.9) / 1.5, 6)
  })

  test('one token may serve many: matching is not one to one', async () => {
    expect((await one('cat cat cat', 'cat')).precision).toBeCloseTo(1, 6)
  })

  test('idf: ln((M + 1) / (m + 1)) over the references, unseen ln(M + 1)', () => {
    const idf = inverseDocumentFrequency([
      [0, 1, 1],
      [0, 2],
    ])
    expect(idf(0)).toBe(0)
    expect(idf(1)).toBeCloseTo(Math.log(3 / 2), 15)
    expect(idf(9)).toBeCloseTo(Math.log(3), 15)
  })

  test('idf weighs: a word in every reference counts nothing', async () => {
    const scores = await bertScore(encoder, ['the sat', 'the cat'], ['the cat', 'the sat'], { idf: true })
    expect(scores[0]!.precision).toBeCloseTo(0, 6) // only "sat" counts, and it is unlike "the" and "cat"
    const plain = await bertScore(encoder, ['the sat', 'the cat'], ['the cat', 'the sat'])
    expect(plain[0]!.precision).toBeCloseTo(0.5, 6)
  })

  test('all idf weights zero: tokens count equally instead of 0/0', async () => {
    expect((await one('the cat', 'the cat', { idf: true })).f1).toBeCloseTo(1, 6)
  })

  test('rescaling maps the baseline to 0 and keeps 1', async () => {
    expect((await one('the cat', 'the cat', { baseline: 0.7 })).f1).toBeCloseTo(1, 6)
    expect((await one('the feline sat', 'the cat', { baseline: 0.6 })).precision).toBeCloseTo(0, 6)
    const { recall } = await one('the feline', 'the cat', { baseline: { precision: 0, recall: 0.5, f1: 0 } })
    expect(recall).toBeCloseTo((0.9 - 0.5) / 0.5, 6)
  })

  test('where the harmonic mean is not defined F1 is the lower of P and R', async () => {
    expect(await one('not', 'the')).toEqual({ precision: -1, recall: -1, f1: -1 })
    const { precision, recall, f1 } = await one('not', 'not the')
    expect([precision, recall, f1]).toEqual([1, 0, 0])
  })

  test('an empty text or a zero vector scores 0, never NaN', async () => {
    expect(await one('', 'the')).toEqual({ precision: 0, recall: 0, f1: 0 })
    expect(await one('the', '')).toEqual({ precision: 0, recall: 0, f1: 0 })
    expect(await one('nil', 'nil')).toEqual({ precision: 0, recall: 0, f1: 0 })
  })
})

test('batches change nothing, and a text is encoded once per batch', async () => {
  const candidates = ['the cat', 'the cat', 'sat', '']
  const references = ['the feline', 'the cat', 'sat cat', 'the']
  asked.length = 0
  const together = await bertScore(encoder, candidates, references)
  expect(asked).toEqual([5])
  expect(await bertScore(encoder, candidates, references, { batch: 1 })).toEqual(together)
})

const texts = fc
  .array(fc.constantFrom(...vocabulary.filter((w) => w !== 'nil')), { minLength: 1, maxLength: 8 })
  .map((words) => words.join(' '))

test('for all texts: in range, symmetric up to exchange, 1 for a text against itself', async () => {
  await fc.assert(
    fc.asyncProperty(texts, texts, fc.boolean(), async (a, b, idf) => {
      const ab = await one(a, b)
      const ba = await one(b, a)
      expect([ba.precision, ba.recall, ba.f1]).toEqual([ab.recall, ab.precision, ab.f1])
      for (const value of Object.values(await one(a, b, { idf })))
        expect(Math.abs(value)).toBeLessThanOrEqual(1)
      expect((await one(a, a, { idf })).f1).toBeCloseTo(1, 6)
    }),
  )
})

test('as a metric: named by what it reports, ranged also when rescaled', async () => {
  expect(bertScoreMetric(encoder).id).toBe('bertscore(part=f1)')
  const metric = bertScoreMetric(encoder, { part: 'recall', idf: true, baseline: 0.5 })
  expect(metric.id).toBe('bertscore(part=recall,idf,rescaled)')
  expect([metric.low, metric.high]).toEqual([-3, 1])
  expect(
    (
      await bertScoreMetric(encoder, { part: 'precision' }).score([
        { text: 'the feline sat', reference: 'the cat' },
      ])
    )[0],
  ).toBeCloseTo(0.6, 6)
  expect(() => bertScoreMetric(encoder, { baseline: 1 })).toThrow(
    'baseline.precision: expected a number in [-1, 0.999]',
  )
  await expect(bertScore(encoder, ['a'], [])).rejects.toThrow('references: expected 1')
})
