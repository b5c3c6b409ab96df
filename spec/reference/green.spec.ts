import { describe, expect, test } from 'vitest'
import {
  kgwGreenlist,
  mcmarkChannelStart,
  mcmarkCode,
  mcmarkSeed,
  sta1GreenSize,
} from '../../src/watermarks/published/index.ts'
import { vectors } from './vectors.ts'

describe.each(vectors.kgw_lefthash)('KGW left hash, V = $vocab, key $hashing_key', (vector) => {
  test.each(vector.cases)('green list after token $prev', ({ prev, greenlist }) => {
    const { vocab: vocabSize, ratio, hashing_key: hashingKey } = vector
    const green = kgwGreenlist({ vocabSize, hashingKey, ratio, previous: prev })
    expect(Array.from(green).sort((a, b) => a - b)).toEqual(greenlist)
    expect(kgwGreenlist({ vocabSize, hashingKey: BigInt(hashingKey), ratio, previous: prev })).toEqual(green)
  })
})

test('KGW names a wrong argument', () => {
  const good = { vocabSize: 50, hashingKey: 15485863, ratio: 0.5, previous: 1 }
  expect(() => kgwGreenlist({ ...good, ratio: 1 })).toThrow(/ratio/)
  expect(() => kgwGreenlist({ ...good, previous: -1 })).toThrow(/previous/)
  expect(() => kgwGreenlist({ ...good, hashingKey: 1.5 })).toThrow(/hashingKey/)
  expect(() => kgwGreenlist({ ...good, hashingKey: -1n })).toThrow(/hashingKey/)
})

describe('the MCmark repository, contexts of two tokens', () => {
  const vector = vectors.mcmark_repo_ngram2
  const { vocab, token_ids: tokens } = vector
  const privateKey = Uint8Array.from(vector.private_key_hex.match(/../g)!, (byte) =>
    Number.parseInt(byte, 16),
  )
  const positions = tokens.slice(1).map((token, i) => ({
    token,
    seed: mcmarkSeed({ privateKey, context: tokens.slice(Math.max(0, i - 1), i + 1) }),
  }))
  const rank = (seed: number, token: number) => mcmarkCode(seed, vocab).order.indexOf(token)

  test('seeds', () => expect(positions.map(({ seed }) => seed)).toEqual(vector.rng_seed))
  test('quantiles of DiPmark and gamma-reweight (float32)', () =>
    expect(positions.map(({ seed, token }) => Math.fround((rank(seed, token) + 1) / vocab))).toEqual(
      vector.green_quantile,
    ))
  test('green tokens of STA-1', () =>
    expect(positions.map(({ seed, token }) => Number(rank(seed, token) < sta1GreenSize(vocab, 0.5)))).toEqual(
      vector.sta_green,
    ))
  test.each(Object.keys(vector.mcmark_hit))('channel hits of MCmark with %s channels', (l) => {
    const channels = Number(l)
    const hit = positions.map(({ seed, token }) => {
      const { order, channel } = mcmarkCode(seed, vocab, channels)
      const r = order.indexOf(token)
      const start = mcmarkChannelStart(vocab, channels, channel)
      return Number(r >= start && r < mcmarkChannelStart(vocab, channels, channel + 1))
    })
    expect(hit).toEqual(vector.mcmark_hit[l])
  })

  test('the seed is the digest mod 2^32 - 1', async () => {
    const bytes = new Uint8Array([...privateKey, 7, 0, 0, 0, 0, 0, 0, 0])
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    const value = digest.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
    expect(mcmarkSeed({ privateKey, context: [7] })).toBe(Number(value % (2n ** 32n - 1n)))
  })
})

test('sizes round halves to even, as Python does', () => {
  expect([1, 3, 5, 7].map((vocabSize) => sta1GreenSize(vocabSize, 0.5))).toEqual([0, 2, 2, 4])
  expect([0, 1, 2].map((k) => mcmarkChannelStart(5, 2, k))).toEqual([0, 2, 5])
})
