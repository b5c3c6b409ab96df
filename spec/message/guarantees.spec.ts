/** The two promises of `decode`: on unmarked text, and about a value that was not embedded. */
import { describe, expect, test } from 'vitest'
import { logFisher } from '../../src/core/detect/decode.ts'
import { logBinomialTail, superUniform } from '../../src/core/stats/entry.ts'
import { decode, gumbel, kgw, ngram, synthid, unigram, withMessage } from '../../src/index.ts'
import { embeddedDataset } from '../../src/text/datasets/index.ts'
import { loadTokenizer } from '../../src/text/models/entry.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import { nullText, nullVocabulary } from '../detect/null-texts.ts'
import { writeText } from './texts.ts'

/** Keys of each case: at each level some count would fail, with a false alarm of 1e-9. */
const KEYS = 1500

const cases: [name: string, watermark: AnyWatermark][] = [
  ['gumbel', withMessage(gumbel(), { bits: 8 })],
  ['synthid', withMessage(synthid({ layers: 4 }), { bits: 6, blocks: 3 })],
  ['kgw', withMessage(kgw({ delta: 2 }), { bits: 8 })],
  [
    'kgw, contexts reused',
    withMessage(kgw({ delta: 2, context: ngram(1, { repeated: 'reuse' }) }), { bits: 4, blocks: 2 }),
  ],
  ['unigram in one block', withMessage(unigram({ delta: 2 }), { bits: 3, blocks: 1 })],
]

const { tokenizer, vocabSize: humanVocabulary } = await loadTokenizer('embedded')
const { examples } = await embeddedDataset('continuation')
const passages = examples.map(({ prompt, reference }) => tokenizer.encode(`${prompt} ${reference}`))

describe('on unmarked text P(pValue <= a) <= a', () => {
  const loop = Array.from({ length: 60 }, (_, t) => t % 7)
  const kinds: Record<string, [vocabSize: number, text: (i: number) => ArrayLike<number>]> = {
    random: [nullVocabulary, (i) => nullText('random', 'messages', i, 60)],
    repetitive: [nullVocabulary, (i) => nullText('repetitive', 'messages', i, 60)],
    loop: [nullVocabulary, () => loop],
    human: [humanVocabulary!, (i) => Array.from(passages[i % passages.length]!).slice(0, 60)],
  }
  for (const [name, watermark] of cases)
    for (const [kind, [vocabSize, textOf]] of Object.entries(kinds))
      test(`${name}: ${kind}, the message and every block`, () => {
        const decoded = Array.from({ length: KEYS }, (_, i) =>
          decode(watermark, textOf(i), { key: `an unmarked secret ${i}`, vocabSize }),
        )
        expect(superUniform(decoded.map(({ pValue }) => pValue)).holds).toBe(true)
        for (let block = 0; block < watermark.messages!.blocks; block++)
          expect(superUniform(decoded.map(({ blocks }) => blocks[block]!.pValue)).holds).toBe(true)
      })

  test('the smallest of 16 tails without the factor 16 would be refused', () => {
    const [, watermark] = cases[0]!
    const pValues = Array.from({ length: KEYS }, (_, i) => {
      const tokens = nullText('random', 'messages', i, 60)
      const { blocks } = decode(watermark, tokens, {
        key: `an unmarked secret ${i}`,
        vocabSize: nullVocabulary,
      })
      return Math.min(1, blocks[0]!.pValue / 16)
    })
    expect(superUniform(pValues).holds).toBe(false)
  })
})

test('far in the tail too, by computation: blocks of bits, every pair of sums', () => {
  // the largest of 16 sums of n bits, with its probability and its p-value
  const blockOf = (n: number) =>
    Array.from({ length: n + 1 }, (_, sum) => {
      const below = (k: number): number => -Math.expm1(logBinomialTail(k, n, 1 / 2))
      const tail = Math.exp(logBinomialTail(sum, n, 1 / 2))
      const above = Math.exp(logBinomialTail(sum + 1, n, 1 / 2))
      // P(max >= sum) - P(max > sum) without cancelling: 1 - (1 - t)^16 for small t
      const reach = (t: number): number => -Math.expm1(16 * Math.log1p(-t))
      const mass =
        below(sum) < 0.5 ? (1 - above) ** 16 - Math.max(0, 1 - tail) ** 16 : reach(tail) - reach(above)
      return { mass, scored: n, logPValue: Math.min(0, Math.log(16) + Math.log(tail)) }
    })
  const [first, second] = [blockOf(40), blockOf(23)]
  const outcomes = first
    .flatMap((a) => second.map((b) => ({ mass: a.mass * b.mass, logP: logFisher([a, b]) })))
    .sort((a, b) => a.logP - b.logP)
  let reached = 0
  for (const [i, { mass, logP }] of outcomes.entries()) {
    reached += mass
    if (outcomes[i + 1]?.logP !== logP) expect(Math.log(reached)).toBeLessThanOrEqual(logP + 1e-9)
  }
  expect(reached).toBeCloseTo(1, 9)
  expect(outcomes[0]!.logP).toBeLessThan(-30)
})

describe('a text of message m names another value with confidence 1 - a with probability at most a', () => {
  // weak marks and short texts, so that wrong values are named often
  const weak: [name: string, watermark: AnyWatermark][] = [
    ['gumbel', withMessage(gumbel(), { bits: 8 })],
    ['kgw', withMessage(kgw({ delta: 0.5 }), { bits: 8 })],
  ]
  for (const [name, watermark] of weak)
    test(name, () => {
      const vocabSize = 8
      const wrong = Array.from({ length: KEYS }, (_, i) => {
        const key = `a secret of message ${i}`
        const tokens = writeText(watermark, { key, vocabSize, length: 24, message: 0xa3n, seed: i })
        const [, low] = decode(watermark, tokens, { key, vocabSize }).blocks
        return low!.value === 3 ? 1 : low!.pValue
      })
      expect(wrong.filter((p) => p < 1).length).toBeGreaterThan(100)
      expect(superUniform(wrong).holds).toBe(true)
    })
})

test('decoding scores each token once for each value of its block', () => {
  let scores = 0
  const base = gumbel()
  const score: typeof base.score = (token, code) => {
    scores++
    return base.score(token, code)
  }
  const tokens = writeText(base, { key: 'count', vocabSize: 64, length: 200, seed: 1 })
  const { scored } = decode(withMessage({ ...base, score }, { bits: 32 }), tokens, {
    key: 'count',
    vocabSize: 64,
  })
  expect(scores).toBe(16 * scored)
})

test('texts, keys and codes of a message are fixed: a change is a breaking release', () => {
  const watermark = withMessage(gumbel(), { bits: 16 })
  const key = 'uwbench vectors'
  const tokens = writeText(watermark, { key, vocabSize: 32, length: 24, message: 0xbeefn, seed: 1 })
  expect(tokens).toMatchInlineSnapshot(`
    [
      30,
      13,
      17,
      23,
      18,
      8,
      19,
      20,
      10,
      19,
      24,
      23,
      8,
      14,
      25,
      24,
      18,
      19,
      10,
      0,
      4,
      14,
      21,
      21,
    ]
  `)
  expect(decode(watermark, tokens, { key, vocabSize: 32 }).logPValue).toMatchInlineSnapshot(
    `-33.66892523518019`,
  )
})
