/** Bad input gives an error that names the argument, the value and what was expected. */
import { describe, expect, test } from 'vitest'
import {
  binomial,
  defineWatermark,
  detect,
  dipmark,
  embedder,
  gumbel,
  kgw,
  mcmark,
  ngram,
  paperWatermarks,
  sta1,
  sumDetector,
  synthid,
  unigram,
  unwatermarked,
  type Watermark,
  watermarkProcessor,
} from '../../src/index.ts'

const options = { key: 'secret', vocabSize: 4 }
const declaration = {
  id: 'mine',
  unbiased: true,
  context: ngram(2),
  draw: () => 0,
  reweight: () => {},
  score: () => 0,
  detector: sumDetector({ nullLaw: binomial(1 / 2) }),
}
const half = Float64Array.of(0.5, 0.5, 0, 0)
const q = new Float64Array(4)
const declare = (change: object) => defineWatermark({ ...declaration, ...change } as never)
const embed = (p: unknown, into: unknown = q) =>
  embedder(gumbel(), options).reweight([], p as Float64Array, into as Float64Array)

const mistakes: [string, () => unknown, RegExp, typeof TypeError | typeof RangeError][] = [
  ['an id out of range', () => detect(gumbel(), [1, 4], options), /tokens\[1\].*\[0, 4\).*got 4/, RangeError],
  ['a fractional id', () => detect(gumbel(), [0.5], options), /tokens\[0\].*got 0.5/, RangeError],
  [
    'bigint ids',
    () => detect(gumbel(), [1n] as never, options),
    /tokens\[0\].*Number.*1n \(a bigint\)/,
    TypeError,
  ],
  ['no tokens', () => detect(gumbel(), undefined as never, options), /tokens.*got undefined/, TypeError],
  [
    'an empty key',
    () => detect(gumbel(), [1], { ...options, key: '' }),
    /key.*at least one byte.*got none/,
    RangeError,
  ],
  [
    'a number as key',
    () => detect(gumbel(), [1], { ...options, key: 7 as never }),
    /key.*string or Uint8Array, got a number$/,
    TypeError,
  ],
  [
    'no vocabulary size',
    () => detect(gumbel(), [1], { key: 'k' } as never),
    /vocabSize.*got undefined/,
    TypeError,
  ],
  [
    'level 1.5',
    () => detect(gumbel(), [1], { ...options, alpha: 1.5 }),
    /alpha.*\(0, 1\).*got 1.5/,
    RangeError,
  ],
  ['no detector', () => detect(unwatermarked(), [1], options), /unwatermarked.*no detector/, TypeError],
  ['NaN mass', () => embed(Float64Array.of(Number.NaN, 1, 0, 0)), /p\[0\].*at least 0.*got NaN/, RangeError],
  [
    'negative mass',
    () => embed(Float64Array.of(1.5, -0.5, 0, 0)),
    /p\[1\].*at least 0.*got -0.5/,
    RangeError,
  ],
  [
    'mass that does not sum to 1',
    () => embed(Float64Array.of(0.5, 0.4, 0, 0)),
    /p: .*sum to 1.*0.9/,
    RangeError,
  ],
  ['too few probabilities', () => embed(Float64Array.of(1)), /p: .*4 probabilities.*1 of them/, RangeError],
  ['a plain array', () => embed([1, 0, 0, 0]), /p: .*Float64Array/, TypeError],
  ['q that is p', () => embed(half, half), /q: .*shares no memory with p/, RangeError],
  ['alpha 0.6', () => dipmark({ alpha: 0.6 }), /alpha.*\[0, 0.5\].*got 0.6/, RangeError],
  [
    'alpha missing',
    () => dipmark({} as never),
    /^alpha: .*got undefined; e\.g\. dipmark\(\{ alpha: 0\.4 \}\)$/,
    TypeError,
  ],
  ['1.5 channels', () => mcmark({ channels: 1.5 }), /channels.*integer.*got 1.5/, RangeError],
  ['129 layers', () => synthid({ layers: 129 }), /layers.*\[1, 128\].*got 129/, RangeError],
  ['delta as text', () => kgw({ delta: '2' as never }), /delta.*number.*got '2'/, TypeError],
  ['gamma 1', () => sta1({ gamma: 1 }), /gamma.*\(0, 1\).*got 1/, RangeError],
  ['no id', () => declare({ id: '' }), /id: expected a printable name/, TypeError],
  ['no claim', () => declare({ unbiased: undefined }), /unbiased: expected true or false/, TypeError],
  [
    'null for markedScore',
    () => declare({ markedScore: null }),
    /markedScore: expected an object/,
    TypeError,
  ],
  ['no rule', () => declare({ context: 2 }), /context: expected a context rule.*got 2/, TypeError],
  [
    'a closed form without a tail',
    () => declare({ markedScore: { mean: () => 1 } }),
    /markedScore: expected.*tail/,
    TypeError,
  ],
  ['both forms', () => declare({ choose: () => 0 }), /either reweight\(p, code, q\) or choose/, TypeError],
  [
    'neither form',
    () => declare({ reweight: undefined }),
    /either reweight\(p, code, q\) or choose/,
    TypeError,
  ],
  [
    'a law as detector',
    () => declare({ detector: binomial(0.5) }),
    /detector: expected a detector/,
    TypeError,
  ],
  [
    'the wrong width of logits',
    () => watermarkProcessor(gumbel(), options)([[1n]], { dims: [1, 3], data: new Float32Array(3) }),
    /vocabSize.*3.*got 4/,
    RangeError,
  ],
]

test.each(mistakes)('%s', (_, mistake, message, type) => {
  expect(mistake).toThrow(type)
  expect(mistake).toThrow(message)
})

test('too few tokens to score: p-value 1, nothing scored, no error', () => {
  for (const watermark of paperWatermarks())
    expect(detect(watermark, [], options)).toMatchObject({ pValue: 1, scored: 0 })
  expect(detect(gumbel(), [1, 2], options)).toMatchObject({ pValue: 1, scored: 0 })
})

describe('a copy of a watermark', () => {
  const p = Float64Array.of(0.1, 0.2, 0.3, 0.4)
  const marked = (watermark: Watermark<never>): number[] => {
    const out = new Float64Array(4)
    embedder(watermark, options).reweight([1, 2], p, out)
    return Array.from(out)
  }

  test('can be declared under another id, and marks and detects as before', () => {
    const copy = defineWatermark({ ...gumbel(), id: 'x' })
    expect(copy).toMatchObject({ id: 'x', domain: gumbel().domain })
    expect(marked(copy as never)).toEqual(marked(gumbel() as never))
    const tokens = [1, 2, 3, 0, 2, 1, 3, 3, 1]
    expect(detect(copy, tokens, options)).toEqual(detect(gumbel(), tokens, options))
  })

  test('that chooses otherwise marks otherwise', () => {
    const copy = defineWatermark({ ...gumbel(), choose: () => 3 })
    expect(marked(copy as never)).toEqual([0, 0, 0, 1])
  })

  test('must say which of two ways to reweight is meant', () => {
    const reweight = (_p: Float64Array, _code: unknown, out: Float64Array) => void out.set([1, 0, 0, 0])
    expect(() => defineWatermark({ ...gumbel(), reweight })).toThrow(/either reweight.*or choose.*not both/)
    expect(marked(defineWatermark({ ...gumbel(), reweight, choose: undefined }) as never)).toEqual([
      1, 0, 0, 0,
    ])
  })
})

test('the domain does not depend on delta, alpha or the detector', () => {
  expect(dipmark({ alpha: 0.3 }).domain).toBe(dipmark({ alpha: 0.4 }).domain)
  expect(kgw({ delta: 1 }).domain).toBe(kgw({ delta: 2 }).domain)
  expect(synthid().domain).toBe(synthid({ detector: 'weighted' }).domain)
  expect(kgw({ delta: 1 }).domain).not.toBe(unigram({ delta: 1 }).domain)
  expect(kgw({ delta: 1 }).domain).not.toBe(kgw({ delta: 1, gamma: 0.25 }).domain)
  expect(mcmark({ channels: 10 }).domain).not.toBe(mcmark({ channels: 20 }).domain)
})

test('special tokens are not scored, and a text ends before its end token', () => {
  const tokens = [1, 2, 3, 0, 2, 1, 3, 3, 1]
  const all = detect(gumbel(), tokens, options)
  expect([...all.perToken].map(Number.isNaN).slice(0, 2)).toEqual([true, true])
  const skipping = detect(gumbel(), tokens, { ...options, skip: [0] })
  expect(skipping.scored).toBe(all.scored - 1)
  expect(skipping.perToken[3]).toBeNaN()
  expect(detect(gumbel(), tokens, { ...options, end: 0 }).scored).toBe(1)
})
