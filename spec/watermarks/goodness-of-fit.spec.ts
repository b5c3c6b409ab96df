/** A goodness-of-fit test of Gumbel scores: the same text, another detector. */
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/index.ts'
import { checkWatermark } from '../../src/gate/laws/entry.ts'
import { describeWatermark } from '../../src/gate/vitest/describe-watermark.ts'
import {
  detect,
  embedder,
  gumbel,
  ngram,
  unigram,
  withGoodnessOfFit,
  withMinimaxScore,
} from '../../src/index.ts'
import type { AnyWatermark } from '../../src/watermark.ts'

const fit = withGoodnessOfFit(gumbel())
const options = { key: 'a secret of sixteen bytes', vocabSize: 200 }

describeWatermark(fit, {
  effort: 'quick',
  laws: ['same key, same result', 'the null law is right', 'detectable'],
})

/** A text of n tokens whose every distribution has most of its mass, but for `delta`, on one token. */
function marked(n: number, delta: number, seed: number, watermark: AnyWatermark = gumbel()): number[] {
  const random = seededRandom(seed)
  const text = embedder(watermark, { ...options, seed })
  const [p, q] = [new Float64Array(200), new Float64Array(200)]
  const tokens: number[] = []
  while (tokens.length < n) {
    p.fill(delta / 199)
    p[random.below(200)] = 1 - delta
    text.reweight(tokens, p, q)
    let u = random.uniform()
    let token = 0
    while (token < 199 && u > q[token]!) u -= q[token++]!
    tokens.push(token)
    text.drew(token, p[token]!)
  }
  return tokens
}

describe('goodness of fit', () => {
  test('finds a mark at low entropy where the sum does not', () => {
    const tokens = marked(1000, 0.02, 7)
    expect(fit.domain).toBe(gumbel().domain)
    const found = detect(fit, tokens, options)
    expect(found).toMatchObject({ exact: true, guaranteed: true, detected: true })
    expect(found.logPValue).toBeLessThan(detect(gumbel(), tokens, options).logPValue / 2)
    const stranger = { ...options, key: 'another secret of sixteen' }
    expect(detect(fit, tokens, stranger).pValue).toBeGreaterThan(1e-3)
  })

  test('a pair of context and token counts once where contexts recur', () => {
    const again = withGoodnessOfFit(gumbel({ context: ngram(2, { repeated: 'reuse' }) }))
    const once = Array.from({ length: 60 }, (_, t) => (7 * t * t) % 200)
    const twice = [...once, ...once]
    const [one, two] = [detect(again, once, options), detect(again, twice, options)]
    // the two contexts across the seam are new
    expect([one.scored, two.scored]).toEqual([58, 60])
    expect(two.perToken.subarray(0, 60)).toEqual(one.perToken)
  })

  test('the law of the null rejects a p-value without the correction for its places', async () => {
    const { detector } = fit
    const mutant: AnyWatermark = {
      ...fit,
      id: 'uncorrected',
      detector: {
        ...detector!,
        test(evidence) {
          const outcome = detector!.test(evidence)
          return { ...outcome, logPValue: 0 - outcome.statistic }
        },
      },
    }
    const [law] = await checkWatermark(mutant, { effort: 'quick', laws: ['the null law is right'] })
    expect(law!.verdict).toBe('fails')
  })

  test('is for Gumbel with own codes; too short a text is no error', () => {
    expect(() => withGoodnessOfFit(unigram({ delta: 2 }) as never)).toThrow(/a Gumbel watermark/)
    expect(() => withGoodnessOfFit(withMinimaxScore(gumbel()))).toThrow(/own codes/)
    expect(() => withGoodnessOfFit(gumbel({ codes: 'vllm' }))).toThrow(/own codes/)
    expect(detect(fit, [1], options)).toMatchObject({ pValue: 1, scored: 0 })
  })
})
