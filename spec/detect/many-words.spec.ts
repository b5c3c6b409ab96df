/**
 * `detectMany` scores most texts from keyed words that a kernel computes for the whole text. The results are those of `detect`, to the last bit:
 * for any key, any vocabulary, any text, with repeated contexts and skipped tokens; and wherever a watermark is not quite what the kernel is for.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detect, detectMany, sumDetector } from '../../src/core/detect/entry.ts'
import { exponential } from '../../src/core/detect/null-laws.ts'
import { withKernels } from '../../src/core/kernels/active.ts'
import { plain } from '../../src/core/kernels/table.ts'
import { fixed } from '../../src/core/keys/fixed.ts'
import { ngram } from '../../src/core/keys/ngram.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { wordScore } from '../../src/watermark.ts'
import {
  type AnyWatermark,
  dipmark,
  gammaReweight,
  gumbel,
  kgw,
  mcmark,
  sta1,
  synthid,
} from '../../src/watermarks/entry.ts'

/** How the kernel is told what a score is made of; undefined where it is not. */
const wordsOf = (watermark: AnyWatermark) => wordScore(watermark)

/** The same watermark with a score from words that is wrong: `detectMany` differs from `detect` where it is asked. */
function mutant(watermark: AnyWatermark, score: (first: number, second: number) => number): AnyWatermark {
  const { compiled: _, ...words } = wordsOf(watermark)!
  return { ...watermark, fast: { words: { ...words, score }, of: watermark } }
}

const scored: AnyWatermark[] = [
  kgw({ delta: 2 }),
  kgw({ delta: 2, gamma: 0.003 }),
  sta1({ gamma: 0.9 }),
  dipmark({ alpha: 0.4 }),
  dipmark({ alpha: 0.4, detector: 'linear' }),
  gammaReweight(),
  mcmark({ channels: 2 }),
  mcmark({ channels: 20 }),
  mcmark({ channels: 65_535 }),
  synthid({ layers: 1 }),
  synthid(),
  synthid({ layers: 32 }),
  synthid({ detector: 'weighted' }),
  gumbel(),
]

const text = fc
  .record({
    length: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 13, max: 400 })),
    types: fc.constantFrom(1, 2, 3, 10, 100, 150_000),
    seed: fc.nat(),
    List: fc.constantFrom<{ from(ids: readonly number[]): ArrayLike<number> }>(
      ...[Array, Int32Array, Uint32Array, Float64Array],
    ),
  })
  .map(({ length, types, seed, List }) => {
    const stream = seededRandom('many words', seed)
    const tokens = Array.from({ length }, () => stream.below(types))
    return { tokens, List }
  })

const world = fc
  .record({
    texts: fc.array(text, { maxLength: 4 }),
    vocabSize: fc.constantFrom(2, 3, 17, 1000, 50_257, 150_000),
    key: fc.oneof(fc.string({ minLength: 16 }), fc.uint8Array({ minLength: 16, maxLength: 80 })),
    alpha: fc.constantFrom(0.01, 0.5),
    skip: fc.option(fc.array(fc.nat(9), { maxLength: 3 }), { nil: undefined }),
    end: fc.option(fc.nat(9), { nil: undefined }),
  })
  .map(({ texts, vocabSize, skip, end, ...rest }) => ({
    texts: texts.map(({ tokens, List }) => List.from(tokens.map((token) => token % vocabSize))),
    options: {
      ...{ ...rest, vocabSize },
      ...(skip && { skip }),
      ...(end !== undefined && { end }),
    },
  }))

/** Whether both give the same on all texts, to the last bit. (`toEqual` tells 0 from -0, and takes NaN for NaN.) */
const agree = (watermark: AnyWatermark, numRuns: number): void =>
  fc.assert(
    fc.property(world, ({ texts, options }) => {
      expect(detectMany(watermark, texts, options)).toEqual(
        texts.map((tokens) => detect(watermark, tokens, options)),
      )
    }),
    { numRuns },
  )

describe('the kernel gives what detect gives', () => {
  test.each(scored.map((watermark) => [watermark.id, watermark] as const))('%s', (_, watermark) => {
    const { score } = wordsOf(watermark)!
    agree(watermark, 60)
    // that it is asked, and that a wrong score would be seen
    expect(() =>
      agree(
        mutant(watermark, (...words) => (score(...words) === 0 ? 1 : 0)),
        60,
      ),
    ).toThrow('Property failed')
  })

  test.each([0, 1, 2, 3, 4, 5, 8, 11])('contexts of %i tokens', (n) => {
    agree(gumbel({ context: ngram(n) }), 60)
    expect(() =>
      agree(
        mutant(gumbel({ context: ngram(n) }), (first) => first / 2 ** 32),
        60,
      ),
    ).toThrow('Property failed')
  })

  test('a text in which every context collides in the lower bits', () => {
    const tokens = Int32Array.from({ length: 5000 }, (_, t) => (t % 8) << 20)
    const options = { key: 'a key of some length', vocabSize: 2 ** 23 }
    expect(detectMany(synthid(), [tokens], options)).toEqual([detect(synthid(), tokens, options)])
  })
})

describe('what the kernel is not for goes the usual way', () => {
  const own = gumbel()
  const other = ngram(2)
  const others: [string, AnyWatermark][] = [
    ['contexts that recur', kgw({ delta: 2, context: ngram(2, { repeated: 'reuse' }) })],
    ['short contexts', gumbel({ context: ngram(3, { short: true }) })],
    ['one context for all', kgw({ delta: 2, context: fixed() })],
    ['more layers than a word has bits', synthid({ layers: 33 })],
    ['the published test', kgw({ delta: 2, detector: 'published' })],
    [
      'another draw',
      {
        ...own,
        draw: (random, size, site) =>
          own.draw({ ...random, uniform: (i: number) => random.uniform(i + 1) } as never, size, site),
      },
    ],
    ['another score', { ...own, score: (token: number, code: never) => own.score(token, code) / 2 }],
    [
      'another rule for positions',
      {
        ...own,
        context: {
          ...other,
          scored: (tokens, skip) => other.scored(tokens, skip).map((c, t) => (t % 2 ? c : undefined)),
        },
      },
    ],
    [
      'contexts without a key',
      { ...own, detector: sumDetector({ nullLaw: exponential(), keyless: ([first]) => first === 1 }) },
    ],
    [
      'another test',
      {
        ...own,
        detector: {
          ...own.detector!,
          test: (evidence) => ({ ...own.detector!.test(evidence), logPValue: -1 }),
        },
      },
    ],
  ]
  test.each(others)('%s', (_, watermark) => agree(watermark, 20))

  test('plain kernels', () => {
    withKernels(plain, () => agree(gumbel(), 20))
  })

  test('a word that decides nothing: the text is scored without the kernel', () => {
    agree(
      mutant(mcmark({ channels: 20 }), () => Number.NaN),
      20,
    )
  })

  test('a score out of bounds is refused in the words of detect', () => {
    const low = { ...own, detector: sumDetector({ nullLaw: exponential(), bound: 0.001 }) }
    const options = { key: 'a key of some length', vocabSize: 10 }
    const message = (run: () => unknown): string => {
      try {
        run()
      } catch (error) {
        return (error as Error).message
      }
      return 'nothing'
    }
    const tokens = [1, 2, 3, 4]
    expect(message(() => detectMany(low, [tokens], options))).toBe(
      message(() => detect(low, tokens, options)),
    )
    expect(message(() => detect(low, tokens, options))).toMatch(/^score of token 3 at 2: /)
  })
})
