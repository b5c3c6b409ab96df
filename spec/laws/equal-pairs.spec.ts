/** Bets on equal pairs: fair to the last digit, and as sharp as promised. Sampled tests wrongly fail with probability at most 1e-9. */
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { logBinomialTail } from '../../src/core/stats/entry.ts'
import { textsOf } from '../../src/gate/laws/arbitraries/index.ts'
import { markedBets } from '../../src/gate/laws/engine/marked-bets.ts'
import {
  chainMoments,
  coincidence,
  deviationOfPairs,
  fewestPairs,
  logMomentAtDistance,
  logMomentOfPairs,
  pairsOf,
} from '../../src/gate/laws/engine/pair-moments.ts'
import { smallestPairExcess, textsForPairExcess } from '../../src/gate/laws/engine/pair-power.ts'
import { natsAtDistance, natsOverAll, pairDesign, pairTest } from '../../src/gate/laws/engine/pair-test.ts'
import { checkWatermark } from '../../src/gate/laws/entry.ts'
import { LENGTH, longTexts, pairPlan } from '../../src/gate/laws/pair-plan.ts'
import { freshSeed } from '../../src/gate/laws/seed.ts'
import {
  christ,
  dipmark,
  expEdit,
  fixed,
  gumbel,
  itsEdit,
  kgw,
  ngram,
  synthid,
  unwatermarked,
} from '../../src/index.ts'
import { claimOf } from '../../src/watermark.ts'
import { synthidContexts } from '../../src/watermarks/published/index.ts'
import { race } from '../mutants/bases.ts'
import { changed, law } from '../mutants/mutant.ts'

const models = [
  [1 / 2, 1 / 2],
  [0.5, 0.3, 0.2],
  [0.1, 0.2, 0.3, 0.4],
  [1 / 3, 1 / 3, 1 / 3],
  [0.6, 0, 0.4],
].map((p) => Float64Array.from(p))
const chance = (p: Float64Array, text: readonly number[]): number =>
  text.reduce((x, token) => x * p[token]!, 1)
const equalPairs = (text: readonly number[], apart?: number): number => {
  let count = 0
  for (let s = 0; s < text.length; s++)
    for (let t = s + 1; t < text.length; t++)
      if (text[s] === text[t] && (apart === undefined || t - s === apart)) count++
  return count
}

describe('moments', () => {
  const n = 6
  test.each(models.map((p) => [`${p}`, p] as const))('on %s agree with a sum over all texts', (_, p) => {
    const mean = (f: (text: readonly number[]) => number): number =>
      [...textsOf(p.length, n)].reduce((sum, text) => sum + chance(p, text) * f(text), 0)
    for (const theta of [0.7, -1.1]) {
      expect(logMomentOfPairs(p, n, theta)).toBeCloseTo(
        Math.log(mean((text) => Math.exp(theta * equalPairs(text)))),
        12,
      )
      for (const d of [1, 2, 4, 5])
        expect(logMomentAtDistance(chainMoments(p, n, theta), n, d)).toBeCloseTo(
          Math.log(mean((text) => Math.exp(theta * equalPairs(text, d)))),
          12,
        )
    }
    const share = pairsOf(n) * coincidence(p)
    expect(mean(equalPairs)).toBeCloseTo(share, 12)
    expect(deviationOfPairs(p, n)).toBeCloseTo(Math.sqrt(mean((text) => (equalPairs(text) - share) ** 2)), 10)
    const fewest = Math.min(
      ...[...textsOf(p.length, n)].filter((text) => chance(p, text) > 0).map((text) => equalPairs(text)),
    )
    expect(fewestPairs(p.filter((mass) => mass > 0).length, n)).toBe(fewest)
  })
})

test('the wealth after one text has mean 1, exactly', () => {
  for (const p of models) {
    const design = pairDesign(p, 5)
    let mean = 0
    for (const text of textsOf(p.length, 5)) {
      if (chance(p, text) === 0) continue
      const bets = pairTest(design)
      bets.add(Uint8Array.from(text))
      mean += chance(p, text) * Math.exp(bets.logWealth())
    }
    expect(mean).toBeCloseTo(1, 11)
  }
})

test('so has what each bet on marked positions does to it, after earlier texts', () => {
  const contexts = ['a', 'b', undefined, 'a', 'c', 'b']
  for (const p of models) {
    const tokens = [...p.keys()].filter((token) => p[token]! > 0)
    const { below } = seededRandom(1, 'training')
    // contexts a and b agree in most of the earlier texts
    const training = Array.from({ length: 150 }, () => {
      const text = contexts.map(() => tokens[below(tokens.length)]!)
      return Uint8Array.from(below(4) > 0 ? text.with(1, text[0]!) : text)
    })
    const means = new Float64Array(markedBets(p).logs.length)
    for (const text of textsOf(p.length, contexts.length)) {
      if (chance(p, text) === 0) continue
      const bets = markedBets(p)
      for (const earlier of training) bets.add(earlier, contexts)
      const before = bets.logs.slice()
      bets.add(Uint8Array.from(text), contexts)
      for (let i = 0; i < means.length; i++)
        means[i]! += chance(p, text) * Math.exp(bets.logs[i]! - before[i]!)
    }
    for (const mean of means) expect(mean).toBeCloseTo(1, 11)
  }
})

const RUNS = 400
const RATE = 0.05
const seed = freshSeed()
const within = (count: number): void =>
  expect(logBinomialTail(count, RUNS, RATE), `${count} of ${RUNS}; seed ${seed}`).toBeGreaterThan(
    Math.log(1e-9),
  )

describe('rates', () => {
  const n = 40
  const p = new Float64Array(4).fill(1 / 4)
  const design = pairDesign(p, n)
  const share = coincidence(p)
  const nats = -Math.log(RATE)
  const { below, uniform } = seededRandom(seed, 'pairs')
  /** In how many of the runs the wealth reaches 1/RATE within that number of texts. */
  const won = (texts: number, next: () => Uint8Array): number => {
    let count = 0
    for (let run = 0; run < RUNS; run++) {
      const bets = pairTest(design)
      while (bets.texts < texts && !bets.reached(nats)) bets.add(next())
      if (bets.reached(nats)) count++
    }
    return count
  }
  const independent = (): Uint8Array => Uint8Array.from({ length: n }, () => below(4))

  test('texts of the model win at most as often as they may', () => within(won(60, independent)))

  test('an excess over all pairs is missed at most as often as promised, in its worst form', () => {
    const bets = design.all.filter(({ theta }) => theta > 0)
    const rates = { nats: natsOverAll(design, RATE), miss: RATE }
    const excess = 0.1
    const texts = textsForPairExcess(bets, share, excess, rates, 10_000)
    expect(smallestPairExcess(bets, share, texts, rates)).toBeLessThanOrEqual(excess)
    expect(smallestPairExcess(bets, share, texts - 2, rates)).toBeGreaterThan(excess)
    // the two ends: all tokens equal, or as even as can be
    const { least, most } = bets[0]!
    const often = ((share + excess) * most - least) / (most - least)
    const even = Uint8Array.from({ length: n }, (_, t) => t % 4)
    within(RUNS - won(texts, () => (uniform() < often ? new Uint8Array(n) : even)))
  })

  test.each([1, -1])('so is a difference at one distance (direction %i)', (sign) => {
    const bets = design.apart[0]!.filter(({ theta }) => sign * theta > 0)
    const texts = 60
    const rates = { nats: natsAtDistance(design, RATE), miss: RATE }
    const excess = smallestPairExcess(bets, share, texts, rates)
    expect(excess).toBeLessThan(0.25)
    const often = share + sign * excess
    const apart = Uint8Array.from({ length: n }, (_, t) => t % 4)
    within(RUNS - won(texts, () => (uniform() < often ? new Uint8Array(n) : apart)))
  })
})

describe('the claim', () => {
  const reuse = ngram(2, { repeated: 'reuse' })
  test('follows from the context rule of a shipped method', () => {
    expect(expEdit({ keyLength: 99 }).unbiasedUpTo).toBe(99)
    expect(itsEdit().unbiasedUpTo).toBe(256)
    expect(synthid({ context: synthidContexts() }).unbiasedUpTo).toBe(1024)
    expect(synthid({ context: synthidContexts({ history: 0 }) }).unbiasedUpTo).toBe(1)
    for (const context of [reuse, fixed()]) expect(dipmark({ alpha: 0.4, context }).unbiasedUpTo).toBe(1)
    for (const watermark of [gumbel(), christ(), unwatermarked()])
      expect(watermark.unbiasedUpTo).toBeUndefined()
  })

  test('in words', () => {
    expect([gumbel(), expEdit(), gumbel({ context: reuse }), kgw({ delta: 1 })].map(claimOf)).toEqual([
      'unbiased',
      'unbiased up to 256 tokens',
      'each step unbiased',
      'biased',
    ])
  })

  const check = async (watermark: Parameters<typeof checkWatermark>[0], name: string = law.pairs) =>
    (await checkWatermark(watermark, { laws: [name], effort: 'quick' }))[0]!

  test('holds up to its length and is shown false beyond', async () => {
    const { verdict, detail, evidence } = await check(expEdit({ keyLength: 64 }))
    expect(verdict).toBe('holds')
    expect(detail).toMatch(/^texts of 64 tokens;.*; in texts of 360 tokens, .* as declared$/)
    expect(evidence).toMatchObject({ kind: 'sampled', smallestBias: expect.any(Number) })
  })

  test('is refused where it reaches too far, and where it is needlessly modest', async () => {
    const far = await check(changed(expEdit({ keyLength: 64 }), { unbiasedUpTo: 128 }))
    expect(far.verdict).toBe('fails')
    expect(far.counterexample!.p).toBeDefined()
    const modest = await check(changed(race(), { unbiasedUpTo: 64 }))
    expect(modest).toMatchObject({ verdict: 'fails', detail: expect.stringContaining('unbiasedUpTo: 64') })
  })

  test('of a weak mark is shown by two positions that share a code', async () => {
    const weak = await check(dipmark({ alpha: 0.002, context: reuse }))
    expect(weak).toMatchObject({ verdict: 'holds', detail: expect.stringContaining('share the code') })
  })

  test('of one step is all that short texts are held to', async () => {
    const watermark = dipmark({ alpha: 0.5, context: reuse })
    expect((await check(watermark, law.texts)).verdict).toBe('holds')
    const unlimited = { ...watermark, unbiasedUpTo: undefined }
    expect((await check(unlimited, law.texts)).verdict).toBe('fails')
    expect((await check(unlimited)).verdict).toBe('fails')
  })

  test('is promised for each size of vocabulary', async () => {
    const { evidence } = await check(gumbel())
    if (evidence?.kind !== 'sampled') throw new Error('sampled evidence expected')
    expect(evidence.promises!.map(({ vocabSize }) => vocabSize)).toEqual([16, 4, 3])
    for (const { bias } of evidence.promises!.slice(0, 2)) expect(bias).toBeLessThanOrEqual(0.08)
  })
})

describe('long texts', () => {
  test('are as long as the claim, and there are none where it is short', () => {
    const trial = { effort: 'usual', bias: 0.02, falseAlarm: 1e-10, miss: 1e-3 } as const
    expect(longTexts(trial, Number.POSITIVE_INFINITY)).toMatchObject({ length: 2000, texts: 40 })
    expect(longTexts(trial, 1024)).toMatchObject({ length: 1024 })
    expect(longTexts(trial, LENGTH)).toBeUndefined()
    expect(longTexts({ ...trial, effort: 'quick' }, 1024)).toBeUndefined()
  })

  test('share the false-alarm rate with the others', () => {
    const trial = { effort: 'usual', bias: 0.02, falseAlarm: 1e-10, miss: 1e-3 } as const
    const all = [pairPlan(trial, LENGTH), longTexts(trial, 2000)!]
    expect(all.reduce((sum, { runs, level }) => sum + runs * level, 0)).toBeCloseTo(trial.falseAlarm, 20)
  })
})
