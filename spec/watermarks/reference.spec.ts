/**
 * Codes as published implementations draw them go through the same laws. They cost a permutation or a hash per layer at each
 * position, so the sampled laws look for a bias of 0.1 rather than 0.02. KGW's code does not pass, and must not: after
 * token 0 every key has the same green list (reports/reference-findings.md).
 */
import { expect, test } from 'vitest'
import { allLaws, checkWatermark } from '../../src/laws/index.ts'
import { describeWatermark } from '../../src/vitest/describe-watermark.ts'
import { dipmark, expEdit, gammaReweight, kgw, mcmark, sta1, synthid } from '../../src/watermarks/index.ts'

const codes = 'reference'
const coarse = { bias: 0.1, miss: 0.01 }
// the slowest law by far; these two draw the same permutations as the others, and their share is checked exactly elsewhere
const withoutNullLaw = allLaws.map(({ name }) => name).filter((name) => name !== 'the null law is right')

describeWatermark(dipmark({ alpha: 0.4, codes }), coarse)
describeWatermark(gammaReweight({ codes }), { ...coarse, laws: withoutNullLaw })
describeWatermark(mcmark({ channels: 20, codes }), coarse)
describeWatermark(sta1({ codes }), { ...coarse, laws: withoutNullLaw })
describeWatermark(synthid({ codes }), coarse)
describeWatermark(synthid({ codes, flavor: 'google' }), coarse)
describeWatermark(expEdit({ keyLength: 64, codes }), coarse)

test('the laws find that the key does not reach every green list of KGW', async () => {
  // In a vocabulary of two, half of the contexts are token 0 and the listed codes are off by about 1/4, which the law sees
  // after less than a hundred of its 700 keys. (The null law is off as well, on texts where a token follows token 0.)
  const laws = ['the orbit is honest']
  const [result] = await checkWatermark(kgw({ delta: 2, codes }), { ...coarse, laws })
  expect(result!.verdict).toBe('fails')
})
