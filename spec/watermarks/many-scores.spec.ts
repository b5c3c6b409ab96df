import { expect, test } from 'vitest'
import { Expansion } from '../../src/keys/random.ts'
import type { ManyScores } from '../../src/watermark.ts'
import { christ, expEdit, gumbel } from '../../src/watermarks/index.ts'

test.each([
  ['gumbel', gumbel(), 'own'],
  ['expEdit', expEdit(), 'own'],
  ['expEdit with published codes', expEdit({ codes: 'reference' }), 'reference'],
])('%s: many scores are the scores of each', (_, watermark, codes) => {
  const { many } = watermark.score as ManyScores<unknown>
  const random = new Expansion([1, 2, 3, 4])
  const key = codes === 'own' ? new Uint8Array(1) : new TextEncoder().encode('42')
  const code = watermark.draw(random, 5000, { shared: random, context: [3], key })
  const tokens = Int32Array.from({ length: 301 }, (_, i) => (i * 16) % 5000)
  const out = new Float64Array(tokens.length)
  many!(tokens, code, out)
  for (const [i, token] of tokens.entries()) {
    const one = watermark.score(token, code)
    expect(Math.abs(out[i]! - one)).toBeLessThanOrEqual(4 * Number.EPSILON * one)
  }
})

test.each([1, 2, 3, 1000, 50257, 2 ** 23])('christ: scores under codes of their own, %i ids', (vocabSize) => {
  const { draw, score } = christ()
  const { each } = score as ManyScores<unknown>
  const site = { shared: new Expansion([1, 2, 3, 4]), context: [], key: new Uint8Array(1) }
  const code = (i: number) => draw(new Expansion([i, vocabSize, 3, 4]), vocabSize, site)
  const tokens = Int32Array.from({ length: 301 }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 9).map(
    (id) => id % vocabSize,
  )
  const out = new Float64Array(tokens.length)
  each!(tokens, code, out)
  // sums of up to 23 logarithms, and 1 - u near 1
  for (const [i, token] of tokens.entries())
    expect(Math.abs(out[i]! - score(token, code(i)))).toBeLessThanOrEqual(1e-14 * (1 + out[i]!))
})

test('christ: codes that are listed rather than drawn', () => {
  const { score } = christ()
  const { each } = score as ManyScores<unknown>
  const codes = [0.1, 0.2, 0.9].map((u) => ({ at: () => u, vocabSize: 4 }))
  const out = new Float64Array(3)
  each!([0, 3, 2], (i) => codes[i]!, out)
  expect([...out]).toEqual([0, 3, 2].map((token, i) => score(token, codes[i]!)))
})
