import { expect, test } from 'vitest'
import type { Promised } from '../../src/laws/law.ts'
import { renderEvidence } from '../../src/laws/render.ts'

const sees = (promises: readonly Promised[]): string =>
  renderEvidence({
    kind: 'sampled',
    keys: 10,
    falseAlarm: 1e-9,
    miss: 1e-3,
    smallestBias: 0.5,
    observedBias: 0,
    promises,
  })

test('what is promised for small vocabularies is said of all up to a size', () => {
  const promises = [
    { vocabSize: 257, bias: 0.03 },
    { vocabSize: 16, bias: 0.02 },
    { vocabSize: 1000, bias: 0.03 },
    { vocabSize: 50_257, bias: 0.15 },
  ]
  expect(sees(promises)).toBe('10 keys, sees 0.02 at V <= 16, 0.03 at <= 1,000, 0.15 at 50,257, saw 0')
})

test('where smaller vocabularies do not show more, each size is named', () => {
  const promises = [
    { vocabSize: 4, bias: 0.017 },
    { vocabSize: 2, bias: 0.012 },
    { vocabSize: 3, bias: 0.041 },
  ]
  expect(sees(promises)).toBe('10 keys, sees 0.012 at V = 2, 0.041 at 3, 0.017 at 4, saw 0')
})

test('without promises per size there is one', () => {
  expect(sees([])).toBe('10 keys, sees 0.5, saw 0')
})
