/** Texts that published code wrote, and what its own detector says: the same here, score by score. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Detection, detect, ngram } from '../../src/index.ts'
import type { Watermark } from '../../src/watermark.ts'
import { dipmark, expEdit, gammaReweight, gumbel, itsEdit, kgw, unigram } from '../../src/watermarks/entry.ts'
import { asPublished } from '../../src/watermarks/reference.ts'

interface Peer {
  readonly rank: [number, number][]
  readonly flags: number[]
  readonly hf: [number, number, number]
  readonly la: number[]
  readonly v1: [number, number, number]
  readonly none: [number, number, number]
  readonly v2: [number, number, number]
  readonly green: number
  readonly score: number
  readonly n: number
  readonly p: number
  readonly statistic: number
  readonly lmw_unique: [number, number]
  readonly lmw_all: [number, number]
}

interface Set {
  readonly scheme: string
  readonly vocab: number
  readonly params: {
    readonly ratio: number
    readonly ngram: number
    readonly seed: number
    readonly gamma: number
    readonly keyLength: number
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

  test('three_bricks: each pair of context and token once, and for openai all positions', () => {
    const seed = (_: string, { params }: Set) => String(params.seed)
    const reuse = ({ params }: Set) => ngram(params.ngram, { repeated: 'reuse' })
    const options = { codes: 'reference', flavor: 'threeBricks' } as const
    const openai = (contexts: 'pairs' | 'published') => (set: Set) =>
      gumbel({ ...options, contexts, context: reuse(set) })
    for (const { peer, found } of each('tb-openai', openai('pairs'), seed, 1)) {
      const [scored, sum, p] = peer.v2
      expect(found.scored).toBe(scored)
      expect(Math.abs(found.statistic / sum - 1)).toBeLessThan(1e-6)
      // distinct pairs are independent: the published p-value is exact
      expect(Math.abs(found.logPValue / Math.log(p) - 1)).toBeLessThan(1e-5)
    }
    for (const { peer, found } of each('tb-openai', openai('published'), seed, 1)) {
      const [scored, sum, p] = peer.none
      expect(found.scored).toBe(scored)
      expect(Math.abs(found.statistic / sum - 1)).toBeLessThan(1e-6)
      // a pair that comes back is no second trial: never below the published p-value but for rounding
      expect(found.logPValue).toBeGreaterThan(Math.log(p) * (1 + 1e-5))
      expect(found.pValue).toBeLessThan(1e-150)
    }
    const maryland = (set: Set) =>
      kgw({ delta: 2, gamma: set.params.gamma, ...options, contexts: 'pairs', context: reuse(set) })
    for (const { peer, found } of each('tb-maryland', maryland, seed, 1)) {
      expect([found.scored, found.statistic]).toEqual(peer.v2.slice(0, 2))
      // tokens of one context are drawn without replacement: close to the published p-value, which takes them for independent
      expect(Math.abs(found.logPValue / Math.log(peer.v2[2]) - 1)).toBeLessThan(1e-3)
    }
  })

  test('MarkLLM, KGW', () => {
    const cases = each(
      'ml-kgw',
      () => kgw({ delta: 2, codes: 'reference', flavor: 'markllm', contexts: 'published' }),
      (key) => key,
    )
    expect(cases.length).toBe(2)
    for (const { peer, found } of cases) {
      const place = flags(found)
      // where the seed is 0 under every key nothing is scored here
      const unscored = place.filter((flag, t) => flag === -1 && t > 0).length
      expect(unscored).toBeLessThan(3)
      expect(place.filter((flag, t) => flag !== -1 && flag !== peer.flags[t])).toEqual([])
      expect(peer.green - found.statistic).toBeLessThanOrEqual(unscored)
      expect(found.pValue).toBeLessThan(1e-9)
      // its lists are public, and the key only chooses among V of them
      expect(found.guaranteed).toBe(false)
    }
  })

  test('MarkLLM, EXP', () => {
    const marked = (contexts: 'once' | 'published') =>
      each(
        'ml-exp',
        () => gumbel({ codes: 'reference', flavor: 'markllm', contexts }),
        (key) => key,
      )
    for (const { peer, found } of marked('published')) {
      // contexts whose product is 0 modulo V have the seed 0 under every key
      const unscored = found.perToken.slice(4).filter(Number.isNaN).length
      expect(found.scored).toBe(peer.n - unscored)
      expect(unscored).toBeLessThan(20)
      expect(found.statistic).toBeLessThanOrEqual(peer.score)
      // a few products have most values modulo V, so pairs come back though contexts do not: published p-values are far too small
      expect(found.pValue).toBeGreaterThan(1e-130)
    }
    for (const { found } of marked('once')) expect(found.pValue).toBeLessThan(1e-120)
  })

  test('MarkLLM, EXP: the sum over every position, those with seed 0 included', () => {
    const watermark = gumbel({ codes: 'reference', flavor: 'markllm' })
    const every = { ...watermark, detector: gumbel().detector }
    for (const { peer, found } of each(
      'ml-exp',
      () => every,
      (key) => key,
    )) {
      expect(found.scored).toBe(peer.n)
      expect(found.statistic).toBeCloseTo(peer.score, 9)
      expect(Math.abs(found.logPValue / Math.log(peer.p) - 1)).toBeLessThan(1e-9)
    }
  })

  test('MarkLLM, Unigram', () => {
    const cases = each(
      'ml-unigram',
      () => asPublished(unigram({ delta: 2 }), 'markllm'),
      (key) => key,
    )
    expect(cases.length).toBe(2)
    for (const { peer, found } of cases) {
      expect([found.scored, found.statistic]).toEqual([200, peer.green])
      expect(found.pValue).toBeLessThan(1e-9)
    }
  })

  test.each(['hf', 'lmw_all', 'lmw_unique'] as const)('KGW with self-hash: %s', (detector) => {
    const watermark = ({ params }: Set) =>
      kgw({
        delta: 2,
        gamma: params.ratio,
        codes: 'reference',
        flavor: detector === 'hf' ? 'selfHash' : 'authorsSelfHash',
        contexts: detector === 'lmw_unique' ? 'pairs' : 'published',
      })
    const cases = each('kgw-selfhash', watermark, (key) => key)
    expect(cases.length).toBe(4)
    for (const { peer, found } of cases) {
      expect([found.scored, found.statistic]).toEqual(peer[detector].slice(0, 2))
      // Transformers wrote them: lm-watermarking has another table and sees nothing
      if (detector === 'hf') expect(found.pValue).toBeLessThan(1e-5)
      else expect(found.pValue).toBeGreaterThan(0.01)
    }
  })

  test('the experiments of Kuditipudi et al.: ITS with gamma 1, EXP with gamma 0', () => {
    const options = ({ params: { keyLength } }: Set) => ({ keyLength, codes: 'reference' }) as const
    const its = each(
      'jt-its',
      (set) => itsEdit({ ...options(set), penalty: 1 / 2 }),
      (key) => key,
    )
    const exp = each(
      'jt-exp',
      (set) => expEdit({ ...options(set), flavor: 'experiments', penalty: 0 }),
      (key) => key,
    )
    expect([its.length, exp.length]).toEqual([2, 2])
    // summed in float32 there; a cost of |u - v| is a score of 1 - |u - v|, and an edit loses half a pair besides its penalty
    for (const { peer, found } of its) {
      expect(Math.abs((200 - found.statistic) / peer.statistic - 1)).toBeLessThan(1e-6)
      expect(found.pValue).toBeLessThan(1e-9)
    }
    for (const { peer, found } of exp) {
      expect(Math.abs(-found.statistic / peer.statistic - 1)).toBeLessThan(1e-6)
      expect(found.pValue).toBeLessThan(1e-9)
    }
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
