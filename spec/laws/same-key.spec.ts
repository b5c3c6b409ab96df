/** Keys and contexts that matter: found without a guess of how often codes differ. */
import { describe, expect, test } from 'vitest'
import { Expansion, OWN } from '../../src/core/keys/random.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { checkWatermark } from '../../src/gate/laws/entry.ts'
import { contextPairs, missOfContexts } from '../../src/gate/laws/key-matters.ts'
import { freshSeed } from '../../src/gate/laws/seed.ts'
import { manyContexts } from '../../src/gate/laws/shared-codes.ts'
import { bimark, gumbel, ngram, sta1, unigram } from '../../src/index.ts'
import { dip, race, sta } from '../mutants/bases.ts'
import { changed, law } from '../mutants/mutant.ts'

const check = async (watermark: Parameters<typeof checkWatermark>[0]) =>
  (await checkWatermark(watermark, { laws: [law.deterministic], effort: 'quick' }))[0]!

test('a watermark most of whose codes do nothing passes every time', async () => {
  for (let run = 0; run < 40; run++) expect((await check(sta1({ gamma: 0.003 }))).verdict).toBe('holds')
})

test('the same randomness at every position is no mistake where the rule says so', async () => {
  expect((await check(unigram({ delta: 2 }))).verdict).toBe('holds')
})

describe('pairs of contexts', () => {
  const placesOf = (context: ReturnType<typeof ngram>) =>
    contextPairs({ context }, seededRandom(freshSeed(), 'pairs')).map(([a, b]) =>
      a.flatMap((x, j) => (x === b[j] ? [] : [j])).join(),
    )
  test('differ in each place alone, also where texts seldom have such pairs', () => {
    expect(placesOf(ngram(2))).toEqual(expect.arrayContaining(['0', '1', '0,1']))
    expect(placesOf(ngram(6))).toEqual(expect.arrayContaining(['0', '1', '2', '3', '4', '5']))
  })
  test('that share a code are found for sure where codes differ under 4% of keys', () => {
    expect(missOfContexts(0.04, 1e-12)).toBeLessThan(1e-3)
    expect(missOfContexts(0.005, 1e-12)).toBeGreaterThan(0.5)
  })
})

test('an error says which contexts share a code', async () => {
  const lastOnly = changed(dip(), {
    draw: (_, __, { context, shared }) => ({ word: (i) => shared.uint32(1000 * (context.at(-1)! + 1) + i) }),
  })
  const { verdict, detail, counterexample } = await check(lastOnly)
  expect(verdict).toBe('fails')
  expect(detail).toMatch(/^contexts \[\d+,(\d+)\] and \[\d+,\1\] always have the same code$/)
  expect(counterexample!.replay).toContain(law.deterministic)
})

test('gumbel needs two keys to tell them apart', async () => {
  const { evidence } = await check(gumbel())
  expect(evidence).toMatchObject({ kind: 'sampled', smallestBias: 0.04 })
})

describe('codes of thousands of contexts and keys', () => {
  const seeds = (bits: number, seedBits?: number) =>
    changed(race(), {
      ...(seedBits !== undefined && { seedBits }),
      draw: (random) => {
        const own = new Expansion([random.uint32(OWN) >>> (32 - bits), 1, 2, 3])
        return { u: (i) => own.uniform(i) }
      },
    })
  test('share a seed of 16 bits: refused, in words', async () => {
    const { verdict, detail } = await check(seeds(16))
    expect(verdict).toBe('fails')
    expect(detail).toMatch(/^two contexts share a code: \[\d+, \d+\] and \[\d+, \d+\]; \d+ of 2,048 contexts/)
  })
  test('as often as the declaration says, and no more often', async () => {
    expect((await check(seeds(16, 16))).verdict).toBe('holds')
    expect((await check(seeds(12, 16))).verdict).toBe('fails')
  })
  test('may be few if each says little, or if the codes of a key are an orbit', async () => {
    const coin = changed(sta(), {
      draw: (random) => ({ word: () => random.uint32(OWN) }),
      orbit: undefined,
    })
    expect((await check(coin)).verdict).toBe('holds')
    expect((await check(bimark({ layers: 4 }))).verdict).toBe('holds')
  })
  test('are codes of contexts that differ, by 256 too', () => {
    const contexts = manyContexts({ context: ngram(2) }, 1_009, 400, seededRandom(freshSeed(), 'contexts'))
    expect(new Set(contexts.map(String)).size).toBe(400)
    expect(contexts.some(([a, b]) => contexts.some(([x, y]) => a === x && b === y! + 256))).toBe(true)
    expect(contexts.flat().every((id) => id >= 0 && id < 1_009)).toBe(true)
  })
})
