import { describe, expect, test } from 'vitest'
import { lawFor } from '../../src/core/detect/null-laws.ts'
import { keySchedule } from '../../src/core/keys/schedule.ts'
import { codeAt, type Weighted } from '../../src/watermark.ts'
import {
  type AnyWatermark,
  dipmark,
  kgw,
  mcmark,
  sta1,
  unigram,
  unwatermarked,
} from '../../src/watermarks/entry.ts'
import { smallWatermarks } from './shipped.ts'

const p = Float64Array.of(0.5, 0.3, 0.2)
const listable: AnyWatermark[] = [
  ...smallWatermarks().filter(({ enumerate }) => enumerate !== undefined),
  mcmark({ channels: 2 }),
  mcmark({ channels: 10 }),
  sta1({ gamma: 0.25 }),
  kgw({ delta: 1 }),
  unigram({ delta: 2, gamma: 0.25 }),
  unwatermarked(),
]

/** What a code does to p, in few digits: equal for equal codes. */
function effect(watermark: AnyWatermark, code: unknown): string {
  const q = new Float64Array(p.length)
  watermark.reweight(p, code, q)
  const scores = Array.from(p, (_, token) => watermark.score(token, code))
  return `${Array.from(q, (x) => x.toFixed(9)).join()};${scores.join()}`
}

/** The law of (q, scores) by listing. */
function listedLaw(watermark: AnyWatermark): Map<string, number> {
  const law = new Map<string, number>()
  for (const { code, weight } of watermark.enumerate!(p.length)) {
    const key = effect(watermark, code)
    law.set(key, (law.get(key) ?? 0) + weight)
  }
  return law
}

/**
 * Half the L1 distance between a listed law and the codes of 20,000 keys, each at a position of its own. Under the listed law it exceeds the bound with probability at
 * most 1e-9: Hoeffding for each of the 2^K - 2 events over K outcomes.
 */
function distanceToDraws(watermark: AnyWatermark, law: Map<string, number>): { tv: number; bound: number } {
  const draws = 20_000
  const seen = new Map<string, number>()
  for (let i = 0; i < draws; i++) {
    const schedule = keySchedule(`a secret of its own: ${i}`, watermark.domain)
    const key = effect(watermark, codeAt(watermark, schedule, p.length, [i]))
    seen.set(key, (seen.get(key) ?? 0) + 1 / draws)
  }
  const outcomes = new Set([...law.keys(), ...seen.keys()])
  let tv = 0
  for (const key of outcomes) tv += Math.abs((law.get(key) ?? 0) - (seen.get(key) ?? 0)) / 2
  return { tv, bound: Math.sqrt((outcomes.size * Math.LN2 + Math.log(1e9)) / (2 * draws)) }
}

describe.each(listable.map((w) => [w.id, w] as const))('listed codes of %s', (_, watermark) => {
  const codes: Weighted<unknown>[] = [...watermark.enumerate!(p.length)]

  test('have probabilities that sum to 1', () => {
    expect(codes.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 12)
  })

  test('give a token its score with the mean of the null law', () => {
    const law = watermark.detector?.nullLaw && lawFor(watermark.detector.nullLaw, p.length)
    const mean = (token: number) => codes.reduce((s, c) => s + c.weight * watermark.score(token, c.code), 0)
    for (const token of [0, 1, 2]) expect(mean(token)).toBeCloseTo(law?.mean ?? 0, 12)
  })

  test('average to p exactly where the watermark is unbiased', () => {
    const q = new Float64Array(p.length)
    const mean = new Float64Array(p.length)
    for (const { code, weight } of codes) {
      watermark.reweight(p, code, q)
      for (let i = 0; i < p.length; i++) mean[i]! += weight * q[i]!
    }
    const bias = Math.max(...mean.map((x, i) => Math.abs(x - p[i]!)))
    if (watermark.unbiased) expect(bias).toBeLessThan(1e-12)
    else expect(bias).toBeGreaterThan(1e-3)
  })

  test('are what keys draw: q and scores together (20,000 of them, false alarm 1e-9)', () => {
    const { tv, bound } = distanceToDraws(watermark, listedLaw(watermark))
    expect(tv).toBeLessThan(bound)
  })
})

test('a list of orders that forgets how many tokens lie in the upper half is found out', () => {
  const watermark = dipmark({ alpha: 0.4 })
  const half = [...watermark.enumerate!(3)].filter((_, i) => i % 4 === 2) // two of three in the upper half, always
  const law = new Map(half.map(({ code }) => [effect(watermark, code), 1 / half.length]))
  const { tv, bound } = distanceToDraws(watermark, law)
  expect(tv).toBeGreaterThan(bound)
})
