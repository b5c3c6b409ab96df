import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BleuOptions, bleu, corpusBleu, sentenceBleu } from '../../src/text/metrics/bleu.ts'
import { tokenize13a } from '../../src/text/metrics/tokenize13a.ts'
import { fixture, referencePairs } from './fixture.ts'

type SentenceCase = Pick<BleuOptions, 'smoothing' | 'tokenize'> & { value?: number; score: number }
type FloorCase = { hypothesis: string; reference: string; value: number; score: number }

const smoothings = ['exp', 'floor', 'add-k', 'none'] as const

describe('the values published with sacreBLEU', () => {
  const published = fixture('published').bleu

  test('its README example, by tokenization and by highest order', () => {
    const { hypotheses, references, orders } = published.readme
    const score = (options?: BleuOptions) => corpusBleu(hypotheses, references, options).score
    expect(score()).toBeCloseTo(published.readme['13a'], 7)
    expect(score({ smoothing: 'none' })).toBeCloseTo(published.readme['13a'], 7)
    expect(score({ tokenize: 'none' })).toBeCloseTo(published.readme.none, 7)
    orders.forEach((value: number, i: number) => {
      expect(score({ maxOrder: i + 1 }).toFixed(2)).toBe(value.toFixed(2))
    })
    expect(corpusBleu(['', '', ''], references).score).toBe(0)
  })

  test.each<SentenceCase>(published.sentence.cases)(
    'one sentence, %o',
    ({ smoothing, value, tokenize, score }) => {
      const { hypothesis, reference, tolerance } = published.sentence
      const options: BleuOptions = {
        smoothing: smoothing!,
        ...(value === undefined ? {} : { smoothingValue: value }),
        ...(tokenize ? { tokenize } : {}),
      }
      expect(Math.abs(sentenceBleu(hypothesis, reference, options).score - score)).toBeLessThan(tolerance)
    },
  )

  test.each<FloorCase>(published.floor)('floored counts, %o', ({ hypothesis, reference, value, score }) => {
    const options = { smoothing: 'floor', smoothingValue: value, tokenize: 'none' } as const
    expect(sentenceBleu(hypothesis, reference, options).score).toBeCloseTo(score, 6)
  })

  test.each(smoothings)('no shared word scores 0 under %s', (smoothing) => {
    const { hypothesis, reference } = published.unmatched
    expect(sentenceBleu(hypothesis, reference, { smoothing }).score).toBe(0)
  })
})

describe('the independent reference implementation', () => {
  const pairs = referencePairs()

  test('tokens of 42 texts', () => {
    expect(pairs.map((pair) => tokenize13a(pair.hypothesis))).toEqual(pairs.map((pair) => pair.tokens))
  })

  test.each(smoothings)('sentence BLEU of 42 pairs, smoothing %s', (smoothing) => {
    for (const { hypothesis, reference, bleu } of pairs)
      expect(sentenceBleu(hypothesis, reference, { smoothing }).score, hypothesis).toBeCloseTo(
        bleu[smoothing],
        9,
      )
  })

  test('lower-cased', () => {
    for (const { hypothesis, reference, lowercase } of pairs)
      expect(sentenceBleu(hypothesis, reference, { lowercase: true }).score, hypothesis).toBeCloseTo(
        lowercase,
        9,
      )
  })

  test.each(smoothings)('corpora with one and two references, smoothing %s', (smoothing) => {
    for (const corpus of fixture('values').corpora) {
      const references = pairs.map((pair, i) =>
        corpus.several ? [pair.reference, pairs[(i + 1) % pairs.length]!.reference] : pair.reference,
      )
      const hypotheses = pairs.map((pair) => pair.hypothesis).slice(corpus.start, corpus.end)
      const { score } = corpusBleu(hypotheses, references.slice(corpus.start, corpus.end), { smoothing })
      expect(score).toBeCloseTo(corpus[smoothing], 9)
    }
  })

  test('the values tell this tokenization, case and smoothing from others', () => {
    const differ = (options: BleuOptions) =>
      pairs.filter(
        (pair) =>
          Math.abs(sentenceBleu(pair.hypothesis, pair.reference, options).score - pair.bleu.exp) > 1e-4,
      ).length
    expect(differ({ tokenize: 'none' })).toBeGreaterThan(10)
    expect(differ({ lowercase: true })).toBeGreaterThan(5)
    expect(differ({ smoothing: 'floor' })).toBeGreaterThan(5)
    expect(differ({ effectiveOrder: false })).toBeGreaterThan(0)
  })
})

describe('worked by hand', () => {
  test('clipping: "the" counts only as often as in the reference', () => {
    // 7 words, 2 of them matched: 2/7; length 7 = 7, no penalty.
    const { precisions } = corpusBleu(['the the the the the the the'], ['the cat is on the mat now'])
    expect(precisions[0]).toBeCloseTo(200 / 7, 12)
  })

  test('brevity: a perfect prefix is only penalised, exp(1 - r/c)', () => {
    const result = sentenceBleu('a b c d', 'a b c d e f')
    expect(result.precisions).toEqual([100, 100, 100, 100])
    expect(result.score).toBeCloseTo(100 * Math.exp(1 - 6 / 4), 12)
  })

  test('length is not rewarded: no bonus above the reference', () => {
    expect(sentenceBleu('a b c d e f', 'a b c d').brevityPenalty).toBe(1)
  })

  test('among several references the nearest length counts, the shorter on a tie', () => {
    expect(corpusBleu(['a b c d'], [['a b c d e', 'a b c']]).referenceLength).toBe(3)
    expect(corpusBleu(['a b c d'], [['a b c d e', 'a']]).referenceLength).toBe(5)
  })

  test('exp smoothing halves at each unmatched order', () => {
    // "a x b" against "a b": 2/3, then 0 of 2 -> 1/(2*2), 0 of 1 -> 1/(4*1)
    const expected = [200 / 3, 25, 25, 0]
    sentenceBleu('a x b', 'a b').precisions.forEach((p, n) => {
      expect(p).toBeCloseTo(expected[n]!, 12)
    })
  })
})

const words = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd', '1.5', ',', 'ü'), { maxLength: 12 })
  .map((w) => w.join(' '))

describe('for all texts', () => {
  test('the score stays in [0, 100]', () => {
    fc.assert(
      fc.property(
        words,
        words,
        fc.constantFrom(...smoothings),
        fc.boolean(),
        (h, r, smoothing, effectiveOrder) => {
          const { score } = sentenceBleu(h, r, { smoothing, effectiveOrder })
          return score >= 0 && score <= 100
        },
      ),
    )
  })

  test('a text against itself scores exactly 100, unless it is empty', () => {
    fc.assert(
      fc.property(words, fc.constantFrom('exp', 'floor', 'none'), (text, smoothing) => {
        expect(sentenceBleu(text, text, { smoothing }).score).toBe(tokenize13a(text).length > 0 ? 100 : 0)
      }),
    )
  })

  test('an empty hypothesis scores 0', () => {
    fc.assert(fc.property(words, (reference) => sentenceBleu('', reference).score === 0))
  })

  test('a further reference never lowers the matches', () => {
    fc.assert(
      fc.property(words, words, words, (h, r1, r2) => {
        const precisions = (references: string[]) =>
          sentenceBleu(h, references, { smoothing: 'none' }).precisions
        const two = precisions([r1, r2])
        return precisions([r1]).every((p, n) => p <= two[n]!)
      }),
    )
  })

  test('tokenizing tokens joined by spaces changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab1.,-\'"!& \n;'), maxLength: 20 }), (text) => {
        const once = tokenize13a(text).join(' ')
        // A dash or point that one pass left at the end of a word can be split by a second pass; then no token is lost.
        expect(tokenize13a(once).join('')).toBe(once.replaceAll(' ', ''))
      }),
    )
  })
})

describe('as a metric', () => {
  const samples = referencePairs().map(({ hypothesis, reference }) => ({ text: hypothesis, reference }))

  test('scores sentences and the corpus, inside the declared range', async () => {
    const metric = bleu()
    const scores = await metric.score(samples)
    expect(Array.from(scores)).toEqual(samples.map((s) => sentenceBleu(s.text, s.reference).score))
    expect(scores.every((score) => score >= metric.low && score <= metric.high)).toBe(true)
    expect(await metric.corpus!(samples)).toBeCloseTo(fixture('values').corpora[0].exp, 9)
  })

  test('its id names what was changed', () => {
    expect(bleu().id).toBe('bleu')
    expect(bleu({ smoothing: 'floor', lowercase: true }).id).toBe('bleu(lowercase=true,smoothing=floor)')
  })

  test('errors say what is wrong', async () => {
    await expect(bleu().score([{ text: 'a' }])).rejects.toThrow('samples[0] has no reference')
    expect(() => corpusBleu(['a', 'b'], ['a'])).toThrow('references: expected 2')
    expect(() => corpusBleu(['a'], [[]])).toThrow('references: expected at least one')
    expect(() => sentenceBleu('a', 'a', { smoothing: 'exponential' as 'exp' })).toThrow(
      "smoothing: expected one of 'exp'",
    )
  })
})
