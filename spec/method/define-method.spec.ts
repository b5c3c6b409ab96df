/** A method states its parameters once; its factory, ids, domains and what reads them follow. */
import { describe, expect, test } from 'vitest'
import { isMethod, madeBy, type OptionsOf } from '../../src/core/method/define-method.ts'
import {
  binomial,
  defineMethod,
  deltaReweight,
  fixed,
  gumbel,
  kgw,
  ngram,
  parameter,
  parseWatermark,
  sequence,
  sumDetector,
  synthid,
  unwatermarked,
} from '../../src/index.ts'
import { shippedMethods, shippedWatermarks } from '../../src/watermarks/entry.ts'

const detector = sumDetector({ nullLaw: binomial(1 / 2), bound: 1 })
const parts = {
  unbiased: true,
  draw: () => 0,
  reweight: (p: Float64Array, _: number, q: Float64Array) => q.set(p),
  score: () => 0,
  detector,
}

/** One parameter of each kind. */
const toy = defineMethod('toy', {
  parameters: {
    strength: parameter.number(0, 1, { example: 0.3 }),
    width: parameter.integer(1, 8, { default: 4, shapesCode: true }),
    rate: parameter.number(0, 1, { open: true, default: 0.5, shapesCode: true, shown: false }),
    size: parameter.integer(1, Number.POSITIVE_INFINITY, { default: undefined }),
    length: parameter.integer(1, 99, { default: 9, shown: true }),
    kind: parameter.oneOf(['plain', 'fancy'], { shapesCode: true }),
    leaves: parameter.oneOf([2, 3]),
    context: parameter.context(({ width }: { width: number }) => ngram(width)),
  },
  shipped: [{ strength: 0.1 }, { strength: 1, kind: 'fancy' }],
  small: { width: 1 },
  make: () => parts,
})

describe('ids and domains', () => {
  test('print parameters in order, usual ones left out unless they are always shown', () => {
    expect(toy({ strength: 0.3 }).id).toBe('toy(strength=0.3,width=4,length=9)')
    const all = toy({ strength: 1, rate: 0.1, size: 3, kind: 'fancy', leaves: 3, context: fixed() })
    expect(all.id).toBe(
      'toy(strength=1,width=4,rate=0.1,size=3,length=9,kind=fancy,leaves=3,context=fixed())',
    )
  })

  test('the domain has what shapes the code: numbers always, a choice where it is not the usual one', () => {
    expect(toy({ strength: 0.3 }).domain).toBe('toy(width=4,rate=0.5)/ngram(4)')
    expect(toy({ strength: 1, kind: 'fancy', leaves: 3 }).domain).toBe(
      'toy(width=4,rate=0.5,kind=fancy)/ngram(4)',
    )
  })

  test('the usual context rule may depend on other parameters', () => {
    expect(toy({ strength: 1, width: 2 }).context.id).toBe('ngram(2)')
    expect(toy({ strength: 1, width: 2, context: ngram(2) }).id).toBe('toy(strength=1,width=2,length=9)')
    expect(toy({ strength: 1, width: 2, context: ngram(4) }).id).toMatch(/context=ngram\(4\)/)
  })

  test('a method without the option context brings its own rule', () => {
    const listed = defineMethod('listed', {
      parameters: { length: parameter.integer(1, 99, { default: 9 }) },
      make: ({ length }) => ({ ...parts, detector: undefined, context: sequence({ length }) }),
    })
    expect(listed()).toMatchObject({ id: 'listed', domain: 'listed/sequence(length=9)' })
    expect(() => defineMethod('none', { parameters: {}, make: () => parts })()).toThrow(/context: expected/)
  })
})

describe('the factory', () => {
  test('fills in usual values and refuses values out of range', () => {
    expect(madeBy(toy({ strength: 0.3 }))?.values).toMatchObject({ width: 4, rate: 0.5, kind: 'plain' })
    expect(() => toy({ strength: 2 })).toThrow('strength: expected a number in [0, 1], got 2')
    expect(() => toy({ strength: 1, width: 1.5 })).toThrow('width: expected an integer in [1, 8], got 1.5')
    expect(() => toy({ strength: 1, size: 0 })).toThrow('size: expected an integer of at least 1, got 0')
    expect(() => toy({ strength: 1, rate: 1 })).toThrow('rate: expected a number in (0, 1), got 1')
    expect(() => toy({ strength: 1, context: 'ngram(2)' as never })).toThrow(
      "context: expected a context rule such as ngram(2), got 'ngram(2)'",
    )
    expect(() => toy({ strength: 1, width: null as never })).toThrow('width: expected')
  })

  test('undefined is as good as left out', () => {
    expect(toy({ strength: 0.3, width: undefined }).id).toBe(toy({ strength: 0.3 }).id)
  })

  // each also is an error of the compiler: an unused @ts-expect-error fails `npm run types`
  test('refuses what is misspelt, and says what is meant', () => {
    // @ts-expect-error no such option
    expect(() => kgw({ delta: 2, gama: 0.25 })).toThrow(
      "kgw: unknown option 'gama', expected delta, gamma, detector, codes, flavor, contexts, context; did you mean 'gamma'?",
    )
    // @ts-expect-error no published codes
    expect(() => deltaReweight({ codes: 'reference' })).toThrow(
      "deltaReweight: unknown option 'codes', expected context",
    )
    // @ts-expect-error not these published codes
    expect(() => gumbel({ codes: 'vlm' })).toThrow("codes: expected one of 'own', 'vllm', 'reference'")
    // @ts-expect-error no such detector
    expect(() => synthid({ detector: 'wieghted' })).toThrow(
      "detector: expected one of 'mean', 'weighted', got 'wieghted'; did you mean 'weighted'?",
    )
    // @ts-expect-error no such number of leaves
    expect(() => synthid({ leaves: 4 })).toThrow('leaves: expected one of 2, 3, got 4')
    // @ts-expect-error delta is missing
    expect(() => kgw({})).toThrow(
      'delta: expected a number in [0, 100], got undefined; e.g. kgw({ delta: 2 })',
    )
    // @ts-expect-error options are missing
    expect(() => kgw()).toThrow('e.g. kgw({ delta: 2 })')
    // @ts-expect-error a number is no options
    expect(() => kgw(2)).toThrow(
      'kgw: expected an object of options (delta, gamma, detector, codes, flavor, contexts, context), got a number',
    )
    // @ts-expect-error nothing to set
    expect(() => unwatermarked({ delta: 2 })).toThrow(
      "unwatermarked: unknown option 'delta', expected no options",
    )
  })

  test('literal types are kept', () => {
    const options: OptionsOf<typeof synthid> = { detector: 'weighted', leaves: 3, codes: 'reference' }
    expect(synthid(options).unbiased).toBe(false)
  })
})

describe('what follows from a method', () => {
  test('its usual variant takes the examples, and options on top', () => {
    expect(toy.usual().id).toBe('toy(strength=0.3,width=4,length=9)')
    expect(toy.usual(toy.small).id).toBe('toy(strength=0.3,width=1,length=9)')
    expect(toy.name).toBe('toy')
    expect(isMethod(toy)).toBe(true)
    expect(isMethod(toy.usual())).toBe(false)
  })

  test('rows of the tables are the shipped variants, if it does not say otherwise', () => {
    expect(toy.rows).toBe(toy.shipped)
    expect(gumbel.rows).toEqual([])
    const plain = defineMethod('plain', { parameters: toy.parameters, make: () => parts })
    expect(plain.shipped).toEqual([{ strength: 0.3 }])
  })

  test('a watermark knows its method and options; a copy does not', () => {
    const watermark = kgw({ delta: 2 })
    expect(madeBy(watermark)).toMatchObject({ method: kgw, options: { delta: 2 }, values: { gamma: 0.5 } })
    expect(madeBy({ ...watermark })).toBeUndefined()
  })

  test.each(shippedMethods().map((method) => [method.name, method] as const))('%s ships', (name, method) => {
    const ids = method.shipped.map((options) => method(options).id)
    expect(new Set(ids).size).toBe(ids.length)
    const listed = shippedWatermarks().filter((watermark) => madeBy(watermark)!.method.name === name)
    expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(ids))
    expect(method.usual(method.small).id).toMatch(new RegExp(`^${name}\\b`))
  })
})

describe('parseWatermark', () => {
  const parse = (text: string) => () => parseWatermark(text)

  test('is the inverse of id', () => {
    for (const { id, domain } of shippedWatermarks()) expect(parseWatermark(id)).toMatchObject({ id, domain })
    expect(parseWatermark(' kgw( delta = 2 ) ').id).toBe('kgw(delta=2)')
    const { id } = toy({ strength: 1, kind: 'fancy', context: ngram(2, { repeated: 'reuse' }) })
    expect(parseWatermark(id, [toy]).id).toBe(id)
  })

  test('names what is missing, with an example', () => {
    expect(parse('kgw')).toThrow('kgw needs delta, e.g. kgw(delta=2)')
    expect(parse('kgw(gamma=0.5)')).toThrow('kgw needs delta, e.g. kgw(delta=2)')
    expect(parse('kgw(2)')).toThrow(
      "watermark: expected parameters with their names, such as kgw(delta=2), got 'kgw(2)'",
    )
  })

  test('suggests what is meant', () => {
    expect(parse('dipmak(alpha=0.4)')).toThrow(
      /one of bimark, .*got 'dipmak\(alpha=0\.4\)'; did you mean 'dipmark'\?$/,
    )
    expect(parse('SynthID')).toThrow(/did you mean 'synthid'\?$/)
    expect(parse('kgw(delta=2,alpha=1)')).toThrow(
      /^kgw: unknown parameter 'alpha', expected delta, gamma, detector, codes, flavor, contexts, context$/,
    )
    expect(parse('kgw(delat=2)')).toThrow(/unknown parameter 'delat'.*did you mean 'delta'\?$/)
    expect(parse('gumbel(context=ngrm(2))')).toThrow(
      /context: expected one of ngram.*did you mean 'ngram'\?$/,
    )
    expect(parse('gumbel(context=ngram(2,repeat=reuse))')).toThrow(
      /^ngram: unknown parameter 'repeat', expected repeated, short; did you mean 'repeated'\?$/,
    )
    expect(parse('toString')).toThrow(/one of bimark/)
  })

  test('refuses a parameter that is given twice', () => {
    expect(parse('kgw(delta=1,delta=2)')).toThrow(
      "watermark: expected delta once, got 'kgw(delta=1,delta=2)'",
    )
  })
})
