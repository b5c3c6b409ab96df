/**
 * Codes as published implementations draw them go through the same laws. They cost a permutation or a hash per layer at each
 * position, so the sampled laws look for a bias of 0.1 rather than 0.02, at the quick effort: what is theirs alone are hashes and
 * permutations; what is done with them is that of methods gated with the usual effort. KGW's code does not pass, and must not: after
 * token 0 every key has the same green list (reports/reference-findings.md).
 */
import { expect, test } from 'vitest'
import { allLaws, checkWatermark } from '../../src/gate/laws/entry.ts'
import { describeWatermark } from '../../src/gate/vitest/describe-watermark.ts'
import { gumbel, kgw, shippedMethods } from '../../src/watermarks/entry.ts'
import { asPublished } from '../../src/watermarks/reference.ts'

const coarse = { bias: 0.1, miss: 0.01, effort: 'quick' } as const
// a layer of synthid is hashed as every other one
const settings: Readonly<Record<string, object>> = {
  expEdit: { keyLength: 64 },
  itsEdit: { keyLength: 64 },
  synthid: { layers: 8 },
}
// the slowest law by far; these two draw the same permutations as the others, and their share is checked exactly elsewhere
const withoutNullLaw = ['gammaReweight', 'sta1']
const otherLaws = allLaws.map(({ name }) => name).filter((name) => name !== 'the null law is right')

// the same draws as others with other seeds: what is new shows in the exact laws, and in texts of the implementations themselves
const seededOtherwise = ['unbiased-watermark', 'markllm', 'three-bricks', 'kuditipudi-experiments']
const exactLaws = [
  'reweight gives a distribution',
  'same key, same result',
  'unbiased, exactly',
  'detectable',
]

// the hash of TextSeal has 8,191 values: the bias shows on thousands of tokens (spec/reference/engine-marks.spec.ts), not on the few of this effort
const lawsOfFewTokens = allLaws.map(({ name }) => name).filter((name) => name !== 'shown biased')

for (const method of shippedMethods().filter(({ name }) => name !== kgw.name))
  for (const implementation of Object.keys(method.published))
    describeWatermark(asPublished(method.usual(settings[method.name]), implementation), {
      ...coarse,
      ...(withoutNullLaw.includes(method.name) && { laws: otherLaws }),
      ...(seededOtherwise.includes(implementation) && { laws: exactLaws }),
      ...(implementation === 'textseal' && { laws: lawsOfFewTokens }),
    })

test('the laws find contexts of MarkLLM that share a seed, unless the declaration says so', async () => {
  const watermark = asPublished(gumbel(), 'markllm')
  expect(watermark.context.sharesCodes).toBe(true)
  const { sharesCodes: _, ...context } = watermark.context
  // modulo 16 most products are 0, whose seed no key changes: which pairs of contexts show it is a matter of the seed
  let refused = false
  for (let seed = 0; seed < 12 && !refused; seed++) {
    const [result] = await checkWatermark(
      { ...watermark, context },
      { laws: ['same key, same result'], seed },
    )
    refused = result!.verdict === 'fails'
  }
  expect(refused).toBe(true)
})

test('the laws find that the key does not reach every green list of KGW', async () => {
  // In a vocabulary of two, half of the contexts are token 0 and the listed codes are off by about 1/4, which the law sees
  // after less than a hundred of its 700 keys. (The null law is off as well, on texts where a token follows token 0.)
  const laws = ['the orbit is honest']
  const [result] = await checkWatermark(kgw({ delta: 2, codes: 'reference' }), {
    ...coarse,
    effort: 'usual',
    laws,
  })
  expect(result!.verdict).toBe('fails')
})
