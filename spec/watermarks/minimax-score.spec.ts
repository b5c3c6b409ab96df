/** The score of Gumbel for low entropy: the same text, another detector. */
import { describe, expect, test } from 'vitest'
import { lawFor } from '../../src/core/detect/null-laws.ts'
import { seededRandom } from '../../src/core/keys/index.ts'
import { describeWatermark } from '../../src/gate/vitest/describe-watermark.ts'
import { detect, embedder, gumbel, ngram, unigram, withMinimaxScore } from '../../src/index.ts'
import { tokensNeeded } from '../../src/theory/entry.ts'

const half = withMinimaxScore(gumbel(), { delta: 0.1 })

describeWatermark(half, {
  effort: 'quick',
  laws: ['same key, same result', 'the null law is right', 'detectable', 'drift'],
})

describe('the minimax score', () => {
  test('has the law of its thresholds: a score is at least s where u is at least T_s', () => {
    const law = lawFor(half.detector!.nullLaw!, 2)
    // exponentials that give u = k / 1024: the share of each score is its mass, to one place in 1024
    const counts = new Float64Array(256)
    for (let k = 0; k < 1024; k++)
      counts[half.score(0, { at: () => -Math.log((k + 0.5) / 1024) })]! += 1 / 1024
    let [tail, mean] = [0, 0]
    for (let s = 255; s > 0; s--) {
      tail += counts[s]!
      mean += tail
      expect(Math.abs(tail - Math.exp(law.logTail(s, 1)))).toBeLessThan(1.01 / 1024)
    }
    expect(Math.abs(mean / law.mean - 1)).toBeLessThan(0.01)
  })

  test('needs half of the tokens at (0.99, 0.01): 3,136', () => {
    const p = Float64Array.of(0.99, 0.01)
    const needed = tokensNeeded(withMinimaxScore(gumbel(), { delta: 0.01 }), p, 0.01, 0.9)
    expect(needed).toMatchObject({ applicable: true, exact: true, low: 3136, high: 3136 })
  })

  test('reads texts that were marked before', () => {
    const options = { key: 'a secret of sixteen bytes', vocabSize: 200 }
    const text = embedder(gumbel(), { ...options, seed: 1 })
    const random = seededRandom(4)
    const [p, q] = [new Float64Array(200).fill(1 / 200), new Float64Array(200)]
    const tokens: number[] = []
    while (tokens.length < 60) {
      const isMarked = text.reweight(tokens, p, q)
      tokens.push(isMarked ? q.indexOf(1) : random.below(200))
      text.drew(tokens.at(-1)!, 1 / 200)
    }
    expect(half.domain).toBe(gumbel().domain)
    expect(detect(half, tokens, options).pValue).toBeLessThan(1e-6)
    expect(detect(half, tokens, { ...options, key: 'another secret of sixteen' }).pValue).toBeGreaterThan(
      1e-3,
    )
  })

  test('is for Gumbel with fresh contexts', () => {
    expect(() => withMinimaxScore(unigram({ delta: 2 }) as never)).toThrow(/a Gumbel watermark/)
    expect(() => withMinimaxScore(gumbel({ context: ngram(2, { repeated: 'reuse' }) }))).toThrow(
      /each context once/,
    )
    expect(() => withMinimaxScore(gumbel(), { delta: 0.7 })).toThrow(/delta: expected/)
  })
})
