/**
 * A stream's e-value is a fair game and its p-value may be watched: exactly, in worlds whose keys can be listed, and sampled with the real
 * key schedule. The sampled part has a false-alarm rate of 1e-9 for the whole file, whatever its fresh seed; with 4,000 streams per case it finds a
 * chance of a false alarm of 9% at 5%, or of 3.5% at 1%, with probability above 99.9%.
 */
import { describe, expect, test } from 'vitest'
import { betsOn } from '../../src/core/detect/e-process.ts'
import type { ContextRule } from '../../src/core/keys/rule.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { logBinomialTail } from '../../src/core/stats/log-binomial-tail.ts'
import {
  binomial,
  christ,
  detect,
  expEdit,
  exponential,
  fixed,
  gumbel,
  kgw,
  lattice,
  mcmark,
  ngram,
  stream,
  synthid,
  unigram,
  unwatermarked,
  weightedBits,
  withoutReplacement,
} from '../../src/index.ts'
import type { AnyWatermark, NullLaw } from '../../src/watermark.ts'
import { twoExponentials } from '../../src/watermarks/mechanisms/exponential-laws.ts'
import {
  sglangContexts,
  synthidContexts,
  textsealContexts,
  vllmContexts,
} from '../../src/watermarks/published/context.ts'
import { detectableWatermarks } from '../watermarks/shipped.ts'
import { nullText, nullVocabulary } from './null-texts.ts'
import { independentScores, keysOf, textsOf, type World } from './stream-worlds.ts'

const key = 'a secret of sixteen bytes'

const green = independentScores(2, [3 / 4, 1 / 4])
const oneOfTwo: World['codes'] = [
  { scores: [0, 1], weight: 1 / 2 },
  { scores: [1, 0], weight: 1 / 2 },
]
const noMgf = ({ logMgf: _, ...law }: NullLaw): NullLaw => law
const reuse = ngram(1, { repeated: 'reuse' })
const worlds: World[] = [
  { name: 'a fixed set', rule: fixed(), law: binomial(1 / 4), vocabSize: 2, codes: green },
  { name: 'contexts skipped', rule: ngram(1), law: binomial(1 / 4), vocabSize: 2, codes: green },
  { name: 'contexts reused', rule: reuse, law: binomial(1 / 4), vocabSize: 2, codes: green },
  {
    name: 'exactly one of two',
    rule: reuse,
    law: withoutReplacement(1, 2),
    vocabSize: 2,
    codes: oneOfTwo,
  },
  {
    name: 'scores of three values',
    rule: fixed(),
    law: { ...binomial(1 / 2), ...lattice(Float64Array.of(1 / 2, 1 / 4, 1 / 4)) },
    vocabSize: 3,
    codes: independentScores(3, [1 / 2, 1 / 4, 1 / 4]),
  },
]
const contextsIn = ({ rule, vocabSize }: World): string[] =>
  rule.id === 'fixed()' ? [''] : Array.from({ length: vocabSize }, (_, token) => `${token}`)

/** The mean of the e-value over all keys, of the whole text and when the p-value first is at most 0.7. */
function meanEValues(world: World, text: readonly number[]): [end: number, stopped: number] {
  let [end, stopped] = [0, 0]
  for (const { watermark, weight } of keysOf(world, contextsIn(world))) {
    const follow = stream(watermark, { key, vocabSize: world.vocabSize })
    let atStop: number | undefined
    let last = 1
    for (const token of text) {
      const { eValue, pValue } = follow.push(token)
      if (pValue <= 0.7) atStop ??= eValue
      last = eValue
    }
    end += weight * last
    stopped += weight * (atStop ?? last)
  }
  return [end, stopped]
}

describe('the mean e-value over all keys', () => {
  test.each(worlds.map((world) => [world.name, world] as const))(
    '%s: is 1 for every text and stopping time',
    (_, world) => {
      for (const text of textsOf(world.vocabSize, 5))
        for (const mean of meanEValues(world, text)) expect(mean, text.join()).toBeCloseTo(1, 12)
    },
  )
  test('is at most 1 where a law has only its tail', () => {
    for (const text of textsOf(2, 5))
      for (const mean of meanEValues({ ...worlds[0]!, law: noMgf(binomial(1 / 4)) }, text))
        expect(mean, text.join()).toBeLessThanOrEqual(1 + 1e-12)
  })
  test.each([
    ['repetitions as new evidence', { ...worlds[0]!, rule: { ...fixed(), recurs: false } }, [0, 0]],
    ['a null rate that is too low', { ...worlds[1]!, law: binomial(0.2) }, [0, 0]],
    [
      'dependent scores as independent',
      // a text with both tokens has one of each score: no bet on both is fair on average over the two orders
      {
        ...worlds[3]!,
        law: { ...binomial(1 / 2), logMgf: (tilt: number) => Math.log(1 / 2 + Math.exp(tilt) / 2) },
      },
      [0, 0, 1],
    ],
  ])('is not 1 for %s', (_, world, text) => {
    expect(Math.abs(meanEValues(world as World, text)[0] - 1)).toBeGreaterThan(1e-3)
  })
})

/** E e^(tilt X) from the tails: 1 + the sum, or the integral, of P(X >= x) d e^(tilt x). */
function mgfFromTails(law: NullLaw, tilt: number, step: number, top: number): number {
  let sum = 1
  for (let x = step; x <= top; x += step) {
    const at = step === 1 ? x : x - step / 2
    sum += Math.exp(law.logTail(at, 1)) * (Math.exp(tilt * x) - Math.exp(tilt * (x - step)))
  }
  return sum
}

test.each<[NullLaw, number, number]>([
  [binomial(0.3), 1, 1],
  [binomial(0.5, { trials: 20 }), 1, 20],
  [weightedBits([3, 2, 1], { rate: 0.4 }), 1, 6],
  [lattice(Float64Array.of(0.5, 0.25, 0.25)), 1, 2],
  [withoutReplacement([2, 3], 5), 1, 1],
  [exponential(), 1e-3, 60],
  [exponential({ terms: 3 }), 1e-3, 60],
  [twoExponentials(0.8, 0.2), 1e-3, 60],
])('the moment-generating function of $name agrees with its tails', (law, step, top) => {
  for (const tilt of [0, 0.1, 0.4])
    expect(Math.exp(law.logMgf!(tilt)) / mgfFromTails(law, tilt, step, top)).toBeCloseTo(
      1,
      step === 1 ? 11 : 5,
    )
})

test('the tilts end before the law does', () => {
  const { count, gains } = betsOn(exponential())
  const out = new Float64Array(count)
  gains(100, out)
  for (const gain of out) expect(gain).toBeGreaterThan(0)
  gains(0, out)
  for (const gain of out) expect(gain).toBeLessThan(0)
  expect(count).toBeGreaterThan(8)
})

describe('contexts', () => {
  test.each(
    [
      ngram(2),
      ngram(3, { short: true }),
      ngram(1, { repeated: 'reuse' }),
      fixed(),
      synthidContexts({ history: 20 }),
      vllmContexts(),
      sglangContexts({ window: 2 }),
      textsealContexts({ ngram: 3 }),
    ].map((rule) => [rule.id, rule] as const),
  )('%s: a stream keeps the end of the text only, and says the same', (_, rule) => {
    const { follow, lookback, ...plain } = rule
    let longest = 0
    const watched: ContextRule = {
      ...rule,
      follow: (...args) => {
        const at = follow!(...args)
        return (tokens, t) => {
          longest = Math.max(longest, tokens.length)
          return at(tokens, t)
        }
      },
    }
    const options = { key: 'a secret of sixteen bytes', vocabSize: 30, skip: [7] }
    // without `follow` the entire text is asked for after every token
    const [short, long] = [watched, plain].map((context) => stream(gumbel({ context }), options))
    for (let t = 0; t < 400; t++) {
      const token = (t * t + (t >> 3)) % 29
      expect(short!.push(token)).toEqual(long!.push(token))
    }
    expect(longest).toBeLessThanOrEqual(2 * (lookback! + 2) + 64)
  })

  const rules: ContextRule[] = [
    fixed(),
    ngram(0),
    ngram(1),
    ngram(2, { short: true }),
    ngram(2, { repeated: 'reuse' }),
    synthidContexts({ ngramLength: 3, history: 4 }),
  ]
  test.each(rules.map((rule) => [rule.id, rule] as const))(
    '%s: followed as in a finished text',
    (_, rule) => {
      const skip = (token: number): boolean => token === 2
      for (let i = 0; i < 200; i++) {
        const random = seededRandom('follow', i)
        const tokens = Array.from({ length: random.below(12) }, () => random.below(3))
        const at = rule.follow!(skip)
        expect(tokens.map((_, t) => at(tokens.slice(0, t + 1), t))).toEqual(rule.scored(tokens, skip))
      }
    },
  )
  test('a rule that cannot follow is asked about the text so far', () => {
    const { follow: _, ...rule } = ngram(2)
    const [with_, without] = [ngram(2), rule].map((context) => {
      const text = stream(gumbel({ context }), { key, vocabSize: 10, skip: [3] })
      return [0, 1, 2, 0, 1, 3, 4, 5].map((token) => text.push(token))
    })
    expect(without).toEqual(with_)
  })
})

const isSum = ({ detector }: AnyWatermark): boolean => detector!.id === 'sum'

test.each(
  detectableWatermarks()
    .filter((watermark) => isSum(watermark) && !watermark.context.recurs)
    .map((watermark) => [watermark.id, watermark] as const),
)('%s: as many tokens are scored as detect scores', (_, watermark) => {
  const tokens = nullText('repetitive', 'scored', 1, 60)
  const text = stream(watermark, { key, vocabSize: nullVocabulary, skip: [7] })
  const { scored } = tokens.map((token) => text.push(token)).at(-1)!
  expect(scored).toBe(detect(watermark, tokens, { key, vocabSize: nullVocabulary, skip: [7] }).scored)
})

const seed = `stream ${crypto.getRandomValues(new Uint32Array(1))[0]}`
const levels = [0.05, 0.01, 0.001]
const STREAMS = 4_000

/** ln of the chance of so many false alarms if the guarantee holds, per level; the p-value is the smallest after any token. */
function excess(
  alarm: (tokens: number[], key: string) => number,
  kind: 'random' | 'repetitive' = 'repetitive',
  streams = STREAMS,
): number[] {
  const counts = levels.map(() => 0)
  for (let i = 0; i < streams; i++) {
    const smallest = alarm(nullText(kind, seed, i, 60), `${seed}/${i}`)
    for (const [k, level] of levels.entries()) if (smallest <= level) counts[k]!++
  }
  return levels.map((level, k) => logBinomialTail(counts[k]!, streams, level))
}
const watched =
  (watermark: AnyWatermark) =>
  (tokens: number[], own: string): number => {
    const text = stream(watermark, { key: own, vocabSize: nullVocabulary })
    let smallest = 1
    for (const token of tokens) smallest = Math.min(smallest, text.push(token).pValue)
    return smallest
  }

const monitored = [
  gumbel(),
  synthid(),
  mcmark({ channels: 20 }),
  unigram({ delta: 2 }),
  kgw({ delta: 2, context: reuse }),
]
const logLevel = Math.log(1e-9 / (monitored.length * levels.length))

test.each(monitored.map((watermark) => [watermark.id, watermark] as const))(
  `%s: false alarms of a watched stream (${seed})`,
  (_, watermark) => {
    expect(Math.min(...excess(watched(watermark)))).toBeGreaterThan(logLevel)
  },
)

test('the check rejects a p-value for one look that is watched, and repetitions as new evidence', () => {
  const naive = (tokens: number[], own: string): number => {
    let smallest = 1
    for (let n = 3; n <= tokens.length; n++) {
      const { pValue } = detect(gumbel(), tokens.slice(0, n), { key: own, vocabSize: nullVocabulary })
      smallest = Math.min(smallest, pValue)
    }
    return smallest
  }
  // about a quarter of the streams are below 5% at some look: 400 are plenty
  expect(Math.min(...excess(naive, 'random', 400))).toBeLessThan(logLevel)
  const { context, ...rest } = unigram({ delta: 2 })
  expect(Math.min(...excess(watched({ ...rest, context: { ...context, recurs: false } })))).toBeLessThan(
    logLevel,
  )
})

describe('refused', () => {
  test.each([expEdit(), christ(), unwatermarked()])('$id: has no sum detector', (watermark) => {
    expect(() => stream<never>(watermark as never, { key, vocabSize: 10 })).toThrow(
      `watermark: expected one with a sum detector, which scores each token on its own (${watermark.detector === undefined ? 'this one has no detector' : `this one has the detector '${watermark.detector.id}'`}), got '${watermark.id}'`,
    )
  })
  test('a token outside the vocabulary, which is not read', () => {
    const text = stream(gumbel(), { key, vocabSize: 10 })
    for (const token of [1, 2, 3]) text.push(token)
    expect(() => text.push(10)).toThrow(
      "tokens[3]: expected a token id in [0, 10), the width of the model's logits, got 10",
    )
    expect(text.push(4).scored).toBe(2)
  })
  test('a score that was not declared', () => {
    const wrong = { ...kgw({ delta: 2 }), score: () => 2 }
    const text = stream(wrong, { key, vocabSize: 10 })
    expect(() => [1, 2, 3].map((token) => text.push(token))).toThrow(
      'score of token 3: expected a number in [0, 1], got 2',
    )
  })
  test('unknown options', () => {
    expect(() => stream(gumbel(), { key, vocabsize: 10 } as never)).toThrow("unknown option 'vocabsize'")
  })
})
