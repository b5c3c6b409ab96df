/** Closed forms against published implementations, given the same order, channel or bits, to 1e-12. */
import { expect, test } from 'vitest'
import type { defineWatermark } from '../../src/core/method/define-watermark.ts'
import { dipmark, kgw, mcmark, synthid } from '../../src/watermarks/entry.ts'
import { mcmarkChannelStart } from '../../src/watermarks/published/mcmark.ts'
import { vectors } from '../reference/vectors.ts'

function softmax(logits: readonly number[]): Float64Array {
  const top = Math.max(...logits)
  const weights = Float64Array.from(logits, (x) => Math.exp(x - top))
  const sum = weights.reduce((total, w) => total + w, 0)
  return weights.map((w) => w / sum)
}

/** Given words as a random-access source. */
const given = (words: readonly number[]) => ({
  uint32: (i: number) => words[i]!,
  fill: (out: Uint32Array) => {
    out.set(words)
    return out
  },
})

function expectClose(q: Float64Array, expected: readonly number[]): void {
  expect(Math.max(...q.map((x, i) => Math.abs(x - expected[i]!)))).toBeLessThanOrEqual(1e-12)
}

const reweighted = <Code>(
  watermark: ReturnType<typeof defineWatermark<Code>>,
  p: Float64Array,
  code: Code,
) => {
  const q = new Float64Array(p.length)
  watermark.reweight(p, code, q)
  return q
}

test.each(vectors.reweight)('vocabulary of $vocab: dipmark, mcmark and unigram', (vector) => {
  const p = softmax(vector.logits)
  const V = vector.vocab
  const rank = new Array<number>(V)
  for (const [at, token] of vector.shuffle.entries()) rank[token] = at
  // words in the order of the ranks, spread over all 32 bits
  const order = { random: given(rank.map((r) => Math.floor((r * 2 ** 32) / V))), flip: 0 } as const
  for (const [name, expected] of Object.entries(vector)) {
    const [, alpha] = /^dipmark_alpha_(.+)$/.exec(name) ?? []
    if (alpha !== undefined)
      expectClose(reweighted(dipmark({ alpha: Number(alpha) }), p, order), expected as number[])
    const [, l, k] = /^mcmark_n_(\d+)_channel_(\d+)$/.exec(name) ?? []
    if (l !== undefined && Number(l) <= V) {
      const channels = Number(l)
      const channelOf = (r: number): number => {
        let channel = 0
        while (channel + 1 < channels && mcmarkChannelStart(V, channels, channel + 1) <= r) channel++
        return channel
      }
      const code = { random: given(rank.map(channelOf)), chosen: Number(k) }
      expectClose(reweighted(mcmark({ channels }), p, code), expected as number[])
    }
    const [, delta] = /^unigram_delta_(.+)$/.exec(name) ?? []
    if (delta !== undefined) {
      const green = { random: given(rank.map((r) => (r < Math.floor(V / 2) ? 0 : 2 ** 32 - 1))), shift: 0 }
      expectClose(reweighted(kgw({ delta: Number(delta) }), p, green), expected as number[])
    }
  }
})

test.each(vectors.synthid_update)('synthid with 2 and 3 leaves, $logits.length tokens', (vector) => {
  const p = softmax(vector.logits)
  const bits = vector.g_values.map(
    (layers) => layers.reduce((word, g, layer) => word | (g << layer), 0) >>> 0,
  )
  const layers = vector.g_values[0]!.length
  const code = { random: given(bits), mask: 0 }
  expectClose(reweighted(synthid({ layers, leaves: 2 }), p, code), vector.probs_2_leaves)
  expectClose(reweighted(synthid({ layers, leaves: 3 }), p, code), vector.probs_3_leaves)
})
