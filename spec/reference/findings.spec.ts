import { describe, expect, test } from 'vitest'
import { checkWatermark } from '../../src/gate/laws/entry.ts'
import { synthid } from '../../src/watermarks/entry.ts'
import { synthidContexts } from '../../src/watermarks/published/index.ts'
import { findings } from './findings/all.ts'
import { render } from './findings/finding.ts'
import { overlap } from './findings/green.ts'
import { biasOfMemory } from './findings/memory.ts'
import { moduloBias } from './findings/orders.ts'
import {
  normalTail,
  sizeOfTransformers,
  sizeOnAlternatingText,
  transformersPValue,
} from './findings/p-values.ts'
import { zeroProduct } from './findings/products.ts'
import { studyLayers } from './findings/synthid-iterated.ts'
import * as table from './findings/synthid-table.ts'
import { wordsThatRoundTo } from './findings/uniforms.ts'
import { tailMass, tieBias, trueOverClaimed } from './findings/vllm.ts'

test('reports/reference-findings.md says what is computed', async () => {
  await expect(render(findings())).toMatchFileSnapshot('../../reports/reference-findings.md')
})

describe('the findings, as statements', () => {
  const bits = table.everyState()
  test('SynthID in Transformers: every token has one law, whatever its layers', () => {
    const law = table.onesPerToken(bits)
    const mean = law.reduce((sum, mass, k) => sum + mass * k, 0)
    expect(mean / 20).toBeCloseTo(table.onesInTable() / table.states, 12)
  })
  test('SynthID in Transformers: one layer is unbiased over all states, twenty are not', () => {
    expect(table.biasOfPair(bits, 1, 1)).toBe(0)
    expect(Math.max(...[1, 2, 3, 4].map((d) => Math.abs(table.biasOfPair(bits, d))))).toBeGreaterThan(1e-4)
  })
  test('SynthID in google-deepmind: some layers are correlated', () => {
    // Hoeffding over 190 pairs bounds the chance that independent bits do this.
    const { worst, samples } = studyLayers(1 << 15)
    expect(380 * Math.exp((-samples * 0.05 ** 2) / 2)).toBeLessThan(1e-9)
    expect(Math.abs(worst.correlation)).toBeGreaterThan(0.05)
  })
  test('a memory as long as the text keeps the law of texts, a shorter one does not', () => {
    expect(biasOfMemory(4, 4)).toBeLessThan(1e-12)
    expect(biasOfMemory(1, 4)).toBeGreaterThan(0.01)
  })
  test('the law "unbiased over texts" rejects a finite memory', async () => {
    const watermark = synthid({ layers: 2, context: synthidContexts({ ngramLength: 2, history: 1 }) })
    const [result] = await checkWatermark(
      { ...watermark, unbiasedUpTo: undefined },
      { laws: ['unbiased over texts'] },
    )
    expect(result!.verdict).toBe('fails')
  })
  test('MarkLLM: products that are 0, against all of them', () => {
    for (const V of [12, 16, 7]) {
      let zeros = 0
      for (let i = 0; i < V ** 4; i++)
        if (
          ((i % V) * (Math.floor(i / V) % V) * (Math.floor(i / V ** 2) % V) * Math.floor(i / V ** 3)) % V ===
          0
        )
          zeros++
      expect(zeroProduct(V)).toBeCloseTo(zeros / V ** 4, 12)
    }
  })
  test('KGW: after token 0 every key has the same list', () => expect(overlap(3, 5, 0)).toBe(1))
  test('KGW: the printed p-value falls below the normal tail', () => {
    expect(transformersPValue(3)).toBeGreaterThan(normalTail(3))
    expect(transformersPValue(3.5)).toBeLessThan(normalTail(3.5))
    expect(sizeOfTransformers(500, 0.5, 1e-6)).toBeGreaterThan(2e-6)
    expect(sizeOnAlternatingText(1000, 0.5)).toBe(0.25)
  })
  test('vLLM: two tokens tie with probability 2^-24, and the first wins', () => {
    expect(tieBias(2) * 2 ** 25).toBeCloseTo(1, 6)
    expect(Math.abs(tailMass(2, 0.5) - 0.5)).toBeLessThan(2 ** -23)
  })
  test('vLLM: the moment-matched p-value is not one, and less so in shorter texts', () => {
    expect(trueOverClaimed(50, 1e-6)).toBeCloseTo(1.52, 2)
    expect(trueOverClaimed(10, 1e-6)).toBeGreaterThan(trueOverClaimed(200, 1e-6))
  })
  test('a power of two has no modulo bias', () => expect(moduloBias(1024)).toBe(0))
  test('float32: 1 takes 128 words, its neighbour 255 (ties go to the even mantissa)', () => {
    expect(wordsThatRoundTo(1 - 2 ** -24)).toBe(255)
    expect(wordsThatRoundTo(1)).toBe(128)
  })
})
