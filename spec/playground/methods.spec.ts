/** The form of the playground follows from the declarations. */
import { describe, expect, test } from 'vitest'
import { choicesOf, watermarkOf } from '../../src/cli/playground/browser/methods.ts'
import {
  binomial,
  defineMethod,
  kgw,
  ngram,
  parameter,
  parseWatermark,
  shippedMethods,
  sumDetector,
} from '../../src/index.ts'

const isGreen = (token: number, random: { uint32(i: number): number }) => random.uint32(token) >>> 31
const mine = defineMethod('mine', {
  parameters: {
    strength: parameter.number(0, 1, { example: 0.5 }),
    side: parameter.oneOf(['upper', 'lower']),
    context: parameter.context(() => ngram(2)),
  },
  make: () => ({
    unbiased: false,
    draw: (random) => random,
    reweight: (p, _, q) => q.set(p),
    score: isGreen,
    detector: sumDetector({ nullLaw: binomial(1 / 2), bound: 1 }),
  }),
})

const shipped = choicesOf({})
const names = (choices: typeof shipped) => choices.map(({ info }) => info.name)

describe('choices', () => {
  test('every shipped method with a detector, with its defaults', () => {
    const detected = shippedMethods().filter((method) => method.usual().detector !== undefined)
    expect(names(shipped)).toEqual(detected.map(({ name }) => name))
    for (const method of detected)
      expect(watermarkOf(shipped, { method: method.name, values: {}, key: '', message: '' }).id).toBe(
        method.usual().id,
      )
  })

  test('fields show the defaults of the method', () => {
    for (const { info, make } of shipped) {
      const values = Object.fromEntries(info.parameters.map(({ name, initial }) => [name, initial]))
      expect(make(values).id, info.name).toBe(make({}).id)
    }
  })

  test('parameters are fields, but for contexts and published codes', () => {
    const [synthid] = shipped.filter(({ info }) => info.name === 'synthid')
    expect(synthid!.info.parameters.map(({ name }) => name)).toEqual(['layers', 'leaves', 'detector'])
    expect(synthid!.info.parameters[2]).toEqual({
      name: 'detector',
      expected: "one of 'mean', 'weighted'",
      initial: 'mean',
      options: ['mean', 'weighted'],
    })
    const values = { layers: '8', leaves: '3', detector: 'mean' }
    expect(synthid!.make(values).id).toBe(parseWatermark('synthid(layers=8,leaves=3)').id)
  })

  test('wrong values are refused with what is expected', () => {
    const chosen = (delta: string) => ({ method: 'kgw', values: { delta }, key: '', message: '' })
    expect(watermarkOf(shipped, chosen('1.5')).id).toBe(kgw({ delta: 1.5 }).id)
    expect(() => watermarkOf(shipped, chosen('-1'))).toThrow(/delta: expected/)
    expect(() => watermarkOf(shipped, chosen('much'))).toThrow(/delta: expected/)
    expect(() => watermarkOf(shipped, { method: 'no', values: {}, key: '', message: '' })).toThrow("got 'no'")
  })

  test("the user's own come first: methods with their fields, watermarks as they are", () => {
    const own = choicesOf({ mine, one: kgw({ delta: 3 }), other: 7, helper: () => 1 })
    expect(names(own).slice(0, 2)).toEqual(['mine', kgw({ delta: 3 }).id])
    expect(names(own).slice(2)).toEqual(names(shipped))
    expect(own[0]!.info).toMatchObject({ own: true, claim: 'biased' })
    expect(own[0]!.info.parameters.map(({ name, initial }) => [name, initial])).toEqual([
      ['strength', '0.5'],
      ['side', 'upper'],
    ])
    expect(own[0]!.make({ strength: '0.25', side: 'lower' }).id).toBe('mine(strength=0.25,side=lower)')
  })
})
