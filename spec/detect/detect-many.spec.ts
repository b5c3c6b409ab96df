import { expect, test } from 'vitest'
import { detect, detectMany } from '../../src/core/detect/entry.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { type AnyWatermark, dipmark, gumbel, synthid, unigram } from '../../src/watermarks/entry.ts'

const vocabSize = 1000
const options = { key: 'secret', vocabSize, skip: [3], end: 999 }
const stream = seededRandom('detect-many')
/** Texts of many lengths, some with repeated contexts, none, an end token, ids to skip. */
const texts = [0, 1, 2, 3, 50, 200].flatMap((length) =>
  [2, 30, vocabSize].map((types) => Array.from({ length }, () => stream.below(types))),
)

const watermarks: AnyWatermark[] = [gumbel(), dipmark({ alpha: 0.4 }), synthid(), unigram({ delta: 2 })]

test.each(watermarks.map((w) => [w.id, w] as const))(
  '%s: detectMany gives what detect gives on each text',
  (_, watermark) => {
    expect(detectMany(watermark, texts, options)).toEqual(
      texts.map((text) => detect(watermark, text, options)),
    )
  },
)

test('every position has the score that it has alone, NaN where it has none', () => {
  const { perToken } = detect(gumbel(), texts.at(-1)!, options)
  const text = texts.at(-1)!
  for (const t of [2, 17, 100]) {
    const alone = detect(gumbel(), text.slice(t - 2, t + 1), options)
    if (!Number.isNaN(perToken[t]!)) expect(alone.statistic).toBe(perToken[t])
  }
  expect(perToken.slice(0, 2)).toEqual(Float64Array.of(Number.NaN, Number.NaN))
})

test('a wrong id is named by its text', () => {
  expect(() =>
    detectMany(
      gumbel(),
      [
        [1, 2],
        [1, 1000],
      ],
      options,
    ),
  ).toThrow('texts[1][1]: expected a token id in [0, 1000)')
  expect(() => detect(gumbel(), [1, 1.5], options)).toThrow('tokens[1]: expected a token id')
  expect(() => detect(gumbel(), [1, 2n as never], options)).toThrow('convert bigint ids')
})
