import { describe, expect, test } from 'vitest'
import { wordsOf } from '../../src/core/keys/random.ts'
import { dipmark, mcmark, unigram } from '../../src/watermarks/entry.ts'
import { given, rankedWords } from '../../src/watermarks/published/codes/permutation.ts'
import { splitAt } from '../../src/watermarks/published/codes/words.ts'
import { mcmarkChannelStart } from '../../src/watermarks/published/index.ts'
import { tournament } from '../../src/watermarks/synthid.ts'
import { vectors } from './vectors.ts'

const softmax = (logits: number[]) => {
  const weights = logits.map((x) => Math.exp(x - Math.max(...logits)))
  const total = weights.reduce((sum, w) => sum + w, 0)
  return Float64Array.from(weights, (w) => w / total)
}
const farthest = (q: Float64Array, expected: number[]) =>
  Math.max(...expected.map((mass, i) => Math.abs(mass - q[i]!)))

describe.each(vectors.reweight)('published reweights on $vocab tokens', (vector) => {
  const { vocab, logits, shuffle } = vector
  const p = softmax(logits)
  const q = new Float64Array(vocab)
  const order = Int32Array.from(shuffle)
  const words = (size: number) => rankedWords(given(order), splitAt(vocab, size, 2 ** 31))

  test.each([0.3, 0.4, 0.5])('DiPmark, alpha %s', (alpha) => {
    dipmark({ alpha }).reweight(p, { random: words(Math.floor(vocab / 2)), flip: 0 }, q)
    expect(farthest(q, vector[`dipmark_alpha_${alpha}`]!)).toBeLessThan(1e-12)
  })
  const names = Object.keys(vector).filter((name) => name.startsWith('mcmark_n_'))
  test.each(names)('%s', (name) => {
    const [channels = 0, chosen = 0] = name.match(/\d+/g)!.map(Number)
    const channelOf = (token: number) => {
      const rank = shuffle.indexOf(token)
      let k = 0
      while (rank >= mcmarkChannelStart(vocab, channels, k + 1)) k++
      return k
    }
    const random = wordsOf(Array.from({ length: vocab }, (_, token) => channelOf(token)))
    mcmark({ channels }).reweight(p, { random, chosen }, q)
    expect(farthest(q, vector[name]!)).toBeLessThan(1e-12)
  })
  test('Unigram, delta 2: the front half is green', () => {
    unigram({ delta: 2 }).reweight(p, { random: words(Math.floor(vocab / 2)), shift: 0 }, q)
    expect(farthest(q, vector.unigram_delta_2!)).toBeLessThan(1e-12)
  })
})

describe.each(vectors.synthid_update)('published tournaments of %# on given g-values', (vector) => {
  const p = softmax(vector.logits)
  const words = Uint32Array.from(vector.g_values, (bits) =>
    bits.reduce((word, bit, l) => word | (bit << l), 0),
  )
  const layers = vector.g_values[0]!.length
  test.each([2, 3] as const)('%s leaves', (leaves) => {
    const q = new Float64Array(p.length)
    tournament(p, words, layers, leaves, q)
    expect(farthest(q, vector[`probs_${leaves}_leaves`])).toBeLessThan(1e-12)
  })
})
