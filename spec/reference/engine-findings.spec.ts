/** Findings about engines as statements, each with the chance that it holds by luck; and reports/engine-findings.md. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { murmurHash } from '../../src/watermarks/published/murmur.ts'
import { lefthashSeeds, sglangState } from './engines/compute.ts'
import { measure, renderEngines } from './engines/findings.ts'

const m = measure()

const { sets } = JSON.parse(
  readFileSync(new URL('../../fixtures/reference/engines.json', import.meta.url), 'utf8'),
) as { sets: { vllm_sbw: { words: ({ key: string; context: number[] } & Seeds)[] } } }

interface Seeds {
  readonly lefthash_seed_generator: string
  readonly lefthash_seed_detector: string
}

const seedOf = ([low, high]: readonly [number, number]): string => String((BigInt(high) << 32n) + BigInt(low))

test('reports/engine-findings.md says what is computed', async () => {
  await expect(renderEngines(m)).toMatchFileSnapshot('../../reports/engine-findings.md')
})

test('SGLang: two keys with one state, windows with one hash, and a search that finds one key', () => {
  expect(sglangState(0x0123456789abcdefn)).toBe(sglangState(0xb3857b36n))
  expect(sglangState(0x0123456789abcdefn)).not.toBe(sglangState(0x0123456789abcdeen))
  expect(murmurHash([55826, 167495])).toBe(murmurHash([62387, 187178]))
  expect(m.search.keys).toEqual([777_777])
  expect(m.search.hashes / 2 ** 20).toBeLessThan(10)
})

test('TextSeal: key 8775 finds a text of key 42; tails lose; the minimum of two is too small', () => {
  // a valid p-value is below 1e-9 with probability 1e-9
  expect(m.linear[1]!).toBeLessThan(Math.log(1e-9))
  expect(m.linear[2]!).toBeGreaterThan(Math.log(1e-3))
  expect(m.starved[0]).toBeCloseTo(0.4696, 4)
  expect(m.starved[1]).toBeCloseTo(0.352, 3)
  expect(m.starved[2]).toBeLessThan(2e-4)
  // the control: 2^20 values lose 2.4e-4 of 1,000 tail tokens (exact)
  expect(m.even[0]).toBeCloseTo(0.49976, 5)
  // 40,000 texts at 1%: 400 expected, 524 or more with probability below 1e-9; the true rate is 1.5%, 600 of them, and below 524 but for 1e-3
  expect(m.minimum[0]!).toBeGreaterThan(0.0131)
})

test('sbw: lefthash agrees as often as coins do; selfhash alarms five times too often', () => {
  // 3,000 fair coins stay within 0.06 of 1/2 but for 1e-9; a detector that reads the generator's lists agrees always
  expect(Math.abs(m.lefthash - 0.5)).toBeLessThan(0.06)
  expect(lefthashSeeds(42n, 0).generator).toEqual([0, 0])
  for (const { key, context, ...seeds } of sets.vllm_sbw.words) {
    const { generator, detector } = lefthashSeeds(BigInt(key), context.at(-1)!)
    expect(seedOf(generator)).toBe(seeds.lefthash_seed_generator)
    expect(seedOf(detector)).toBe(seeds.lefthash_seed_detector)
  }
  // a valid test gives 10 of 1,000 at 1%; 36 or more with probability below 1e-9
  expect(m.selfhash[1]!).toBeGreaterThanOrEqual(0.036)
})

test('StealthInk, BiMark, HeavyWater: p-values that are none', () => {
  // each has a rate far above its level: a valid test would show this with probability below 1e-9 (Chernoff)
  expect(m.stealth.below).toBeGreaterThan(0.98)
  expect(m.stealth.median).toBeLessThan(1e-3)
  expect(m.bimark[0]!).toBeGreaterThan(0.35)
  expect(m.bimark[1]!).toBeGreaterThan(0.99)
  expect(m.heavy[0]![0]!).toBeGreaterThan(0.016)
  expect(m.heavy[0]![1]!).toBeGreaterThan(0.001)
})

test('TGI: a row seeded with token 0 is not found by its own lists, but by one that everybody knows', () => {
  expect(m.row.byText).toBeGreaterThan(1e-4)
  expect(m.row.byZero).toBeLessThan(1e-9)
})
