/** Codes under test are those that the embedder uses, and every class of positions gets its samples. */
import { describe, expect, test } from 'vitest'
import { embedder } from '../../src/core/embed/entry.ts'
import { Expansion, keySchedule, seededRandom } from '../../src/core/keys/index.ts'
import type { ContextRule } from '../../src/core/keys/rule.ts'
import { distributionOf } from '../../src/gate/laws/arbitraries/index.ts'
import { classesOf, keysTest, lanesFor } from '../../src/gate/laws/keys-test.ts'
import { closeLanes, LENGTH, placesOf } from '../../src/gate/laws/positions.ts'
import { freshSeed } from '../../src/gate/laws/seed.ts'
import { tokenSets } from '../../src/gate/laws/token-sets.ts'
import { dipmark, ngram, prefix, sequence } from '../../src/index.ts'
import { dip, race } from '../mutants/bases.ts'
import { changed } from '../mutants/mutant.ts'

const seed = freshSeed()
const trial = { breathe: () => undefined }
const rates = { falseAlarm: 1e-10, miss: 1e-3, bias: 0.1 }

test('lanes cover every position once', () => {
  for (const vocabSize of [2, 1000]) {
    const covered = lanesFor(vocabSize).flatMap(({ slots }) =>
      slots.flatMap(({ from, to, step }) => {
        const list: number[] = []
        for (let t = from; t < to; t += step) list.push(t)
        return list
      }),
    )
    expect(covered.toSorted((a, b) => a - b)).toEqual(Array.from({ length: LENGTH }, (_, t) => t))
  }
})

test.each([ngram(3), sequence({ length: 50 })])(
  '$id: a position is walked to and drawn as the embedder does',
  (context) => {
    const watermark = { ...dipmark({ alpha: 0.4 }), context }
    const vocabSize = 5
    const p = Float64Array.of(0.1, 0.2, 0.3, 0.15, 0.25)
    const places = placesOf(watermark, vocabSize, closeLanes, seededRandom(seed, 'walk'), 0)
    // the same text, by the embedder
    const stream = seededRandom(seed, 'walk')
    const text = embedder(watermark, { key: 'secret', vocabSize, seed: stream.uint32() })
    const tokens: number[] = []
    const schedule = keySchedule('secret', watermark.domain)
    const drawn = new Float64Array(vocabSize)
    let compared = 0
    for (let t = 0; t < 16; t++) {
      const q = new Float64Array(vocabSize)
      const marked = text.reweight(tokens, p, q)
      const at = places[t % 2]![Math.floor(t / 2)]
      expect(at !== undefined).toBe(marked)
      if (at !== undefined) {
        const site = { shared: schedule.shared, context: at, key: schedule.key }
        watermark.reweight(p, watermark.draw(schedule.random(at, new Expansion()), vocabSize, site), drawn)
        expect(drawn).toEqual(q)
        compared++
      }
      const token = stream.below(vocabSize)
      text.drew(token, 1)
      tokens.push(token)
    }
    expect(compared).toBeGreaterThan(10)
  },
)

describe('rules that mark little', () => {
  /** A rule that leaves some positions alone. */
  const only = (isMarked: (t: number, coin: number) => boolean): ContextRule => ({
    ...ngram(2, { repeated: 'reuse' }),
    id: 'some',
    begin(perText) {
      const cursor = ngram(2, { repeated: 'reuse' }).begin(perText)
      const coin = perText.uniform(0)
      return {
        next(tokens) {
          const context = cursor.next(tokens)
          return isMarked(tokens.length, coin) ? context : undefined
        },
      }
    },
  })
  const p = Float64Array.of(0.5, 0.3, 0.2)
  test.each([
    ['5% of the positions', only((t) => t % 20 === 7)],
    ['half of the texts', only((_, coin) => coin < 0.5)],
    ['after a burn-in of 150 tokens', only((t) => t >= 150)],
    ['after surprise', prefix({ entropy: 60 })],
  ])('%s: tested where they mark', async (_, context) => {
    const finding = await keysTest(changed(dip(), { context, detector: undefined }), p, seed, rates, trial)
    expect(finding).toMatchObject({ verdict: 'holds', marked: true })
    const wrong = changed(dip(), {
      context,
      detector: undefined,
      reweight: (given, _code, q) => q.set([given[1]!, given[0]!, given[2]!]),
    })
    expect((await keysTest(wrong, p, seed, rates, trial)).verdict).toBe('fails')
  })
  test.each([
    ['holds', {}],
    ['fails', { reweight: (given, _code, q) => q.set([given[1]!, given[0]!, given[2]!]) }],
  ] as const satisfies [string, Partial<ReturnType<typeof dip>>][])(
    'the first three texts and no more: it ends, and %s',
    async (verdict, change) => {
      let texts = 0
      const context: ContextRule = {
        ...ngram(2),
        begin: (perText) => (texts++ < 3 ? ngram(2).begin(perText) : { next: () => undefined }),
      }
      const watermark = changed(dip(), { ...change, context, detector: undefined })
      expect(await keysTest(watermark, p, seed, rates, trial)).toMatchObject({ verdict, marked: true })
    },
  )
  test('nothing at all: there is nothing to test', async () => {
    const finding = await keysTest(changed(dip(), { context: only(() => false) }), p, seed, rates, trial)
    expect(finding).toMatchObject({ verdict: undefined, marked: false, taken: 0 })
  })
})

test('a rule sees texts that surprise a model, and texts that do not', () => {
  const probabilities = new Set<number>()
  const rule: ContextRule = {
    ...ngram(1),
    begin: (perText) => ({
      next: (tokens) => ngram(1).begin(perText).next(tokens),
      drew: (_, probability) => probabilities.add(probability),
    }),
  }
  const stream = seededRandom(seed)
  for (const turn of [0, 1]) placesOf({ context: rule }, 4, closeLanes, stream, turn)
  expect([...probabilities]).toEqual([2 ** -40, 1 / 4])
})

test('a point mass stays one, or fails at once', async () => {
  const p = Float64Array.of(0, 1)
  expect((await keysTest(dip(), p, seed, rates, trial)).verdict).toBe('holds')
  const wrong = changed(dip(), { reweight: (_, __, q) => q.set([1e-9, 1 - 1e-9]) })
  await expect(keysTest(wrong, p, seed, rates, trial)).rejects.toThrow('q gives 1.00e-9 to tokens')
})

test('what is promised at each size, by the engine', () => {
  for (const [vocabSize, bias] of [
    [1000, 0.03],
    [50_257, 0.15],
  ] as const) {
    const { means, rounding } = tokenSets(
      distributionOf({ shape: 'zipf', vocabSize, exponent: 1, order: 1 }),
      1,
    )
    const { classes } = classesOf(means, lanesFor(vocabSize), { ...rates, bias }, rounding)
    // 32 / bias^2 keys at the most: false alarm and miss together
    expect(classes[0]!.keys * bias ** 2).toBeGreaterThan(25)
    expect(classes[0]!.keys * bias ** 2).toBeLessThan(40)
    // a quarter of the keys for each of four classes of positions: twice the bias
    expect(classes[1]!.bias / bias).toBeGreaterThan(1.8)
    expect(classes[1]!.bias / bias).toBeLessThan(2.4)
    expect(classes.reduce((sum, { share }) => sum + share, 0)).toBeLessThanOrEqual(3 / 4 + 1e-12)
  }
})

test('the failing set is told in words, with its masses', async () => {
  const p = distributionOf({ shape: 'zipf', vocabSize: 400, exponent: 1, order: 0 })
  const top = changed(race(), {
    choose: (given, { u }) => {
      let best = 0
      for (let i = 1; i < 50; i++)
        if (-Math.log(u(i)) / given[i]! < -Math.log(u(best)) / given[best]!) best = i
      return best
    },
  })
  // a smaller false alarm takes more keys: by then a set at the cut leads, whichever keys were drawn
  const finding = await keysTest(top, p, seed, { ...rates, falseAlarm: 1e-40 }, trial)
  expect(finding.verdict).toBe('fails')
  const words =
    /^(?:tokens outside the|ids from) (\d+) (?:most probable|on) \(p (\S+), mean of q (\S+)\), at /
  const [, from, mass, mean] = words.exec(finding.where)!.map(Number)
  // ids are in order of probability: either set is that of the ids from there on
  expect(mass).toBeCloseTo(
    p.subarray(from).reduce((sum, x) => sum + x, 0),
    2,
  )
  expect(mean).toBeLessThan(mass! / 2)
})
