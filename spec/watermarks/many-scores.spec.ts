import { expect, test } from 'vitest'
import { Expansion } from '../../src/keys/random.ts'
import type { ManyScores } from '../../src/watermark.ts'
import { expEdit, gumbel } from '../../src/watermarks/index.ts'

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
