/** `target`: the decoder whose law a watermark preserves. */
import { expect, test } from 'vitest'
import { permuteAndFlipLaw } from '../../src/core/embed/target.ts'
import { defineWatermark, embedder, gumbel, ngram, permuteAndFlip } from '../../src/index.ts'
import { claimOf } from '../../src/watermark.ts'

/** The law by its definition: over every order of the tokens, the first one whose coin of p / max p shows heads. */
function byOrders(p: readonly number[]): number[] {
  const most = Math.max(...p)
  const chances = p.map(() => 0)
  const walk = (left: readonly number[], mass: number): void => {
    for (const i of left) {
      const heads = p[i]! / most
      chances[i]! += (mass / left.length) * heads
      walk(
        left.filter((j) => j !== i),
        (mass / left.length) * (1 - heads),
      )
    }
  }
  walk([...p.keys()], 1)
  return chances
}

test('the law of permute-and-flip is that of its definition', () => {
  for (const p of [
    [2 / 3, 1 / 3],
    [1],
    [0.5, 0.5],
    [0.7, 0, 0.2, 0.1],
    [0.3, 0.3, 0.2, 0.1, 0.06, 0.04],
    [0.97, 0.01, 0.01, 0.005, 0.005],
  ]) {
    const law = permuteAndFlipLaw(Float64Array.from(p))
    for (const [i, chance] of byOrders(p).entries()) expect(law[i]).toBeCloseTo(chance, 13)
  }
  expect([...permuteAndFlipLaw(Float64Array.of(2 / 3, 1 / 3))]).toEqual([
    expect.closeTo(3 / 4, 14),
    expect.closeTo(1 / 4, 14),
  ])
})

test('and sums to 1 on large vocabularies', () => {
  for (const most of [1 / 50_257, 0.011, 0.02, 0.3, 0.999]) {
    const p = new Float64Array(50_257).fill((1 - most) / 50_256)
    p[7] = most
    expect(permuteAndFlipLaw(p).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 10)
  }
})

test('a position without a mark is decoded by the target too', () => {
  const p = Float64Array.of(2 / 3, 1 / 3)
  const q = new Float64Array(2)
  const text = embedder(permuteAndFlip(), { key: 'a secret of sixteen bytes', vocabSize: 2, seed: 1 })
  // one token is too short a context
  expect(text.reweight([0], p, q)).toBe(true)
  expect(q[0]).toBeCloseTo(3 / 4, 14)
  expect(text.reweight([0, 1], p, q)).toBe(true)
  expect([...q].sort()).toEqual([0, 1])
  const plain = embedder(gumbel(), { key: 'a secret of sixteen bytes', vocabSize: 2, seed: 1 })
  expect(plain.reweight([0], p, q)).toBe(false)
})

test('the claim names the decoder, and others are refused', () => {
  expect(claimOf(permuteAndFlip())).toBe('unbiased for permute-and-flip')
  expect(claimOf(permuteAndFlip({ context: ngram(2, { repeated: 'reuse' }) }))).toContain('permute-and-flip')
  expect(() => defineWatermark({ ...gumbel(), id: 'mine', target: 'greedy' as never })).toThrow(
    "defineWatermark: target: expected 'permute-and-flip', got 'greedy'",
  )
})
