import { expect, test } from 'vitest'
import { logBinomialTail } from '../../src/core/stats/log-binomial-tail.ts'
import { unigram } from '../../src/watermarks/entry.ts'
import { fixedBound } from './fixed-bound.ts'

test('one green token of two: the simulated bound is the exact one, to a tenth', () => {
  const coin = [Float64Array.of(0.5, 0.5)]
  const options = { alpha: 0.01, texts: 4000, longest: 400 }
  // half of all sets have one colour only, and say nothing: no test has a power far above 1/2
  expect(fixedBound(unigram({ delta: 0.5 }), coin, { ...options, power: 0.9 })).toBe(Number.POSITIVE_INFINITY)
  const rate = Math.exp(0.5) / (1 + Math.exp(0.5))
  const reaches = (n: number): boolean => {
    for (let k = 0; k <= n; k++)
      if (logBinomialTail(k, n, 0.5) <= Math.log(0.02)) return logBinomialTail(k, n, rate) >= Math.log(0.8)
    return false
  }
  let exact = 1
  while (!reaches(exact)) exact++
  const found = fixedBound(unigram({ delta: 0.5 }), coin, { ...options, power: 0.4 })
  expect(found / exact).toBeGreaterThan(0.9)
  expect(found / exact).toBeLessThan(1.1)
})
