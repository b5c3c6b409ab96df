import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detect } from '../../src/core/detect/detect.ts'
import { binomial } from '../../src/core/detect/null-laws.ts'
import { fixed } from '../../src/core/keys/fixed.ts'
import { ngram } from '../../src/core/keys/ngram.ts'
import { beamAttack, exhaustiveAttack } from '../../src/theory/adversary.ts'
import { certifiedDecisionRadius, certifiedRadius } from '../../src/theory/certified-radius.ts'
import { applyEdit } from '../../src/theory/edits.ts'
import { keyedDetector } from '../../src/theory/keyed-detector.ts'
import { certificateLaw, reachLaw } from '../../src/theory/robustness-laws.ts'
import { certifiedScoreRadius } from '../../src/theory/score-certificate.ts'
import {
  type AnyWatermark,
  christ,
  expEdit,
  gumbel,
  itsEdit,
  kgw,
  mcmark,
  synthid,
  unigram,
  unwatermarked,
} from '../../src/watermarks/entry.ts'
import { scoredBy, writeText } from '../theorems/texts.ts'
import { detectableWatermarks } from '../watermarks/shipped.ts'

const vocabSize = 40
const flat = new Float64Array(vocabSize).fill(1 / vocabSize)
const options = { key: 'secret', vocabSize, alpha: 0.05 }

describe('certifiedDecisionRadius', () => {
  test.each<[AnyWatermark, RegExp]>([
    [gumbel(), /unbounded/],
    [christ(), /scan/],
    [expEdit({ keyLength: 16 }), /alignment/],
    [itsEdit({ keyLength: 16 }), /alignment/],
    [unwatermarked(), /no detector/],
  ])('says that it is not applicable, and why', (watermark, reason) => {
    const certificate = certifiedDecisionRadius(watermark, [1, 2, 3], options)
    expect(certificate.applicable).toBe(false)
    expect(certificate.applicable ? '' : certificate.reason).toMatch(reason)
  })

  test('is -1 for a text that is not detected', () => {
    const certificate = certifiedDecisionRadius(kgw({ delta: 2 }), [1, 2, 3, 4, 5], options)
    expect(certificate).toMatchObject({ applicable: true, radius: -1, region: 5, bound: 1 })
  })

  test('grows with the length of the text', () => {
    const radius = (length: number) => {
      const tokens = writeText(mcmark({ channels: 10 }), flat, length, 'secret', 1)
      const certificate = certifiedDecisionRadius(mcmark({ channels: 10 }), tokens, options)
      return certificate.applicable ? certificate.radius : Number.NaN
    }
    const radii = [20, 60, 120].map(radius)
    expect(radii[0]).toBeLessThan(radii[1]!)
    expect(radii[1]).toBeLessThan(radii[2]!)
  })
})

describe('certifiedScoreRadius', () => {
  test('certifies gumbel, whose scores have no bound', () => {
    const tokens = writeText(gumbel(), flat, 60, 'secret', 1)
    const certificate = certifiedScoreRadius(gumbel(), tokens, options)
    expect(certificate).toMatchObject({ applicable: true, region: 5, bound: Number.POSITIVE_INFINITY })
    expect(certificate.applicable ? certificate.radius : -1).toBeGreaterThan(1)
  })

  test.each<[AnyWatermark, RegExp]>([
    [christ(), /scan/],
    [unigram({ delta: 2 }), /share their score/],
    [unwatermarked(), /no detector/],
  ])('says that it is not applicable, and why', (watermark, reason) => {
    const certificate = certifiedScoreRadius(watermark, [1, 2, 3], options)
    expect(certificate.applicable ? '' : certificate.reason).toMatch(reason)
  })
})

test('certifiedRadius is the largest b with S - tau > b R B', () => {
  const radius = (statistic: number) => certifiedRadius({ statistic, threshold: 14, region: 3, bound: 1 })
  expect([13, 14, 15, 17, 18, 20, 21].map(radius)).toEqual([-1, 0, 0, 0, 1, 1, 2])
})

describe('the laws of robustness', () => {
  const edit = fc.oneof(
    fc.record({ kind: fc.constant('substitution' as const), at: fc.nat(59), token: fc.nat(39) }),
    fc.record({ kind: fc.constant('insertion' as const), at: fc.nat(59), token: fc.nat(39) }),
    fc.record({ kind: fc.constant('deletion' as const), at: fc.nat(59) }),
  )

  test.each(detectableWatermarks().map((w) => [w.id, w] as const))('hold for %s', (_, watermark) => {
    const tokens = writeText(watermark, flat, 60, 'secret', 3)
    const finite = Number.isFinite(watermark.context.reach)
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 8 }), (edits) => {
        expect(reachLaw(watermark, tokens, edits[0]!).verdict).toBe(finite ? 'holds' : 'not applicable')
        expect(certificateLaw(watermark, tokens, edits, options).verdict).not.toBe('fails')
      }),
      { numRuns: 30 },
    )
  })

  test('reject a rule that declares n + 1 under the repeated-context rule', () => {
    const rule = { ...ngram(1), reach: 2 }
    const watermark = scoredBy(rule, binomial(1 / 2), () => 1)
    const outcome = reachLaw(watermark, [3, 1, 0, 4, 2, 0], { kind: 'substitution', at: 2, token: 4 })
    expect(outcome).toMatchObject({ verdict: 'fails' })
    expect(outcome.detail).toMatch(/takes 3 scores .* reach of 2/)
  })
  test('a reach of nothing at all is no certificate', () => {
    for (const rule of [fixed(), ngram(1)]) {
      const watermark = { ...unigram({ delta: 2 }), context: { ...rule, reach: 0 } }
      expect(() => certifiedDecisionRadius(watermark, [3, 1, 0, 4], options)).toThrow(
        'region: expected an integer in [1, 134217728], got 0',
      )
    }
  })

  test('a detector whose declared bound is too small certifies nothing: detection itself is an error', () => {
    // scores of 4 declared as at most 1: one edit would lose more than was certified
    const tokens = Array.from({ length: 30 }, (_, i) => i)
    const own = new Set(tokens.slice(1).map((t) => `${t - 1}|${t}`))
    const watermark = scoredBy(ngram(1), binomial(1 / 2, { trials: 5 }), (token, context) =>
      own.has(`${context}|${token}`) ? 4 : 0,
    )
    const edits = [4, 8, 12, 16, 20].map((at, i) => ({ kind: 'substitution' as const, at, token: 30 + i }))
    expect(() => certificateLaw(watermark, tokens, edits, options)).toThrow(
      'score of token 1 at 1: expected a number in [0, 1], got 4',
    )
  })
})

test('keyedDetector says what detect says', () => {
  const watermark = synthid({ layers: 5 })
  const tokens = writeText(watermark, flat, 50, 'secret', 9)
  const { detected, statistic, logPValue, scored } = detect(watermark, tokens, options)
  expect(keyedDetector(watermark, options).detect(tokens)).toMatchObject({
    detected,
    statistic,
    logPValue,
    scored,
  })
})

describe('adversaries', () => {
  const watermark = mcmark({ channels: 2 })
  const small = { key: 'secret', vocabSize: 5, alpha: 0.05 }
  const even = new Float64Array(5).fill(1 / 5)

  test('an exhaustive one is never worse than a search, and both end with a text that is not detected', () => {
    for (let seed = 0; seed < 8; seed++) {
      const tokens = writeText(watermark, even, 18, 'secret', seed)
      const best = exhaustiveAttack(watermark, tokens, { ...small, most: 2 })
      const search = beamAttack(watermark, tokens, { ...small, most: 2, width: 3, candidates: 5 })
      if (search.edits !== undefined) expect(best.edits).toBeLessThanOrEqual(search.edits)
      if (best.edits !== undefined) expect(detect(watermark, best.tokens, small).detected).toBe(false)
    }
  })

  test('do nothing to a text that is not detected, and say when they fail', () => {
    expect(exhaustiveAttack(watermark, [0, 1], { ...small, most: 2 }).edits).toBe(0)
    expect(beamAttack(watermark, [0, 1], { ...small, most: 2 }).edits).toBe(0)
    const tokens = writeText(mcmark({ channels: 10 }), flat, 60, 'secret', 3)
    expect(
      beamAttack(mcmark({ channels: 10 }), tokens, { ...options, most: 1, width: 1 }).edits,
    ).toBeUndefined()
  })
})

test('applyEdit substitutes, inserts, deletes', () => {
  expect(applyEdit([1, 2, 3], { kind: 'substitution', at: 1, token: 9 })).toEqual([1, 9, 3])
  expect(applyEdit([1, 2, 3], { kind: 'insertion', at: 3, token: 9 })).toEqual([1, 2, 3, 9])
  expect(applyEdit([1, 2, 3], { kind: 'deletion', at: 0 })).toEqual([2, 3])
})
