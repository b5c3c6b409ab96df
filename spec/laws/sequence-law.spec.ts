/** The law of whole texts by enumeration: against a brute force over all codes, and what the repeated-context rule is for. */
import { expect, test } from 'vitest'
import { keySchedule } from '../../src/core/keys/index.ts'
import { totalVariation } from '../../src/gate/laws/average.ts'
import { nextToken, type ToyModel, textsOf } from '../../src/gate/laws/entry.ts'
import { lawUnderKey } from '../../src/gate/laws/held-key.ts'
import { sequenceLaw } from '../../src/gate/laws/sequence-law.ts'
import { beginTexts } from '../../src/gate/laws/texts-in-step.ts'
import { modelLaw, openingOf } from '../../src/gate/laws/toy-world.ts'
import { markThenWarp, topK, warpThenMark } from '../../src/gate/laws/warping-order.ts'
import { christ, dipmark, gammaReweight, kgw, ngram, sta1 } from '../../src/index.ts'
import { codeAt } from '../../src/watermark.ts'
import type { AnyWatermark } from '../../src/watermarks/entry.ts'

const model: ToyModel = {
  vocabSize: 3,
  rows: [
    [3, 2, 1],
    [1, 1, 2],
  ],
}
const law = (watermark: AnyWatermark, length: number): Float64Array =>
  sequenceLaw(watermark, model, length, openingOf(watermark)!, 'key')

test("with the rule the law of texts is the model's, without it not", () => {
  const apart = (repeated: 'skip' | 'reuse'): number =>
    totalVariation(law(gammaReweight({ context: ngram(2, { repeated }) }), 4), modelLaw(model, 4))
  expect(apart('skip')).toBeLessThan(1e-14)
  expect(apart('reuse')).toBeGreaterThan(0.05)
})

test('tokens without mass are never drawn, whatever a rule asks of their probability', () => {
  const zeros: ToyModel = { vocabSize: 3, rows: [[0, 1, 1]] }
  const watermark = christ() as AnyWatermark
  const query = { model: zeros, length: 3, opening: openingOf(watermark)! }
  expect(
    totalVariation(sequenceLaw(watermark, zeros, 3, query.opening, 'key'), modelLaw(zeros, 3)),
  ).toBeLessThan(1e-12)
  const held = lawUnderKey(watermark, query, 'key', 'seed')
  expect([...textsOf(3, 3)].every((text, i) => !text.includes(0) || held[i] === 0)).toBe(true)
})

test('agrees with averaging over every product of codes, contexts reused', () => {
  // kgw lists its codes: 4 green sets of two tokens, an independent one for each of the contexts [0] and [1]
  const watermark = kgw({ delta: 2, context: ngram(1, { repeated: 'reuse' }) })
  const small: ToyModel = {
    vocabSize: 2,
    rows: [
      [2, 1],
      [1, 3],
    ],
  }
  const codes = [...watermark.enumerate!(2)]
  const expected = Float64Array.from(textsOf(2, 3), (tokens) => {
    let total = 0
    for (const zero of codes)
      for (const one of codes) {
        let mass = zero.weight * one.weight
        for (const [t, token] of tokens.entries()) {
          const q = new Float64Array(2)
          const before = t === 0 ? 0 : tokens[t - 1]!
          watermark.reweight(nextToken(small, tokens.slice(0, t)), (before === 0 ? zero : one).code, q)
          mass *= q[token]!
        }
        total += mass
      }
    return total
  })
  const actual = sequenceLaw(watermark, small, 3, openingOf(watermark)!, 'key')
  expect(totalVariation(actual, expected)).toBeLessThan(1e-15)
  expect(actual.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 14)
})

test('the opening is the shortest prompt after which a rule marks', () => {
  expect(openingOf(dipmark({ alpha: 0.4 }))).toEqual({ prompt: [0, 0], forced: 0 })
  expect(openingOf(sta1({ context: ngram(5) }))!.prompt).toHaveLength(5)
  const p = Float64Array.of(0.5, 0.3, 0.2)
  const opening = { prompt: [0, 0], forced: 0 }
  expect(beginTexts(dipmark({ alpha: 0.4 }), ['a key of some length'], { opening }).step([p])[0]).not.toBe(p)
})

test('top-k after an exact gamma-reweight costs what it costs, before it costs nothing', () => {
  const p = Float64Array.of(6, 5, 4, 3, 2, 1).map((w) => w / 21)
  const watermark = gammaReweight()
  const schedule = keySchedule('key', watermark.domain)
  const mean = (decoder: typeof warpThenMark, k: number): number => {
    const warp = (given: Float64Array) => topK(given, k)
    const total = new Float64Array(6)
    const n = 3000
    for (let i = 0; i < n; i++) {
      const code = codeAt(watermark, schedule, 6, [i, 0])
      for (const member of watermark.orbit!(code, p) as Iterable<typeof code>) {
        const mark = (given: Float64Array) => {
          const q = new Float64Array(6)
          watermark.reweight(given, member, q)
          return q
        }
        const q = decoder(p, warp, mark)
        for (let j = 0; j < 6; j++) total[j]! += q[j]! / (2 * n)
      }
    }
    return totalVariation(total, warp(p))
  }
  for (const k of [3, 5]) {
    expect(mean(warpThenMark, k)).toBeLessThan(1e-12)
    expect(mean(markThenWarp, k)).toBeGreaterThan(0.04)
  }
})
