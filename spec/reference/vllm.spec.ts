import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/index.ts'
import { logTwoGammasTail } from '../../src/core/stats/log-two-gammas-tail.ts'
import { detect, dualKeyGumbel, embedder, gumbel, parseWatermark } from '../../src/index.ts'
import { allEdits, applyEdit, scoresChanged } from '../../src/theory/entry.ts'
import { EXCESS, leastScore } from '../../src/watermarks/published/codes/uniforms.ts'
import { vllmUniform } from '../../src/watermarks/published/codes/vllm.ts'
import { asPublished, philoxWord, vllmContexts, vllmKey, vllmSubkey } from '../../src/watermarks/reference.ts'

interface Found {
  readonly scored: number
  readonly score: number
  readonly p: number
}

const { gumbel_texts: texts } = JSON.parse(
  readFileSync(new URL('../../fixtures/reference/vllm-philox.json', import.meta.url), 'utf8'),
) as {
  gumbel_texts: {
    key: string
    vocab: number
    context_width: number
    tokens: number[]
    detected: Found
    unmarked_tokens: number[]
    unmarked_detected: Found
  }[]
}

const codes = 'vllm'
const all = () => false
const M = 2 ** 24

describe('gumbel with the codes of vLLM', () => {
  const bytesOf = (key: string) => {
    const bytes = new Uint8Array(8)
    new DataView(bytes.buffer).setBigUint64(0, BigInt(key))
    return bytes
  }

  test.each(texts)('finds what vLLM finds: key $key, $vocab tokens', (text) => {
    const watermark = gumbel({ codes, context: vllmContexts({ width: text.context_width }) })
    for (const [tokens, found] of [
      [text.tokens, text.detected],
      [text.unmarked_tokens, text.unmarked_detected],
    ] as const)
      for (const key of [text.key, vllmKey(BigInt(text.key)), bytesOf(text.key)]) {
        const { scored, statistic, pValue } = detect(watermark, tokens, { key, vocabSize: text.vocab })
        expect(scored).toBe(found.scored)
        expect(Math.abs(statistic - found.score)).toBeLessThan(1e-9)
        expect(Math.abs(pValue / found.p - 1)).toBeLessThan(1e-6)
        // what 24 bits may add is taken off
        expect(pValue).toBeGreaterThanOrEqual(found.p * (1 - 1e-12))
      }
  })

  test('is asked for by name, and its id is read back', () => {
    expect(gumbel({ codes }).id).toBe('gumbel(codes=vllm)')
    expect(gumbel({ codes }).context.id).toBe('vllmContexts(width=4,history=8192)')
    expect(asPublished(gumbel(), 'vllm').domain).toBe(gumbel({ codes }).domain)
    const wide = gumbel({ codes, context: vllmContexts({ width: 8, history: 0 }) })
    expect(parseWatermark(wide.id).id).toBe(wide.id)
  })

  test('marks as vLLM does: the largest logit - ln(-ln u)', () => {
    const [vocabSize, stream] = [300, seededRandom(1, 'vllm')]
    const text = embedder(gumbel({ codes }), { key: '42', vocabSize, seed: 1 })
    const [p, q] = [new Float64Array(vocabSize), new Float64Array(vocabSize)]
    const prompt = [5, 6, 7]
    const tokens: number[] = []
    for (let step = 0; step < 12; step++) {
      const logits = Array.from({ length: vocabSize }, () => 4 * stream.uniform())
      const total = logits.reduce((sum, logit) => sum + Math.exp(logit), 0)
      for (const [i, logit] of logits.entries()) p[i] = Math.exp(logit) / total
      text.reweight([...prompt, ...tokens], p, q)
      const context = [-1, -1, -1, -1, ...tokens].slice(-4)
      const race = logits.map(
        (logit, token) => logit - Math.log(-Math.log(vllmUniform(philoxWord({ key: 42n, context, token })))),
      )
      const token = race.indexOf(Math.max(...race))
      expect(q[token]).toBe(1)
      tokens.push(token)
      text.drew(token, p[token]!)
    }
  })
})

describe('24 bits', () => {
  // All 2^24 uniforms: v = 1 - u has P(v <= j / M) <= j / M once the score is lowered, so P(score >= s) <= e^-s for every s.
  test('no lowered score exceeds -ln(j / M), over every mantissa; the excess is tight', () => {
    let most = 0
    let above = 0
    for (let mantissa = 0; mantissa < M; mantissa++) {
      const u = vllmUniform(mantissa * 256)
      const score = -Math.log(1 - u)
      const place = -Math.log((M - mantissa) / M)
      if (leastScore(score) > place + 4e-16 * Math.max(1, place)) above++
      most = Math.max(most, score - place)
    }
    expect(above).toBe(0)
    expect(most).toBeLessThanOrEqual(EXCESS)
    expect(most).toBeGreaterThan(0.9 * EXCESS)
  })

  test('u lies in (0, 1) at both ends', () => {
    expect(vllmUniform(0)).toBeGreaterThan(0)
    expect(vllmUniform(2 ** 32 - 1)).toBe(1 - 2 ** -24)
  })
})

describe('the contexts of vLLM', () => {
  test('are padded with -1, whatever the prompt, and used once', () => {
    const cursor = vllmContexts({ width: 2 }).begin(undefined as never)
    const seen = [[9], [9, 1], [9, 1, 2], [9, 1, 2, 1], [9, 1, 2, 1, 2]].map((tokens) => cursor.next(tokens))
    expect(seen).toEqual([[-1, -1], [-1, 1], [1, 2], [2, 1], undefined])
    expect(vllmContexts({ width: 2 }).scored([1, 2, 1, 2, 3], all)).toEqual([
      [-1, -1],
      [-1, 1],
      [1, 2],
      [2, 1],
      undefined,
    ])
  })

  test('generation forgets after its history, detection never does', () => {
    const rule = vllmContexts({ width: 1, history: 2 })
    const cursor = rule.begin(undefined as never)
    const text = [1, 2, 3, 1]
    const marked = [0, 1, 2, 3, 4].map((t) => cursor.next(text.slice(0, t)) !== undefined)
    expect(marked).toEqual([true, true, true, true, true])
    expect(rule.scored([...text, 5], all).map((context) => context !== undefined)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ])
    expect(rule.freshUpTo).toBe(2)
    const none = vllmContexts({ width: 1, history: 0 }).begin(undefined as never)
    expect([[1], [1, 1], [1, 1, 1]].map((tokens) => none.next(tokens))).toEqual([[-1], [1], [1]])
  })

  test('one edit reaches as far as it says', () => {
    const tokens = fc.array(fc.nat(3), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(tokens, fc.integer({ min: 1, max: 3 }), (text, width) => {
        const rule = vllmContexts({ width })
        for (const edit of allEdits(text, [0, 1, 9])) {
          const { lost, gained } = scoresChanged(rule, text, applyEdit(text, edit))
          expect(Math.max(lost, gained)).toBeLessThanOrEqual(rule.reach)
        }
      }),
    )
  })

  test('names a wrong option', () => {
    expect(() => vllmContexts({ width: 0 })).toThrow(/width/)
    expect(() => vllmContexts({ history: -1 })).toThrow(/history/)
  })
})

describe('dualKeyGumbel with the codes of vLLM', () => {
  test('scores 0.9 s_A + 0.1 s_B under the two derived keys, with an exact p-value', () => {
    const [key, tokens] = [11575822347669802769n, texts[0]!.unmarked_tokens]
    const { statistic, scored, pValue, perToken } = detect(dualKeyGumbel({ codes }), tokens, {
      key: vllmKey(key),
      vocabSize: 1000,
    })
    const score = (name: 'key_a' | 'key_b', t: number): number => {
      const context = [-1, -1, -1, -1, ...tokens.slice(0, t)].slice(-4)
      const word = philoxWord({ key: vllmSubkey(key, name), context, token: tokens[t]! })
      return -Math.log(1 - vllmUniform(word))
    }
    let expected = 0
    for (const [t, one] of perToken.entries()) {
      if (Number.isNaN(one)) continue
      const both = 0.9 * score('key_a', t) + 0.1 * score('key_b', t)
      expect(Math.abs(one - both)).toBeLessThan(1e-12)
      expected += both
    }
    expect(Math.abs(statistic - expected)).toBeLessThan(1e-9)
    const exact = Math.exp(logTwoGammasTail(expected, scored, 0.9, 0.1))
    expect(pValue / exact).toBeGreaterThan(1)
    expect(pValue / exact).toBeLessThan(1 + 1e-5)
  })

  test('each key wins as often as alpha says', () => {
    const q = new Float64Array(50)
    const p = new Float64Array(50).fill(1 / 50)
    embedder(dualKeyGumbel({ alpha: 0.25, codes }), { key: '42', vocabSize: 50 }).reweight([], p, q)
    expect([...q].filter((mass) => mass > 0).sort()).toEqual([0.25, 0.75])
  })
})
