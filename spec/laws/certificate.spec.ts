/** The law of the certificate refuses certificates that promise a little too much, and says when it has nothing to say. */
import { describe, expect, test } from 'vitest'
import { type Certify, certificateHolds, certificateHoldsLaw } from '../../src/gate/laws/certificate-holds.ts'
import { settingsOf, trialOf } from '../../src/gate/laws/check.ts'
import { certifiedDecisionRadius, certifiedScoreRadius } from '../../src/theory/entry.ts'
import { parseWatermark, sta1 } from '../../src/watermarks/entry.ts'
import { law } from '../mutants/mutant.ts'

const trial = () => trialOf({ name: law.certificate }, settingsOf({ effort: 'quick' }))

/** A certificate changed where there is one. */
const altered =
  (certify: Certify, change: (radius: number) => number): Certify =>
  (watermark, tokens, options) => {
    const certificate = certify(watermark, tokens, options)
    return certificate.applicable ? { ...certificate, radius: change(certificate.radius) } : certificate
  }

describe.each([
  'gumbel',
  'dipmark(alpha=0.4)',
  'mcmark(channels=20)',
  'synthid(layers=20)',
  'unigram(delta=2)',
])('%s', (id) => {
  const watermark = parseWatermark(id)
  const byBound = id === 'gumbel' ? [] : [certifiedDecisionRadius]
  const byScores = id.startsWith('unigram') ? [] : [certifiedScoreRadius]
  test.each([...byBound, ...byScores].map((certify) => [certify.name, certify] as const))(
    '%s, one edit too generous, is refused',
    async (_, certify) => {
      const generous = altered(certify, (radius) => (radius < 0 ? radius : radius + 1))
      const result = await certificateHolds([generous]).check(watermark, trial())
      expect(result.verdict).toBe('fails')
      expect(result.counterexample!.path).toMatch(/^(drawn|marked)\//)
      expect((await certificateHolds([certify]).check(watermark, trial())).verdict).toBe('holds')
    },
  )
})

test('a certificate that is never given has nothing to hold', async () => {
  const never = altered(certifiedDecisionRadius, (radius) => Math.min(radius, 0))
  const result = await certificateHolds([never]).check(parseWatermark('kgw(delta=2)'), trial())
  expect(result).toMatchObject({ verdict: 'not applicable' })
  expect(result.detail).toMatch(/^0 of 16 texts of up to 640 tokens can be certified; 4 are needed$/)
})

test('nor is there one where texts are hardly marked', async () => {
  const result = await certificateHoldsLaw.check(sta1({ gamma: 0.003 }), trial())
  expect(result.verdict).toBe('not applicable')
})

test('scan and alignment detectors have none, and the reason is given', async () => {
  for (const [id, reason] of [
    ['christ', /scan/],
    ['expEdit(keyLength=16)', /alignment/],
  ] as const) {
    const result = await certificateHoldsLaw.check(parseWatermark(id), trial())
    expect(result).toMatchObject({ verdict: 'not applicable' })
    expect(result.detail).toMatch(reason)
  }
})
