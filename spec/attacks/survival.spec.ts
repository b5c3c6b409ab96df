import fc from 'fast-check'
import { expect, test } from 'vitest'
import { survivingNgrams, survivingWords } from '../../src/text/attacks/survival.ts'
import { contentWords } from '../../src/text/attacks/words.ts'

test('triples that are left, each as often as it is there', () => {
  expect(survivingNgrams([1, 2, 3, 4, 5], [9, 2, 3, 4, 9])).toBe(1 / 3)
  expect(survivingNgrams([1, 1, 1, 1, 1], [1, 1, 1])).toBe(1 / 3)
  expect(survivingNgrams([1, 2], [3])).toBe(1) // nothing to lose
  expect(survivingNgrams([1, 2], [2, 3], 1)).toBe(0.5)
})

test('content words: no function words, in any case, contractions by their first part', () => {
  expect(contentWords("It's the Cat that I don't SEE, isn't it?")).toEqual(['cat', 'see'])
  expect(survivingWords('The cat saw a dog, a DOG.', 'dog and cats')).toBe(1 / 4)
  expect(survivingWords('it is', '')).toBe(1)
})

test('a text survives itself, and shares lie in [0, 1]', () => {
  const tokens = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 20 })
  fc.assert(
    fc.property(tokens, tokens, fc.integer({ min: 1, max: 4 }), (a, b, n) => {
      expect(survivingNgrams(a, a, n)).toBe(1)
      const share = survivingNgrams(a, b, n)
      expect(share >= 0 && share <= 1).toBe(true)
    }),
  )
})
