import fc from 'fast-check'
import { expect } from 'vitest'
import { binomial, exponential, lattice, weightedBits } from '../../src/core/detect/null-laws.ts'
import { fixed } from '../../src/core/keys/fixed.ts'
import { ngram } from '../../src/core/keys/ngram.ts'
import type { ContextRule } from '../../src/core/keys/rule.ts'
import { beamAttack, exhaustiveAttack } from '../../src/theory/adversary.ts'
import {
  certifiedDecisionRadius,
  certifiedRadius,
  decisionRadius,
  recurringRadius,
} from '../../src/theory/certified-radius.ts'
import { allEdits, applyEdit } from '../../src/theory/edits.ts'
import { scoredPairs } from '../../src/theory/effect-region.ts'
import { type KeyedDetector, keyedDetector } from '../../src/theory/keyed-detector.ts'
import { certifiedScoreRadius, scoreRadius } from '../../src/theory/score-certificate.ts'
import type { NullLaw } from '../../src/watermark.ts'
import {
  type AnyWatermark,
  deltaReweight,
  dipmark,
  gammaReweight,
  gumbel,
  kgw,
  mcmark,
  sta1,
  synthid,
  unigram,
} from '../../src/watermarks/entry.ts'
import { section } from './statement.ts'
import { scoredBy, writeText } from './texts.ts'

const statement = section('Robustness: certificates')

statement({
  name: 'p(S, N) <= p(S, N + 1) and p(S, N) <= p(S - B, N - 1)',
  how: 'bounded: 400 random sums, 5 null laws',
  claim: 1,
  check: (share) => {
    const laws: { law: NullLaw; bound: number }[] = [
      { law: binomial(1 / 2), bound: 1 },
      { law: binomial(1 / 20), bound: 1 },
      { law: binomial(1 / 2, { trials: 5 }), bound: 5 },
      { law: weightedBits([3, 2, 1]), bound: 6 },
      { law: lattice(Float64Array.of(0.25, 0.25, 0.25, 0.25)), bound: 3 },
    ]
    fc.assert(
      fc.property(
        fc.constantFrom(...laws),
        fc.integer({ min: 2, max: 60 }),
        fc.nat(100),
        ({ law, bound }, n, percent) => {
          const sum = Math.round((n * bound * percent) / 100)
          const here = law.logTail(sum, n)
          expect(here).toBeLessThanOrEqual(law.logTail(sum, n + 1) + 1e-9)
          expect(here).toBeLessThanOrEqual(law.logTail(sum - Math.floor(share * bound), n - 1) + 1e-9)
        },
      ),
      { numRuns: 400, examples: [[laws[0]!, 20, 90]] },
    )
    return undefined
  },
  falsehood: { what: 'p(S, N) <= p(S, N - 1)', claim: 0 },
})

/** A text, its green pairs and the world around them. */
interface World {
  readonly vocabSize: number
  readonly n: number
  readonly tokens: readonly number[]
  readonly rate: number
  readonly alpha: number
  /** Scored pairs of the text that are red after all. */
  readonly red: readonly number[]
  /** Every `others`-th pair that is not in the text is green. */
  readonly others: number
}

const hash = (text: string): number => {
  let h = 7
  for (const char of text) h = (Math.imul(h, 31) + char.charCodeAt(0)) >>> 0
  return h
}

/** A watermark under which the text's own scored pairs are green, but for a few. */
function worldWatermark(world: World, rule: ContextRule) {
  const own = [...scoredPairs(rule, world.tokens).keys()]
  const green = new Set(own.filter((_, i) => !world.red.includes(i)))
  const known = new Set(own)
  return scoredBy(rule, binomial(world.rate), (token, context) => {
    const pair = `${context.join()}|${token}`
    if (known.has(pair)) return green.has(pair) ? 1 : 0
    return world.others > 0 && hash(pair) % world.others === 0 ? 1 : 0
  })
}

const world = (length: { min: number; max: number }): fc.Arbitrary<World> =>
  fc.integer({ min: 4, max: 5 }).chain((vocabSize) =>
    fc.record({
      vocabSize: fc.constant(vocabSize),
      n: fc.constantFrom(1, 2),
      tokens: fc.array(fc.nat(vocabSize - 1), { minLength: length.min, maxLength: length.max }),
      rate: fc.constantFrom(1 / 2, 1 / 4, 1 / 10),
      alpha: fc.constantFrom(0.05, 0.2),
      red: fc.array(fc.nat(25), { maxLength: 2 }),
      others: fc.constantFrom(0, 0, 3),
    }),
  )

/** A text of 23 tokens, n = 2, one edit uncovers and steals, S falls from 18 to 13 of 19. */
const example: World = {
  vocabSize: 16,
  n: 2,
  tokens: [0, 1, 2, 3, 4, 1, 2, 5, 6, 2, 3, 7, 8, 1, 9, 10, 11, 9, 3, 12, 13, 14, 15],
  rate: 1 / 2,
  alpha: 0.05,
  red: [18],
  others: 0,
}

/** Radius with a region `off` longer than the rule's, and whether an exhaustive adversary breaks it within `most` edits. */
function challenge(world: World, off: number, most: number): { radius: number; edits: number | undefined } {
  const rule = ngram(world.n)
  const watermark = worldWatermark(world, rule)
  const { vocabSize, alpha } = world
  const options = { key: 'any', vocabSize, alpha }
  const { statistic, scored } = keyedDetector(watermark, options).detect(world.tokens)
  const radius = decisionRadius({
    law: binomial(world.rate),
    statistic,
    scored,
    region: rule.reach + off,
    bound: 1,
    alpha,
  })
  const tried = Math.min(radius, most)
  if (tried < 1) return { radius, edits: undefined }
  return { radius, edits: exhaustiveAttack(watermark, world.tokens, { ...options, most: tried }).edits }
}

statement({
  name: 'every text within the certified radius is still detected (one edit of any kind)',
  how: 'exact: 60 random small worlds, every text one edit away, adversary knows the key',
  claim: 0,
  check: (off) => {
    fc.assert(
      fc.property(world({ min: 14, max: 24 }), (w) => {
        expect(challenge(w, off, 1).edits).toBeUndefined()
      }),
      { numRuns: 60, examples: [[example]] },
    )
    return undefined
  },
  falsehood: { what: 'a region one shorter than 2n + 1', claim: -1 },
})

/** Texts of 17 tokens whose 15 contexts all differ. */
const varied: readonly (readonly number[])[] = [
  [0, 0, 1, 0, 2, 0, 3, 1, 1, 2, 1, 3, 2, 2, 3, 3, 0],
  [3, 2, 1, 0, 0, 1, 1, 2, 2, 3, 3, 1, 3, 0, 2, 0, 3],
]

statement({
  name: 'every text within the certified radius is still detected (two edits of any kind)',
  how: 'exact: 4 small worlds, two of them of radius 2, every text two edits away, adversary knows the key',
  claim: 0,
  check: (off) => {
    const worlds = varied.flatMap((tokens) =>
      [1 / 10, 1 / 2].map(
        (rate): World => ({ vocabSize: 4, n: 2, tokens, rate, alpha: 0.05, red: [], others: 0 }),
      ),
    )
    const results = worlds.map((w) => challenge(w, off, 2))
    for (const { edits } of results) expect(edits).toBeUndefined()
    expect(results.map(({ radius }) => radius)).toEqual([2, 0, 2, 0])
    return undefined
  },
  falsehood: { what: 'a region of 1', claim: -4 },
})

statement({
  name: 'under the repeated-context rule one edit breaks the certificate with the plain region n + 1',
  how: 'exact: one text of 23 tokens, n = 2, alpha = 0.05',
  claim: 3,
  check: (region) => {
    const rule = ngram(2)
    const watermark = worldWatermark(example, rule)
    const { detect } = keyedDetector(watermark, { key: 'any', vocabSize: 16, alpha: 0.05 })
    const before = detect(example.tokens)
    const after = detect(applyEdit(example.tokens, { kind: 'substitution', at: 2, token: 9 }))
    const threshold = 14
    expect(Math.exp(binomial(1 / 2).logTail(threshold, 19))).toBeLessThanOrEqual(0.05)
    expect(Math.exp(binomial(1 / 2).logTail(threshold - 1, 19))).toBeGreaterThan(0.05)
    expect([before.statistic, before.scored, after.statistic, after.scored]).toEqual([18, 19, 13, 19])
    // certified for one edit, and one edit undoes the detection
    expect(certifiedRadius({ statistic: 18, threshold, region, bound: 1 })).toBeGreaterThanOrEqual(1)
    expect(after.detected).toBe(false)
    return `S falls from 18 to 13 of 19, the threshold is 14, p = ${Math.exp(after.logPValue).toFixed(3)}`
  },
  falsehood: { what: 'so does it with 2n + 1', claim: 5 },
})

statement({
  name: 'a search finds texts that break the plain region n + 1 under the repeated-context rule',
  how: 'exact: 300 worlds drawn from a fixed seed, every text one edit away',
  claim: 3,
  check: (region) => {
    const worlds = fc.sample(world({ min: 16, max: 24 }), { numRuns: 300, seed: 7 }).filter((w) => w.n === 2)
    const broken = worlds.filter((w) => challenge(w, region - ngram(2).reach, 1).edits !== undefined).length
    expect(broken).toBeGreaterThan(0)
    return `${broken} of ${worlds.length} random texts`
  },
  falsehood: { what: 'it breaks 2n + 1', claim: 5 },
})

statement({
  name: "S(x) - S(x') <= b R B for any b edits: the statistic is Lipschitz with the region of the rule in use",
  how: 'exact: 40 random small worlds, every text one edit away, rules that score every token and first occurrences',
  claim: 0,
  check: (off) => {
    fc.assert(
      fc.property(world({ min: 10, max: 18 }), fc.boolean(), (w, reuse) => {
        const rule = ngram(w.n, { repeated: reuse ? 'reuse' : 'skip' })
        const watermark = worldWatermark(w, rule)
        const options = { key: 'any', vocabSize: w.vocabSize, alpha: w.alpha }
        const { detect } = keyedDetector(watermark, options)
        const before = detect(w.tokens).statistic
        const lowest = lowestStatistic(w, detect)
        expect(before - lowest).toBeLessThanOrEqual(rule.reach + off)
      }),
      { numRuns: 40, examples: [[example, false]] },
    )
    return undefined
  },
  falsehood: { what: 'a region one shorter', claim: -1 },
})

/** The lowest statistic of any text one edit away. */
function lowestStatistic(w: World, detect: KeyedDetector['detect']): number {
  const replacements = Array.from({ length: w.vocabSize }, (_, i) => i)
  let lowest = Number.POSITIVE_INFINITY
  for (const edit of allEdits(w.tokens, replacements))
    lowest = Math.min(lowest, detect(applyEdit(w.tokens, edit)).statistic)
  return lowest
}

/** Ten tokens three times each, all green: 30 tokens are ten trials. */
const threefold = Array.from({ length: 30 }, (_, i) => i % 10)

statement({
  name: 'where contexts recur the certificate by Hoeffding over counts is never broken',
  how: 'exact: 20 random worlds with a fixed green set or reused n-grams, every text one edit away; a beam search on a text of 30',
  claim: true,
  check: (byCounts) => {
    const radiusOf = (
      watermark: AnyWatermark,
      tokens: readonly number[],
      vocabSize: number,
      alpha: number,
    ) => {
      const { statistic, scored, logPValue } = keyedDetector(watermark, {
        key: 'any',
        vocabSize,
        alpha,
      }).detect(tokens)
      const counts = [...scoredPairs(watermark.context, tokens).values()]
      const law = watermark.detector!.nullLaw as NullLaw
      const facts = { law, statistic, scored, region: watermark.context.reach, bound: 1, alpha }
      return byCounts ? recurringRadius({ ...facts, logPValue, counts }) : decisionRadius(facts)
    }
    const green = scoredBy(fixed(), binomial(1 / 2), (token) => (token < 10 ? 1 : 0))
    const radius = radiusOf(green, threefold, 12, 0.01)
    const attack = beamAttack(green, threefold, {
      key: 'any',
      vocabSize: 12,
      alpha: 0.01,
      most: 20,
      width: 2,
      candidates: 12,
    })
    expect(attack.edits).toBeGreaterThan(radius)
    fc.assert(
      fc.property(world({ min: 12, max: 20 }), fc.boolean(), (w, unigramLike) => {
        const rule = unigramLike ? fixed() : ngram(1, { repeated: 'reuse' })
        const watermark = worldWatermark(w, rule)
        const certified = radiusOf(watermark, w.tokens, w.vocabSize, w.alpha)
        if (certified < 1) return
        const options = { key: 'any', vocabSize: w.vocabSize, alpha: w.alpha, most: 1 }
        expect(exhaustiveAttack(watermark, w.tokens, options).edits).toBeUndefined()
      }),
      { numRuns: 20 },
    )
    return `ten tokens three times each: certified ${radius}, attacked with ${attack.edits} edits`
  },
  falsehood: {
    what: 'the certificate for contexts that do not recur: n tokens counted as n trials',
    claim: false,
  },
})

/** Scores without a bound: the text's own pairs have large ones of different sizes, others a small one or none. */
function unboundedWatermark(world: World, rule: ContextRule) {
  const own = new Set(scoredPairs(rule, world.tokens).keys())
  return scoredBy(
    rule,
    exponential(),
    (token, context) => {
      const pair = `${context.join()}|${token}`
      const size = (hash(pair) % 16) / 4
      return own.has(pair) ? 2 + size : world.others > 0 ? size / 8 : 0
    },
    Number.POSITIVE_INFINITY,
  )
}

/** The radius from the scores, the region `off` longer than the rule's, against every text one edit away. */
function challengeScores(
  w: World,
  unbounded: boolean,
  off: number,
): { radius: number; edits: number | undefined } {
  const rule = ngram(w.n)
  const watermark = unbounded ? unboundedWatermark(w, rule) : worldWatermark(w, rule)
  const options = { key: 'any', vocabSize: w.vocabSize, alpha: w.alpha }
  const { perToken } = keyedDetector(watermark, options).detect(w.tokens)
  const law = watermark.detector!.nullLaw as NullLaw
  const radius = scoreRadius({
    logTail: (sum, n) => law.logTail(sum, n),
    scores: perToken.filter((x) => !Number.isNaN(x)),
    region: rule.reach + off,
    alpha: w.alpha,
  })
  if (radius < 1) return { radius, edits: undefined }
  return { radius, edits: exhaustiveAttack(watermark, w.tokens, { ...options, most: 1 }).edits }
}

statement({
  name: 'beyond the paper: the certificate from the scores themselves holds, bounded or not, and is never smaller',
  how: 'exact: 60 random small worlds, scores of 0 or 1 and unbounded ones, every text one edit away',
  claim: 0,
  check: (off) => {
    fc.assert(
      fc.property(world({ min: 14, max: 24 }), fc.boolean(), (w, unbounded) => {
        const { radius, edits } = challengeScores(w, unbounded, off)
        expect(edits).toBeUndefined()
        if (!unbounded) expect(radius).toBeGreaterThanOrEqual(challenge(w, 0, 0).radius)
      }),
      { numRuns: 60, examples: [[example, false]] },
    )
    return undefined
  },
  falsehood: { what: 'a region one shorter than 2n + 1', claim: -1 },
})

const shipped: readonly AnyWatermark[] = [
  dipmark({ alpha: 0.4 }),
  gammaReweight(),
  deltaReweight(),
  mcmark({ channels: 10 }),
  mcmark({ channels: 20 }),
  sta1(),
  synthid({ layers: 20 }),
  kgw({ delta: 2 }),
  unigram({ delta: 2 }),
  gumbel(),
]
const vocabSize = 64
const even = new Float64Array(vocabSize).fill(1 / vocabSize)

interface Tightness {
  /** Certified from the bound of a score; undefined where there is none. */
  readonly radius: number | undefined
  /** Certified from the scores themselves; undefined where contexts recur. */
  readonly fromScores: number | undefined
  /** Edits that a greedy adversary with the key needs; undefined where 40 were not enough. */
  readonly edits: number | undefined
}

function tightness(watermark: AnyWatermark): Tightness {
  const tokens = writeText(watermark, even, 80, 'tight', watermark.id)
  const options = { key: 'tight', vocabSize, alpha: 0.01 }
  const [byBound, byScores] = [certifiedDecisionRadius, certifiedScoreRadius].map((certify) => {
    const certificate = certify(watermark, tokens, options)
    return certificate.applicable ? certificate.radius : undefined
  })
  const { edits } = beamAttack(watermark, tokens, { ...options, most: 40, width: 1, candidates: 4 })
  return { radius: byBound, fromScores: byScores, edits }
}
let measured: [AnyWatermark, Tightness][] | undefined

statement({
  name: 'no adversary that searches beats the certificates of a shipped watermark; how tight they are',
  how: 'bounded: one text of 80 tokens per watermark (flat over 64 tokens), alpha 1%; greedy search with the key, 4 tokens tried at each place',
  claim: 1,
  check: (factor) => {
    measured ??= shipped.map((watermark) => [watermark, tightness(watermark)])
    const rows = measured.map(([{ id }, { radius, fromScores, edits }]) => {
      const most = Math.max(radius ?? -1, fromScores ?? -1)
      if (edits !== undefined) expect(factor * most).toBeLessThan(edits)
      return `${id} ${radius ?? '-'}/${fromScores ?? '-'}/${edits ?? 'over 40'}`
    })
    return `certified by the bound / by the scores / attacked: ${rows.join(', ')}`
  },
  falsehood: { what: 'three times the radius', claim: 3 },
})
