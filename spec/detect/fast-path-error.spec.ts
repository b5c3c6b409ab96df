/** Fast paths are compared with the plain functions, of any declaration; a copy that changes a plain function loses its fast path. */
import { describe, expect, test } from 'vitest'
import { sumDetector } from '../../src/core/detect/entry.ts'
import { fastPathError } from '../../src/core/detect/fast-path-error.ts'
import { binomial, exponential } from '../../src/core/detect/null-laws.ts'
import { ngram } from '../../src/core/keys/ngram.ts'
import type { Random } from '../../src/core/keys/random.ts'
import { defineWatermark } from '../../src/core/method/define-watermark.ts'
import { fastScores, reweightMany, wordScore } from '../../src/watermark.ts'
import {
  type AnyWatermark,
  christ,
  dipmark,
  expEdit,
  gumbel,
  kgw,
  mcmark,
  shippedWatermarks,
  synthid,
} from '../../src/watermarks/entry.ts'

const isGreen = (token: number, random: Random): number => random.uint32(token) >>> 31

/** A declaration of a third party, with every fast path that fits it. */
const mine = defineWatermark<Random>({
  id: 'mine',
  unbiased: true,
  context: ngram(2),
  draw: (random) => random,
  reweight(p, random, q) {
    const green = p.reduce((sum, mass, i) => sum + mass * isGreen(i, random), 0)
    for (let i = 0; i < p.length; i++) q[i] = p[i]! * (isGreen(i, random) + 1 - green)
  },
  score: isGreen,
  detector: sumDetector({ nullLaw: binomial(1 / 2), bound: 1 }),
  fast: {
    scoreMany(tokens, random, out) {
      for (let i = 0; i < tokens.length; i++) out[i] = isGreen(tokens[i]!, random)
    },
    scoreEach(tokens, codeOf, out) {
      for (let i = 0; i < tokens.length; i++) out[i] = isGreen(tokens[i]!, codeOf(i))
    },
    words: { indices: [-1, 0], score: (word) => word >>> 31 },
    reweightMany(p, codes, out) {
      for (const [k, code] of codes.entries())
        mine.reweight(p, code, out.subarray(k * p.length, (k + 1) * p.length))
    },
  },
})

test.each(shippedWatermarks().map((watermark) => [watermark.id, watermark] as const))(
  '%s',
  (_, watermark) => {
    expect(fastPathError(watermark)).toBeUndefined()
  },
)

test.each([2, 3, 17, 1000])('a declaration of a third party over %i tokens', (vocabSize) => {
  for (const seed of [0, 1, 2]) expect(fastPathError(mine, { vocabSize, seed })).toBeUndefined()
})

describe('a mutant whose fast path differs is rejected', () => {
  const faster = (fast: AnyWatermark['fast'], base: AnyWatermark = mine): AnyWatermark =>
    defineWatermark({ ...base, id: 'mutant', fast })
  const other = ngram(2)
  const mutants: [string, AnyWatermark, RegExp][] = [
    [
      'scores of several tokens',
      faster({ scoreMany: (_, __, out) => out.fill(0) }),
      /^fast.scoreMany: expected 1/,
    ],
    [
      'scores under codes of their own',
      faster({
        scoreEach(tokens, codeOf, out) {
          for (let i = 0; i < tokens.length; i++) out[i] = isGreen(tokens[i]!, codeOf(0))
        },
      }),
      /^fast.scoreEach: /,
    ],
    [
      'another bit of the word',
      faster({ words: { indices: [-1, 0], score: (word) => (word >>> 30) & 1 } }),
      /^fast.words: /,
    ],
    ['another word', faster({ words: { indices: [-1, 1], score: (word) => word >>> 31 } }), /^fast.words: /],
    [
      'a word that was not asked for',
      faster({ words: { indices: [-1, 0], score: (_, word) => word >>> 31 } }),
      /^fast.words: /,
    ],
    [
      'the first row only',
      faster({ reweightMany: (p, codes, out) => mine.reweight(p, codes[0], out.subarray(0, p.length)) }),
      /^fast.reweightMany: /,
    ],
    [
      'contexts of another length',
      { ...mine, context: { ...other, fast: { firstUses: 3, of: other.scored } } },
      /of detectMany: /,
    ],
    [
      'another law of the sum',
      {
        ...mine,
        detector: {
          ...mine.detector!,
          fast: { sum: { nullLaw: binomial(1 / 4), bound: 1 }, of: mine.detector!.test },
        },
      },
      /^logPValue of detectMany: /,
    ],
    [
      'a compiled score that is another',
      faster(
        { words: { ...mine.fast!.words!, compiled: 'evidence' } },
        { ...mine, detector: sumDetector({ nullLaw: exponential() }) },
      ),
      /of detectMany: /,
    ],
  ]
  test.each(mutants)('%s', (_, mutant, message) => {
    expect(fastPathError(mutant)).toMatch(message)
  })
})

describe('a copy that changes a plain function loses the fast path that is about it', () => {
  const { draw, score, reweight } = mine
  test('the score: its fast scores and words', () => {
    const copy = { ...mine, score: (token: number, code: Random) => 1 - score(token, code) }
    expect(fastScores(copy)).toEqual({})
    expect(wordScore(copy)).toBeUndefined()
    expect(reweightMany(copy)).toBe(mine.fast!.reweightMany)
    expect(fastPathError(copy)).toBeUndefined()
    expect(fastPathError(defineWatermark({ ...copy, id: 'declared' }))).toBeUndefined()
  })
  test('the draw: its words', () => {
    const copy = { ...mine, draw: (...given: Parameters<typeof draw>) => draw(...given) }
    expect(wordScore(copy)).toBeUndefined()
    expect(fastScores(copy).scoreMany).toBe(mine.fast!.scoreMany)
  })
  test('the reweight: its rows', () => {
    const copy = { ...mine, reweight: (...given: Parameters<typeof reweight>) => reweight(...given) }
    expect(reweightMany(copy)).toBeUndefined()
    expect(wordScore(copy)).toBe(mine.fast!.words)
  })
  test('published codes of Python: none', () => {
    for (const watermark of [
      kgw({ delta: 2, codes: 'reference' }),
      synthid({ codes: 'reference' }),
      expEdit({ codes: 'reference' }),
    ])
      expect(watermark.fast).toBeUndefined()
  })
})

test('these have fast paths at all', () => {
  for (const watermark of [
    gumbel(),
    kgw({ delta: 2 }),
    synthid(),
    mcmark({ channels: 20 }),
    dipmark({ alpha: 0.4 }),
  ])
    expect(wordScore(watermark as AnyWatermark)).toBeDefined()
  for (const { fast } of [gumbel(), expEdit()]) expect(fast!.scoreMany).toBeDefined()
  expect(christ().fast!.scoreEach).toBeDefined()
})

test('a fast path that is no object is refused', () => {
  expect(() => defineWatermark({ ...mine, fast: 1 as never })).toThrow('defineWatermark: fast')
})
