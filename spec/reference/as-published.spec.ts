import { describe, expect, test } from 'vitest'
import { parameter } from '../../src/core/method/parameters.ts'
import { type Detection, deltaReweight, detect, fixed, gumbel, kgw, ngram, synthid } from '../../src/index.ts'
import { shippedMethods } from '../../src/watermarks/entry.ts'
import { gumbel as ownGumbel } from '../../src/watermarks/gumbel.ts'
import type { Exponentials } from '../../src/watermarks/mechanisms/gumbel-max.ts'
import { publishedCodes, withPublished } from '../../src/watermarks/published/published.ts'
import { asPublished, synthidContexts } from '../../src/watermarks/reference.ts'

const facts = ({ id, domain, context }: { id: string; domain: string; context: { id: string } }) => ({
  id,
  domain,
  context: context.id,
})

const published = shippedMethods().flatMap((method) =>
  Object.entries(method.published).map(([implementation, options]) => ({ method, implementation, options })),
)

test('the implementations that are known', () => {
  expect(published.map(({ method, implementation }) => `${method.name} ${implementation}`)).toEqual([
    'dipmark mcmark',
    'dipmark unbiased-watermark',
    'dipmark markllm',
    'dualKeyGumbel vllm',
    'dualKeyGumbel sglang',
    'dualKeyGumbel textseal',
    'expEdit kuditipudi',
    'expEdit kuditipudi-experiments',
    'gammaReweight mcmark',
    'gammaReweight unbiased-watermark',
    'gammaReweight markllm',
    'gumbel vllm',
    'gumbel unbiased-watermark',
    'gumbel three-bricks',
    'gumbel markllm',
    'gumbel vllm-hmac',
    'gumbel sglang',
    'gumbel textseal',
    'itsEdit kuditipudi-experiments',
    'kgw huggingface',
    'kgw tgi',
    'kgw three-bricks',
    'kgw markllm',
    'kgw huggingface-selfhash',
    'kgw lm-watermarking-selfhash',
    'kgw vllm',
    'kgw vllm-sbw',
    'kgw textseal',
    'mcmark mcmark',
    'sta1 mcmark',
    'synthid huggingface',
    'synthid google',
    'synthid llama.cpp',
    'synthid vllm',
    'synthid textseal',
    'unigram markllm',
  ])
})

test.each(published)(
  'asPublished($method.name(), $implementation) is what the option codes does',
  ({ method, implementation, options }) => {
    const decorated = asPublished(method.usual(), implementation)
    expect(facts(decorated)).toEqual(facts(method.usual(options)))
    const tokens = Array.from({ length: 30 }, (_, i) => (7 * i * i) % 50)
    const detection = (watermark: typeof decorated) =>
      detect(watermark, tokens, { key: Uint8Array.of(255, 1), vocabSize: 50, runs: 9 })
    expect(detection(decorated)).toEqual(detection(method.usual(options)))
    const scores = ({ statistic, perToken }: Detection) => ({ statistic, perToken })
    expect(scores(detection(decorated))).not.toEqual(scores(detection(method.usual())))
  },
)

describe('the context rule', () => {
  test('is the usual one of the implementation, or the one that was asked for', () => {
    expect(asPublished(synthid(), 'google').context.id).toBe('ngram(4)')
    expect(asPublished(synthid({ context: ngram(2) }), 'google').context.id).toBe('ngram(2)')
    expect(asPublished(synthid({ context: synthidContexts() }), 'huggingface').id).toBe(
      'synthid(layers=20,codes=reference,context=synthidContexts(ngramLength=5,history=1024))',
    )
  })

  test('must be one token long for the left hash, whatever the rule is called', () => {
    const rule = { ...ngram(1, { repeated: 'reuse' }), id: 'mine' }
    expect(asPublished(kgw({ delta: 2, context: rule }), 'huggingface').context.id).toBe('mine')
    for (const context of [ngram(2), fixed(), ngram(1, { short: true }), { ...ngram(4), id: 'ngram(1)' }])
      expect(() => asPublished(kgw({ delta: 2, context }), 'huggingface')).toThrow(
        /context: expected ngram\(1\): the left hash/,
      )
  })
})

test('SynthID has as many layers as the engine, unless a number was given', () => {
  expect(asPublished(synthid(), 'textseal').id).toBe('synthid(layers=30,codes=textseal)')
  expect(asPublished(synthid(), 'vllm').id).toBe('synthid(layers=32,codes=vllm)')
  expect(asPublished(synthid({ layers: 20 }), 'textseal').id).toBe('synthid(layers=20,codes=textseal)')
})

test('one implementation after the other: the last one counts', () => {
  const google = asPublished(synthid(), 'google')
  expect(asPublished(google, 'huggingface').id).toBe('synthid(layers=20,codes=reference)')
  expect(asPublished(asPublished(google, 'huggingface'), 'google').id).toBe(google.id)
})

test('says what is not known', () => {
  expect(() => asPublished(synthid(), 'gogle')).toThrow(
    "implementation: expected one of huggingface, google, llama.cpp, vllm, textseal for synthid, got 'gogle'; did you mean 'google'?",
  )
  expect(() => asPublished(gumbel(), 'google')).toThrow(
    /expected one of vllm, unbiased-watermark, three-bricks, markllm, vllm-hmac, sglang, textseal for gumbel/,
  )
  expect(() => asPublished(deltaReweight(), 'google')).toThrow(/no published codes of deltaReweight/)
  expect(() => asPublished(synthid(), 'toString')).toThrow(/one of huggingface, google/)
  expect(() => asPublished({ ...synthid(), score: () => 0 }, 'google')).toThrow(/as its method made it/)
})

describe('adding published codes', () => {
  const zeros = (width: number): Exponentials => ({ at: (token) => (token % width) + 1 })
  const one = publishedCodes({
    codes: 'one',
    about: 'the first.',
    parameters: { width: parameter.integer(1, 8, { default: 4 }) },
    implementations: { first: {}, wide: { width: 8 } },
    context: () => ngram(1),
    parts: ({ width }: { width: number }) => ({ draw: () => zeros(width), orbit: undefined }),
  })
  const two = publishedCodes({
    codes: 'two',
    about: 'the second.',
    parameters: {},
    implementations: { second: {} },
    parts: () => ({ draw: () => zeros(2) }),
  })
  const joined = withPublished(ownGumbel, one, two)

  test('is one set of codes, joined with its method', () => {
    expect(joined().id).toBe('gumbel')
    expect(joined().domain).toBe(gumbel().domain)
    expect(facts(joined({ codes: 'one', width: 2 }))).toEqual({
      id: 'gumbel(codes=one,width=2)',
      domain: 'gumbel(codes=one)/ngram(1)',
      context: 'ngram(1)',
    })
    expect(joined({ codes: 'one' }).orbit).toBeUndefined()
    expect(joined({ codes: 'two' }).orbit).toBeDefined()
    expect(asPublished(joined(), 'wide').id).toBe('gumbel(codes=one,width=8)')
    expect(asPublished(joined({ codes: 'one', width: 2 }), 'second').id).toBe('gumbel(codes=two)')
  })

  test('a closed form of own codes is not taken over', () => {
    expect(joined().markedScore).toBeDefined()
    expect(joined({ codes: 'two' }).markedScore).toBeUndefined()
  })

  test('options of some codes are refused without them', () => {
    expect(() => joined({ width: 4 })).toThrow("width: expected none without codes: 'one', got 4")
    expect(() => joined({ codes: 'two', width: 4 })).toThrow('width: expected none')
    // @ts-expect-error no such codes
    expect(() => joined({ codes: 'three' })).toThrow(
      "codes: expected one of 'own', 'one', 'two', got 'three'",
    )
  })
})
