import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  distinct,
  distinctN,
  repeatedNgrams,
  repeatedWithin,
  repetition,
} from '../../src/text/metrics/repetition.ts'

describe('worked by hand', () => {
  test('distinct-n and its complement', () => {
    expect(distinctN(['a', 'b', 'a', 'b'], 1)).toBe(1 / 2)
    expect(distinctN(['a', 'b', 'a', 'b'], 2)).toBe(2 / 3)
    expect(repeatedNgrams([1, 2, 1, 2], 2)).toBeCloseTo(1 / 3, 15)
  })

  test('ids are kept apart: 1 23 is not 12 3', () => {
    expect(distinctN([1, 23, 12, 3], 2)).toBe(1)
  })

  test('within a window', () => {
    expect(repeatedWithin(['a', 'b', 'a', 'c'], 2)).toBe(1 / 4)
    expect(repeatedWithin(['a', 'b', 'a', 'c'], 1)).toBe(0)
    expect(repeatedWithin(['a', 'a', 'a'], 1)).toBe(2 / 3)
  })

  test('nothing repeats in nothing', () => {
    expect([distinctN([], 1), repeatedNgrams(['a'], 4), repeatedWithin([], 3)]).toEqual([1, 0, 0])
  })
})

const tokens = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 20 })

describe('for all texts', () => {
  test('agrees with counting pairs directly', () => {
    fc.assert(
      fc.property(tokens, fc.integer({ min: 1, max: 4 }), (text, n) => {
        const grams = text.slice(n - 1).map((_, i) => JSON.stringify(text.slice(i, i + n)))
        const repeats = grams.filter((gram, i) => grams.indexOf(gram) < i).length
        expect(repeatedNgrams(text, n)).toBeCloseTo(grams.length === 0 ? 0 : repeats / grams.length, 12)
      }),
    )
  })

  test('rep-l agrees with looking back directly', () => {
    fc.assert(
      fc.property(tokens, fc.integer({ min: 1, max: 6 }), (text, window) => {
        const repeats = text.filter((token, i) =>
          text.slice(Math.max(0, i - window), i).includes(token),
        ).length
        expect(repeatedWithin(text, window)).toBe(text.length === 0 ? 0 : repeats / text.length)
      }),
    )
  })
})

test('as metrics over the words of a text', async () => {
  const samples = [{ text: 'no, no, no, no.' }, { text: 'all different words here' }]
  expect(Array.from(await distinct(1).score(samples))).toEqual([3 / 8, 1])
  expect(Array.from(await repetition(4).score(samples))).toEqual([2 / 5, 0].map((v) => expect.closeTo(v, 12)))
  expect([distinct(2).id, repetition().id, repetition().better]).toEqual([
    'distinct(n=2)',
    'repetition(n=4)',
    'lower',
  ])
  expect(() => distinct(0)).toThrow('n: expected an integer of at least 1')
})
