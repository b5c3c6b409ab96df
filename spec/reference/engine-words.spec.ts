/** Words, hashes and seeds of inference engines, bit for bit: fixtures/reference/engines.json. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { HmacWords, hmacKey } from '../../src/watermarks/published/hmac-words.ts'
import { murmurHash, murmurLast, murmurState } from '../../src/watermarks/published/murmur.ts'
import { keyWords, philoxWord } from '../../src/watermarks/published/philox.ts'
import { sbwHash, sbwSeed, sbwWord } from '../../src/watermarks/published/sbw.ts'
import { textsealHash } from '../../src/watermarks/published/textseal.ts'

interface Word {
  readonly key: string
  readonly context: number[]
  readonly token: number
  readonly word: number
}

const { sets } = JSON.parse(
  readFileSync(new URL('../../fixtures/reference/engines.json', import.meta.url), 'utf8'),
) as {
  sets: {
    vllm_synthid: { words: (Word & { stream: string })[] }
    vllm_hmac: { words: (Word & { mantissa: number })[] }
    vllm_sbw: { words: (Word & { h: number; seed: string })[] }
    sglang: { words: { key: string; context: number[]; context_hash: number; token: number; hash: number }[] }
    textseal: { hashes: { key: number; context: number[]; token: number; hash: number; uniform: number }[] }
  }
}

test('Philox has a word for every stream, as vLLM draws them', () => {
  for (const { key, stream, context, token, word } of sets.vllm_synthid.words)
    expect(philoxWord({ key: BigInt(key), context, token, stream: BigInt(stream) })).toBe(word)
  const published = [
    [1, 2, 3, 4],
    [4, 5, 6, 7],
  ].map((context) => [7, 8].map((token) => philoxWord({ key: 42n, context, token })))
  expect(published).toEqual([
    [425429266, 2706218805],
    [2494036831, 3424185538],
  ])
})

test("HMAC words are those of vLLM's early builds", () => {
  for (const { key, context, token, word, mantissa } of sets.vllm_hmac.words) {
    const drawn = new HmacWords(hmacKey(BigInt(key)), context).at(token)
    expect([drawn, drawn >>> 8]).toEqual([word, mantissa])
  }
  const words = new HmacWords(hmacKey(42n), [1, 2, 3, 4])
  expect([7, 8, 7].map((token) => words.at(token) >>> 8)).toEqual([6202050, 16483231, 6202050])
})

test('hashes, seeds and words of sbw are those of vLLM', () => {
  for (const { key, context, token, h, seed, word } of sets.vllm_sbw.words) {
    expect(sbwHash(token)).toBe(h)
    const words = sbwSeed(keyWords(BigInt(key)), context, token)
    expect(words).toEqual([Number(BigInt.asUintN(32, BigInt(seed))), Number(BigInt(seed) >> 32n)])
    expect(sbwWord(words, token)).toBe(word)
  }
})

test('Murmur hashes contexts and tokens as SGLang does, published vectors included', () => {
  const tokenHash = (key: string, contextHash: number, token: number): number => {
    const secret = BigInt(`0x${key}`)
    return murmurHash([Number(secret & 0xffffffffn), Number(secret >> 32n), contextHash, token])
  }
  for (const { key, context, context_hash, token, hash } of sets.sglang.words) {
    expect(murmurHash(context)).toBe(context_hash)
    expect(tokenHash(key, context_hash, token)).toBe(hash)
  }
  const published = [0, 1, 17, 8191].map((token) => tokenHash('0123456789abcdef', 1145416960, token))
  expect(published).toEqual([1293512163, 858402549, 2305555132, 2450309311])
  expect(murmurLast(murmurState([5, 6, 7]), 8, 4)).toBe(murmurHash([5, 6, 7, 8]))
})

test('hashes and uniforms of TextSeal are the published ones, at the edges of 64 bits too', () => {
  for (const { key, context, token, hash, uniform } of sets.textseal.hashes) {
    expect(textsealHash({ key: BigInt(key), context, token })).toBe(hash)
    expect(Math.fround(hash / 8191)).toBe(uniform)
  }
  const slow = (key: bigint, context: number[], token: number): number => {
    const factors = [10000019n, 10000247n, 10000439n]
    const sum =
      context.reduce((total, id, i) => total + factors[i]! * BigInt(id), 0n) +
      100000007n * BigInt(token) +
      500001713n * key
    const h = BigInt.asIntN(64, sum * 15485863n * 40499n)
    const rest = (h ^ (h >> 13n)) % 8191n
    return Number(rest < 0n ? rest + 8191n : rest)
  }
  for (let i = 0; i < 2000; i++) {
    const key = (BigInt(i) * 0x9e3779b97f4a7c15n) & ((1n << 63n) - 1n)
    const context = [i * 1_073_741, 2 ** 31 - 1 - i, i].map((id) => id % 2 ** 31)
    const token = (i * 2_654_435_761) % 2 ** 31
    expect(textsealHash({ key, context, token })).toBe(slow(key, context, token))
  }
})
