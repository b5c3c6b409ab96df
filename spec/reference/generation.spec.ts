/**
 * What the published implementations do with given probabilities, written out once more from their definitions. The texts in fixtures/reference come without
 * the probabilities that they were drawn from: these decisions are all that can be compared.
 */
import { expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/index.ts'
import { kgw } from '../../src/index.ts'
import type { Watermark } from '../../src/watermark.ts'
import { expEdit, gumbel, itsEdit } from '../../src/watermarks/entry.ts'
import { TorchGenerator } from '../../src/watermarks/published/index.ts'

const codes = 'reference'
const V = 200
const key = 265563

function distribution(seed: number): Float64Array {
  const random = seededRandom(seed)
  const p = Float64Array.from({ length: V }, () => -Math.log(random.uniform()))
  const total = p.reduce((sum, mass) => sum + mass, 0)
  return p.map((mass) => mass / total)
}

// biome-ignore lint/suspicious/noExplicitAny: the code does not matter here
function drawn(watermark: Watermark<any>, context: number[]) {
  const site = { shared: undefined as never, context, key: new TextEncoder().encode(String(key)) }
  return watermark.draw(undefined as never, V, site)
}

const argMax = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((best, value, i) => (value > values[best]! ? i : best), 0)

test.each([
  ['selfHash', key, 40],
  ['authorsSelfHash', 2971215073, 41],
] as const)('KGW, %s: delta for the green ones of the likeliest tokens', (flavor, tableSeed, candidates) => {
  const context = [3, 141, 59]
  const table = new TorchGenerator(tableSeed).randperm(1_000_003)
  const isGreen = (token: number): boolean => {
    const seeds = [...context, token].map(
      (other) => BigInt(key) * BigInt(table[other]! + 1) * BigInt(table[token]! + 1),
    )
    const least = seeds.reduce((a, b) => (b < a ? b : a))
    return new TorchGenerator(least)
      .randperm(V)
      .slice(0, V / 4)
      .includes(token)
  }
  const watermark = kgw({ delta: 1.5, gamma: 0.25, codes, flavor })
  const p = distribution(1)
  const sorted = Array.from(p.keys()).sort((a, b) => p[b]! - p[a]!)
  const boosted = new Set(sorted.slice(0, candidates).filter(isGreen))
  const q = p.map((mass, token) => (boosted.has(token) ? mass * Math.exp(1.5) : mass))
  const total = q.reduce((sum, mass) => sum + mass, 0)
  const found = new Float64Array(V)
  watermark.reweight(p, drawn(watermark, context), found)
  expect(boosted.size).toBeGreaterThan(2)
  for (let token = 0; token < V; token++) expect(found[token]).toBeCloseTo(q[token]! / total, 12)
})

test('the experiments of Kuditipudi et al., EXP: argmax u^(1/p) of row j', () => {
  const watermark = expEdit({ keyLength: 8, codes, flavor: 'experiments' })
  const rows = new TorchGenerator(key).rand(8 * V)
  for (let j = 0; j < 8; j++) {
    const p = distribution(j)
    const u = rows.subarray(j * V, (j + 1) * V)
    expect(watermark.choose!(p, drawn(watermark, [j]))).toBe(argMax(p.map((mass, i) => u[i]! ** (1 / mass))))
  }
})

test('the experiments of Kuditipudi et al., ITS: the first token in the order whose running mass reaches u', () => {
  const watermark = itsEdit({ keyLength: 8, codes })
  const generator = new TorchGenerator(key)
  const order = generator.randperm(V)
  const u = generator.rand(8)
  for (let j = 0; j < 8; j++) {
    const p = distribution(20 + j)
    let mass = 0
    const token = order.find((one) => {
      mass += p[one]!
      return mass >= u[j]!
    })
    expect(watermark.choose!(p, drawn(watermark, [j]))).toBe(token)
  }
})

test('MarkLLM, EXP: argmax u^(1/p), the seed from the product of four tokens', () => {
  const watermark = gumbel({ codes, flavor: 'markllm' })
  const context = [3, 141, 59, 26]
  const seed = key * ((3 * 141 * 59 * 26) % V)
  const u = new TorchGenerator(seed).rand(V)
  for (let j = 0; j < 8; j++) {
    const p = distribution(40 + j)
    expect(watermark.choose!(p, drawn(watermark, context))).toBe(
      argMax(p.map((mass, i) => u[i]! ** (1 / mass))),
    )
  }
})
