import fc from 'fast-check'
import { expect, test } from 'vitest'
import { counted, inPlaceOf, listed, verb } from '../../src/bench/report/sentence.ts'

test('lists', () => {
  expect(['', 'a', 'a b', 'a b c'].map((all) => listed(all.split(' ').filter(Boolean)))).toEqual([
    '',
    'a',
    'a and b',
    'a, b and c',
  ])
})

test('counts and verbs agree', () => {
  expect([0, 1, 2].map((n) => `${counted(n, 'method')} ${verb(n, 'drifts', 'drift')}`)).toEqual([
    'no methods drift',
    '1 method drifts',
    '2 methods drift',
  ])
})

test('what is used in place of something needs no verb, so one and many read the same', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (paper, here) => {
      expect(inPlaceOf({ paper, here })).toBe(`${here} in place of ${paper}`)
    }),
  )
  expect(inPlaceOf({ paper: 'BERT', here: 'hidden states' })).toBe('hidden states in place of BERT')
})
