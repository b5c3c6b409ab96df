/**
 * Where the watermark is. What is generated is fixed by seeds. The sampled check has a false-alarm rate of 1e-9, whatever its fresh seed; with 4,000 texts it finds a chance of
 * 9% at 5% with probability above 99.9%.
 */
import { expect, test } from 'vitest'
import { expectToyKeys } from '../../src/core/keys/short-key.ts'
import { logBinomialTail } from '../../src/core/stats/log-binomial-tail.ts'
import {
  binomial,
  christ,
  gumbel,
  kgw,
  type Segment,
  segments,
  sumDetector,
  synthid,
  unigram,
} from '../../src/index.ts'
import { generateMany } from '../../src/text/decode/generate.ts'
import { markovModel } from '../../src/text/decode/toy.ts'
import type { AnyWatermark } from '../../src/watermark.ts'
import { nullText, nullVocabulary } from './null-texts.ts'

expectToyKeys()

const model = markovModel({ vocabSize: 200, entropy: 3, seed: 'segments' })
const DOCUMENTS = 20

/** Texts of a length, marked or not, each under its own key. */
async function texts(length: number, label: string, watermark?: AnyWatermark): Promise<number[][]> {
  const requests = Array.from({ length: DOCUMENTS }, (_, i) => ({
    prompt: [i],
    key: `key ${i}`,
    seed: `${label} ${i}`,
  }))
  const generated = await generateMany(model, requests, {
    ...(watermark && { watermark }),
    maxNewTokens: length,
  })
  return generated.map(({ tokens }) => tokens)
}

/** Documents of parts, with what was found in each. */
async function found(
  watermark: AnyWatermark,
  parts: readonly [length: number, marked: boolean][],
): Promise<Segment[][]> {
  const made = await Promise.all(
    parts.map(([length, marked], k) => texts(length, `part ${k}`, marked ? watermark : undefined)),
  )
  return Array.from({ length: DOCUMENTS }, (_, i) =>
    segments(
      watermark,
      made.flatMap((part) => part[i]!),
      { key: `key ${i}`, vocabSize: 200 },
    ),
  )
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

test.each([gumbel(), synthid(), kgw({ delta: 4 })].map((watermark) => [watermark.id, watermark] as const))(
  '%s: a marked paragraph between two that are not is found and bounded',
  async (_, watermark) => {
    const lists = await found(watermark, [
      [150, false],
      [100, true],
      [150, false],
    ])
    for (const list of lists) expect(list.length).toBeGreaterThanOrEqual(1)
    const ends = lists.map((list) => [list[0]!.from, list.at(-1)!.to] as const)
    expect(median(ends.map(([from]) => Math.abs(from - 150)))).toBeLessThanOrEqual(6)
    expect(median(ends.map(([, to]) => Math.abs(to - 250)))).toBeLessThanOrEqual(6)
    for (const list of lists) for (const { pValue } of list) expect(pValue).toBeLessThanOrEqual(0.01)
  },
)

test('two marked paragraphs are two segments', async () => {
  const lists = await found(gumbel(), [
    [60, false],
    [60, true],
    [120, false],
    [60, true],
    [60, false],
  ])
  const two = lists.filter(
    (list) =>
      list.length >= 2 &&
      list.every(({ from, to }) => to < 180 || from > 180) &&
      list.some(({ to }) => to < 180) &&
      list.some(({ from }) => from > 180),
  )
  expect(two.length).toBeGreaterThanOrEqual(18)
})

test('a text that is marked throughout is one segment', async () => {
  const lists = await found(gumbel(), [[200, true]])
  for (const list of lists) {
    expect(list).toHaveLength(1)
    expect(list[0]!.from).toBeLessThanOrEqual(12)
    expect(list[0]!.to).toBeGreaterThanOrEqual(188)
  }
})

const seed = `segments ${crypto.getRandomValues(new Uint32Array(1))[0]}`
const TEXTS = 4000
const logLevel = Math.log(1e-9 / 3)

/** ln of the chance that something is found in this many texts or more, if the chance of each were `level`. */
function excess(
  watermark: AnyWatermark,
  kind: 'random' | 'repetitive',
  length: number,
  alpha: number,
  level: number,
): number {
  const texts = length > 100 ? TEXTS / 2 : TEXTS
  let count = 0
  for (let i = 0; i < texts; i++) {
    const tokens = nullText(kind, seed, i, length)
    const found = segments(watermark, tokens, { key: `${seed}/${i}`, vocabSize: nullVocabulary, alpha })
    if (found.length > 0) count++
  }
  return logBinomialTail(count, texts, level)
}

test.each(
  [gumbel(), kgw({ delta: 2 }), unigram({ delta: 2 })].map((watermark) => [watermark.id, watermark] as const),
)(`%s: false segments at 5% (${seed})`, (_, watermark) => {
  expect(excess(watermark, 'repetitive', 40, 0.05, 0.05)).toBeGreaterThan(logLevel)
})

test('the check rejects a search that is not corrected for, and a null rate that is too low', () => {
  // about 300 scores: 1 / W in place of 300 / W
  expect(excess(gumbel(), 'random', 300, 0.9, 0.9 / 300)).toBeLessThan(logLevel)
  const wrong = { ...kgw({ delta: 2 }), detector: sumDetector({ nullLaw: binomial(0.3), bound: 1 }) }
  expect(excess(wrong, 'random', 60, 0.05, 0.05)).toBeLessThan(logLevel)
})

test('nothing to score, and watermarks without scores of their own', () => {
  const options = { key: 'a secret of sixteen bytes', vocabSize: 10 }
  expect(segments(gumbel(), [1, 2], options)).toEqual([])
  expect(() => segments(christ(), [1, 2], options)).toThrow('watermark: expected one with a sum detector')
  expect(() => segments(gumbel(), [1, 10], options)).toThrow('tokens[1]: expected a token id in [0, 10)')
  expect(() => segments(gumbel(), [1], { ...options, alpha: 1 })).toThrow(
    'alpha: expected a number in (0, 1), got 1',
  )
})
