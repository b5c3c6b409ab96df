/** Facts about the methods that joined from engines and toolkits, beyond what the gate asks of every method. */
import { expect, test } from 'vitest'
import { logBinomialTail } from '../../src/core/stats/entry.ts'
import { averageOf, totalVariation } from '../../src/gate/laws/average.ts'
import { codesOf, secretKey } from '../../src/gate/laws/codes.ts'
import { generated } from '../../src/gate/laws/iid-texts.ts'
import { detect, heavyWater, prc, simplexWater, stealthInk } from '../../src/index.ts'
import { type AnyWatermark, weightedOrbit } from '../../src/watermark.ts'

test('stealthInk with one bit is exact at odd sizes too', () => {
  for (const w of [
    [5, 3, 2],
    [9, 1, 1, 1, 1],
  ]) {
    const p = Float64Array.from(w, (x) => x / w.reduce((a, b) => a + b))
    const mean = averageOf(stealthInk(), stealthInk().enumerate!(p.length) as never, p)
    for (const [i, mass] of mean.entries()) expect(mass).toBeCloseTo(p[i]!, 12)
  }
})

test('with two bits a token of 1/2 among 64 does not come out with 1/2', () => {
  const p = new Float64Array(64).fill(0.5 / 63)
  p[0] = 0.5
  const q = new Float64Array(64)
  const contexts = Array.from({ length: 6000 }, (_, i) => [1, i])
  const watermark = stealthInk({ bits: 2 })
  let sum = 0
  for (const code of codesOf(watermark, secretKey(1, 1), 64, contexts)) {
    watermark.reweight(p, code, q)
    sum += q[0]!
  }
  // values lie in [0, 1]: by Hoeffding's inequality a mean of 1/2 comes out like this with probability below 1e-4
  expect(Math.abs(sum / 6000 - 0.5)).toBeGreaterThan(Math.sqrt(Math.log(2e4) / 12_000))
})

test('prc counts the checks that lie in the text, block by block', () => {
  const options = { key: secretKey(1, 1), vocabSize: 1000 }
  const watermark = prc({ length: 200 })
  const text = generated(watermark, 1000, 600, options.key)
  const short = detect(watermark, text.slice(0, 200), options)
  const checks = [...short.perToken].filter((obeyed) => !Number.isNaN(obeyed))
  // the odd positions from 3 on
  expect(checks.length).toBe(99)
  const obeyed = checks.reduce((a, b) => a + b, 0)
  expect(short.logPValue).toBeCloseTo(logBinomialTail(obeyed, 99, 1 / 2), 12)
  expect(short.detected).toBe(true)
  // three blocks: the smallest p-value, times three
  const blocks = [0, 200, 400].map(
    (from) => detect(watermark, text.slice(from, from + 200), options).logPValue,
  )
  expect(detect(watermark, text, options).logPValue).toBeCloseTo(Math.min(...blocks) + Math.log(3), 12)
  // noise in every bit leaves nothing
  const noisy = prc({ noise: 0.5 })
  expect(detect(noisy, generated(noisy, 1000, 600, options.key), options).detected).toBe(false)
})

test('a token that is not scored takes its checks with it', () => {
  const watermark = prc({ length: 100 })
  const text = generated(watermark, 64, 100, secretKey(1, 1))
  const found = detect(watermark, text.with(0, 63), { key: secretKey(1, 1), vocabSize: 64, skip: [63] })
  expect([...found.perToken].filter((obeyed) => !Number.isNaN(obeyed)).length).toBeLessThan(49)
})

test('the mean of a coupling over its side information is p to 1e-12, at 1,000 tokens', () => {
  const p = Float64Array.from({ length: 1000 }, (_, i) => (i % 7 === 0 ? 0 : 1 / (i + 1)))
  const sum = p.reduce((a, b) => a + b, 0)
  for (let i = 0; i < p.length; i++) p[i]! /= sum
  for (const watermark of [simplexWater(), heavyWater({ size: 100 })] as AnyWatermark[]) {
    const [code] = codesOf(watermark, secretKey(1, 1), p.length, [[1, 2]])
    const mean = averageOf(watermark, weightedOrbit(watermark, code, p)!, p)
    expect(totalVariation(mean, p)).toBeLessThan(1e-12)
  }
})

test('every row of heavyWater holds the same scores, and every token of simplexWater the same number of ones', () => {
  const heavy = heavyWater({ size: 100 })
  const simplex = simplexWater()
  const rows = new Set<string>()
  for (let token = 0; token < 500; token++) {
    const scores = Array.from({ length: 100 }, (_, s) => heavy.score(token, { s }))
    rows.add(scores.toSorted((a, b) => a - b).join())
    const ones = Array.from({ length: 511 }, (_, s) => simplex.score(token, { s: s + 1 }))
    expect(ones.reduce((a, b) => a + b, 0)).toBe(256)
  }
  expect(rows.size).toBe(1)
})
