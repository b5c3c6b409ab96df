import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { porterStem } from '../../src/text/metrics/porter.ts'
import {
  type RougeOptions,
  type RougeScore,
  rouge,
  rougeL,
  rougeLsum,
  rougeN,
  rougeWords,
} from '../../src/text/metrics/rouge.ts'
import { fixture, referencePairs } from './fixture.ts'

const kinds: Record<string, (candidate: string, reference: string, options: RougeOptions) => RougeScore> = {
  '1': (c, r, o) => rougeN(c, r, 1, o),
  '2': (c, r, o) => rougeN(c, r, 2, o),
  L: rougeL,
  Lsum: rougeLsum,
}

describe('the values published with rouge_score', () => {
  const { cases, digits } = fixture('published').rouge
  for (const { target, prediction, ...values } of cases)
    for (const [name, value] of Object.entries<[number, number, number]>(values))
      test(`${name} of ${JSON.stringify(prediction.slice(0, 30))}`, () => {
        const [, kind, stem] = /^rouge(\w+)(\(stem\))?$/.exec(name)!
        const { precision, recall, f1 } = kinds[kind!]!(prediction, target, { stem: Boolean(stem) })
        const printed = [precision, recall, f1].map((v) => v.toFixed(digits))
        expect(printed).toEqual(value.map((v) => v.toFixed(digits)))
      })
})

describe('the independent reference implementation, 42 pairs', () => {
  for (const kind of ['1', '2', 'L'] as const)
    for (const stem of [false, true])
      test(`ROUGE-${kind}${stem ? ' with stemming' : ''}`, () => {
        for (const pair of referencePairs()) {
          const { precision, recall, f1 } = kinds[kind]!(pair.hypothesis, pair.reference, { stem })
          const expected = (stem ? pair.stemmed : pair.rouge)[kind]
          for (const [i, value] of [precision, recall, f1].entries())
            expect(value, pair.hypothesis).toBeCloseTo(expected[i]!, 12)
        }
      })

  test('the values tell stemming from none', () => {
    const differ = referencePairs().filter((pair) => pair.rouge[1][2] !== pair.stemmed[1][2])
    expect(differ.length).toBeGreaterThan(2)
  })
})

describe('stems', () => {
  const stems: Record<string, string> = fixture('stems').stems

  test('of 993 words that reach every rule, as NLTK gives them', () => {
    expect(Object.keys(stems).length).toBe(993)
    for (const [word, stem] of Object.entries(stems)) expect(porterStem(word), word).toBe(stem)
  })

  test("the list tells NLTK's variant from Porter's original", () => {
    // Original: skies -> ski, dying -> dy, news -> new, dies -> di; the deviations must be in the list for it to see them.
    for (const word of ['skies', 'dying', 'news', 'innings']) expect(stems).toHaveProperty(word)
    expect(porterStem('dies')).toBe('die')
    expect(porterStem('enjoy')).toBe('enjoy')
  })

  test('the examples of the 1980 paper that NLTK keeps', () => {
    const examples = {
      caresses: 'caress',
      ponies: 'poni',
      feed: 'feed',
      agreed: 'agre',
      plastered: 'plaster',
      hopping: 'hop',
      falling: 'fall',
      filing: 'file',
      happy: 'happi',
      relational: 'relat',
      vietnamization: 'vietnam',
      triplicate: 'triplic',
      hopeful: 'hope',
      revival: 'reviv',
      adjustment: 'adjust',
      adoption: 'adopt',
      probate: 'probat',
      rate: 'rate',
      cease: 'ceas',
      controll: 'control',
      roll: 'roll',
    }
    for (const [word, stem] of Object.entries(examples)) expect(porterStem(word), word).toBe(stem)
  })

  test('never longer than the word, and never empty', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'aeiouylstbngcrd9'), minLength: 1, maxLength: 12 }),
        (word) => {
          const stem = porterStem(word)
          return stem.length > 0 && stem.length <= word.length
        },
      ),
      { numRuns: 1000 },
    )
  })
})

test('words: lower-cased runs of a-z and 0-9; stems only above three letters', () => {
  expect(rougeWords("Café's 3.5 Dogs_are ＡＢＣ")).toEqual(['caf', 's', '3', '5', 'dogs', 'are'])
  expect(rougeWords('running was uses', { stem: true })).toEqual(['run', 'was', 'use'])
})

const texts = fc
  .array(fc.constantFrom('cats', 'cat', 'run', 'running', 'the', '7', '\n', '.'), { maxLength: 12 })
  .map((words) => words.join(' '))

describe('for all texts', () => {
  for (const [kind, score] of Object.entries(kinds))
    test(`ROUGE-${kind}: in [0, 1], 1 for a text against itself, P and R change places with the texts`, () => {
      fc.assert(
        fc.property(texts, texts, fc.boolean(), (a, b, stem) => {
          const ab = score(a, b, { stem })
          const ba = score(b, a, { stem })
          for (const value of Object.values(ab)) expect(value >= 0 && value <= 1).toBe(true)
          // A union of subsequences is taken per reference sentence, so ROUGE-Lsum is not symmetric.
          if (kind !== 'Lsum')
            expect([ba.precision, ba.recall, ba.f1]).toEqual([ab.recall, ab.precision, ab.f1])
          const enough = rougeWords(a).length >= (kind === '2' ? 2 : 1)
          expect(score(a, a, { stem }).f1).toBe(enough ? 1 : 0)
        }),
      )
    })

  test('ROUGE-L is at most ROUGE-1: a subsequence is a sub-multiset', () => {
    fc.assert(fc.property(texts, texts, (a, b) => rougeL(a, b).f1 <= rougeN(a, b, 1).f1 + 1e-15))
  })

  test('on one line ROUGE-Lsum is ROUGE-L', () => {
    const line = texts.map((text) => text.replaceAll('\n', ' '))
    fc.assert(
      fc.property(line, line, (a, b) => {
        expect(rougeLsum(a, b)).toEqual(rougeL(a, b))
      }),
    )
  })
})

test('as metrics: named, ranged, F1', async () => {
  const metrics = [rouge(1), rouge(2), rouge('L', { stem: true }), rouge('Lsum')]
  expect(metrics.map((metric) => metric.id)).toEqual(['rouge1', 'rouge2', 'rougeL(stem)', 'rougeLsum'])
  const samples = [{ text: 'testing one', reference: 'testing one two' }]
  expect((await metrics[0]!.score(samples))[0]).toBeCloseTo(0.8, 12)
  expect(metrics.every(({ low, high }) => low === 0 && high === 1)).toBe(true)
  await expect(metrics[0]!.score([{ text: '' }])).rejects.toThrow('rouge1: samples[0] has no reference')
  expect(() => rougeN('a', 'b', 0)).toThrow('n: expected an integer')
})
