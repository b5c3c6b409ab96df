/** Texts that published code wrote, and what its own detector says: the same here, score by score. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Detection, detect, ngram } from '../../src/index.ts'
import { asPublished } from '../../src/reference/index.ts'
import type { Watermark } from '../../src/watermark.ts'
import { dipmark, gammaReweight, gumbel, kgw } from '../../src/watermarks/index.ts'

interface Peer {
  readonly rank: [number, number][]
  readonly flags: number[]
  readonly hf: [number, number, number]
  readonly la: number[]
  readonly v1: [number, number, number]
  readonly none: [number, number, number]
}

interface Set {
  readonly scheme: string
  readonly vocab: number
  readonly params: {
    readonly ratio: number
    readonly ngram: number
    readonly seed: number
    readonly gamma: number
  }
  readonly key: string
  readonly texts: { readonly tokens: number[]; readonly peer: Peer }[]
}

const sets = JSON.parse(
  readFileSync(new URL('../../fixtures/reference/peer-texts.json', import.meta.url), 'utf8'),
) as Set[]
const hex = (key: string) => Uint8Array.from(key.match(/../g)!, (byte) => Number.parseInt(byte, 16))

// biome-ignore lint/suspicious/noExplicitAny: the code does not matter here
type AnyCode = Watermark<any>
type KeyOf = (key: string, set: Set) => string | Uint8Array

/** Every text of a scheme from a token on, as it is detected here, beside what the published detector says. */
const each = (scheme: string, watermark: (set: Set) => AnyCode, key: KeyOf, from = 0) =>
  sets
    .filter((set) => set.scheme === scheme)
    .flatMap((set) =>
      set.texts.map(({ tokens, peer }) => ({
        peer,
        found: detect(watermark(set), tokens.slice(from), { key: key(set.key, set), vocabSize: set.vocab }),
      })),
    )

/** Scores, -1 where there is none. */
const flags = ({ perToken }: Detection) => Array.from(perToken, (score) => (Number.isNaN(score) ? -1 : score))

describe('texts of published implementations', () => {
  test('UnbiasedWatermark, gamma-reweight', () => {
    const cases = each('uw-gamma', () => asPublished(gammaReweight(), 'unbiased-watermark'), hex)
    expect(cases.length).toBe(2)
    for (const { peer, found } of cases) {
      expect(flags(found)).toEqual([
        -1,
        -1,
        -1,
        -1,
        -1,
        ...peer.rank.map(([skipped, rank]) => (skipped ? -1 : Number(rank >= 500))),
      ])
      expect(found.pValue).toBeLessThan(1e-9)
    }
  })

  test('UnbiasedWatermark, delta-Gumbel: ln 2 + ln u of every token', () => {
    const cases = each('uw-deltagumbel', () => asPublished(gumbel(), 'unbiased-watermark'), hex)
    expect(cases.length).toBe(2)
    for (const { peer, found } of cases) {
      const scored = Array.from(found.perToken.subarray(5))
      // the published list has every position, this one each context once
      expect(peer.la.length).toBe(scored.length)
      for (const [t, score] of scored.entries())
        if (!Number.isNaN(score)) expect(Math.log(2 * -Math.expm1(-score))).toBeCloseTo(peer.la[t]!, 5)
      expect(found.pValue).toBeLessThan(1e-9)
    }
  })

  // three_bricks begins one token late: the first token is left out
  const bricks = ({ params }: Set) => ({ context: ngram(params.ngram) })
  test('three_bricks, openai: each context once', () => {
    const cases = each(
      'tb-openai',
      (set) => gumbel({ codes: 'reference', flavor: 'threeBricks', ...bricks(set) }),
      (_, { params }) => String(params.seed),
      1,
    )
    expect(cases.length).toBe(6)
    for (const { peer, found } of cases) {
      const [scored, sum, p] = peer.v1
      expect(found.scored).toBe(scored)
      // summed in float32 there
      expect(Math.abs(found.statistic / sum - 1)).toBeLessThan(1e-6)
      expect(Math.abs(found.logPValue / Math.log(p) - 1)).toBeLessThan(1e-5)
    }
  })

  test('three_bricks, maryland: each context once, and all positions', () => {
    const marks = (contexts: 'once' | 'published') => (set: Set) =>
      kgw({
        delta: 2,
        gamma: set.params.gamma,
        codes: 'reference',
        flavor: 'threeBricks',
        contexts,
        context: ngram(set.params.ngram, { repeated: contexts === 'once' ? 'skip' : 'reuse' }),
      })
    const seed = (_: string, { params }: Set) => String(params.seed)
    for (const { peer, found } of each('tb-maryland', marks('once'), seed, 1)) {
      expect([found.scored, found.statistic]).toEqual(peer.v1.slice(0, 2))
      expect(Math.abs(found.logPValue / Math.log(peer.v1[2]) - 1)).toBeLessThan(1e-9)
    }
    for (const { peer, found } of each('tb-maryland', marks('published'), seed, 1))
      expect([found.scored, found.statistic]).toEqual(peer.none.slice(0, 2))
  })

  test('MarkLLM, DiPmark', () => {
    const cases = each('ml-dip', () => asPublished(dipmark({ alpha: 0.45 }), 'markllm'), hex)
    expect(cases.length).toBe(2)
    for (const { peer, found } of cases) {
      expect(flags(found)).toEqual(peer.flags)
      expect(found.pValue).toBeLessThan(1e-9)
    }
  })

  test('KGW of Transformers, left hash: every position counts, with contexts: published', () => {
    const watermark = ({ params }: Set) =>
      kgw({ delta: 2, gamma: params.ratio, codes: 'reference', contexts: 'published' })
    const cases = each('kgw-lefthash', watermark, (key) => key)
    expect(cases.length).toBe(4)
    for (const { peer, found } of cases) {
      expect([found.scored, found.statistic]).toEqual(peer.hf.slice(0, 2))
      expect(found.pValue).toBeLessThan(1e-9)
    }
  })
})

describe('contexts: published', () => {
  const options = { key: '15485863', vocabSize: 1000 }
  const once = kgw({ delta: 2, codes: 'reference' })
  const every = kgw({ delta: 2, codes: 'reference', contexts: 'published' })
  const isGreen = (previous: number, token: number) =>
    detect(once, [previous, token], options).statistic === 1

  test('a text that is marked at every position keeps its evidence', () => {
    // one of ten previous tokens, each followed by green tokens only: ten contexts, two hundred pairs
    const tokens: number[] = []
    for (let t = 0; t < 400; t++) {
      const previous = 1 + (t % 10)
      let token = (37 * t) % 990
      while (!isGreen(previous, 10 + token)) token = (token + 1) % 990
      tokens.push(previous, 10 + token)
    }
    const found = detect(every, tokens, options)
    expect(found.scored).toBe(799)
    expect(detect(once, tokens, options).scored).toBeLessThan(450)
    expect(found.guaranteed).toBe(true)
    expect(found.logPValue).toBeLessThan(detect(once, tokens, options).logPValue)
  })

  test('a pair that comes back is no new evidence: the p-value of a loop does not fall', () => {
    const partner = Array.from({ length: 100 }, (_, i) => i + 2).find((x) => isGreen(1, x) && isGreen(x, 1))!
    const loop = (n: number) => Array.from({ length: n }, (_, t) => (t % 2 === 0 ? 1 : partner))
    expect(detect(every, loop(1000), options)).toMatchObject({ scored: 999, statistic: 999 })
    expect(detect(every, loop(1000), options).pValue).toBeCloseTo(0.25, 12)
  })
})
