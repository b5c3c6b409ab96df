import fc from 'fast-check'
import { expect } from 'vitest'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { clopperPearson } from '../../src/core/stats/entry.ts'
import { entropy, expectedScores, gumbelScoreTail } from '../../src/theory/expected-score.ts'
import { scoreLaw } from '../../src/theory/score-law.ts'
import { criticalSteps, detectionPower, tokensNeeded } from '../../src/theory/tokens-needed.ts'
import { type NullLaw, type Watermark, weightedOrbit } from '../../src/watermark.ts'
import {
  type AnyWatermark,
  christ,
  dipmark,
  gammaReweight,
  gumbel,
  kgw,
  mcmark,
  sta1,
  synthid,
} from '../../src/watermarks/entry.ts'
import { distribution } from './distributions.ts'
import { section } from './statement.ts'
import { saltedTexts } from './texts.ts'

const statement = section('Detection')

/** Mean score over every code and token, with the declaration's own q and scores. */
function listedMean(watermark: AnyWatermark, p: Float64Array): number {
  const q = new Float64Array(p.length)
  let mean = 0
  for (const { code, weight } of watermark.enumerate!(p.length)) {
    watermark.reweight(p, code, q)
    for (let x = 0; x < p.length; x++) mean += weight * q[x]! * watermark.score(x, code)
  }
  return mean
}

const small = fc.integer({ min: 2, max: 4 }).chain(distribution)
const skewed = Float64Array.of(0.5, 0.3, 0.2)

/** A closed form against the average over all codes, on random distributions. */
function agrees(watermark: AnyWatermark, closed: (p: Float64Array) => number, numRuns = 60): void {
  fc.assert(
    fc.property(small, (p) => {
      expect(Math.abs(closed(p) - listedMean(watermark, p))).toBeLessThan(1e-12)
    }),
    { numRuns, examples: [[skewed]] },
  )
}

type Closed = (p: Float64Array) => number
const listed = 'exact: every code and token of 2 to 4 tokens listed, 60 random distributions'

statement<Closed[]>({
  name: 'sta1: a token is green with probability gamma + gamma (1 - gamma)(1 - sum p^2)',
  how: `${listed}, gamma 1/2 and 1/4`,
  claim: [(p) => expectedScores.sta1(p), (p) => expectedScores.sta1(p, 1 / 4)],
  check: (closed) => {
    agrees(sta1(), closed[0]!)
    agrees(sta1({ gamma: 1 / 4 }), closed[1]!)
    return undefined
  },
  falsehood: { what: 'sum p^2 left out', claim: [() => 3 / 4, () => 1 / 4 + 3 / 16] },
})

statement<Closed[]>({
  name: 'synthid: layer l adds 1/2 + (1 - C_l)/4, with C_1 = sum p^2 and C_2 = C_1 + (C_1 - 2 sum p^3 + C_1^2)/4',
  how: listed,
  claim: [(p) => expectedScores.synthid(p, 1), (p) => expectedScores.synthid(p, 2)],
  check: (closed) => {
    agrees(synthid({ layers: 1 }), closed[0]!)
    agrees(synthid({ layers: 2 }), closed[1]!, 20)
    return undefined
  },
  falsehood: {
    what: 'the second layer gains as much as the first',
    claim: [(p) => expectedScores.synthid(p, 1), (p) => 2 * expectedScores.synthid(p, 1)],
  },
})

statement<Closed[]>({
  name: 'kgw, mcmark, dipmark: expected score as a sum over the sets of tokens that are green, in the channel, before the token',
  how: `${listed}; kgw at delta 1 and 2, mcmark at 3 and 10 channels, dipmark at alpha 0.3 and 1/2`,
  claim: [
    (p) => expectedScores.tilt(p, 1),
    (p) => expectedScores.tilt(p, 2),
    (p) => expectedScores.mcmark(p, 3),
    (p) => expectedScores.mcmark(p, 10),
    (p) => expectedScores.dipmark(p, 0.3),
    (p) => expectedScores.dipmark(p, 1 / 2),
  ],
  check: (closed) => {
    const watermarks = [
      kgw({ delta: 1 }),
      kgw({ delta: 2 }),
      mcmark({ channels: 3 }),
      mcmark({ channels: 10 }),
      dipmark({ alpha: 0.3 }),
      gammaReweight(),
    ]
    for (const [i, watermark] of watermarks.entries()) agrees(watermark, closed[i]!)
    return undefined
  },
  falsehood: {
    what: 'their values for a vocabulary of vanishing probabilities: e^d/(1 + e^d), 1, 1/2 + alpha',
    claim: [
      () => Math.E / (1 + Math.E),
      () => Math.E ** 2 / (1 + Math.E ** 2),
      () => 1,
      () => 1,
      () => 0.8,
      () => 1,
    ],
  },
})

/** Integral over M ~ Exp(1): the trapezoid rule in ln M, which converges faster than any power of the step. */
function overExponential(f: (m: number) => number): number {
  let sum = 0
  const step = 1 / 16
  for (let t = -42; t <= 5; t += step) {
    const m = Math.exp(t)
    sum += step * m * Math.exp(-m) * f(m)
  }
  return sum
}

/** Average of the winners' scores over an orbit whose winning time is M. */
function orbitScore(watermark: ReturnType<typeof gumbel>, p: Float64Array, time: number): number {
  const winner = p.findIndex((x) => x > 0)
  const code = { at: (i: number) => p[i]! * time + (i === winner ? 0 : 1) } as Parameters<
    typeof watermark.score
  >[1]
  return weightedOrbit(watermark, code, p)!.reduce(
    (sum, member) => sum + member.weight * watermark.score(watermark.choose!(p, member.code), member.code),
    0,
  )
}

statement<Closed>({
  name: 'gumbel: the expected score is sum p H(1/p), H the harmonic number',
  how: 'exact: orbits averaged, the winning time integrated over Exp(1); 60 random distributions, to 1e-9',
  claim: (p) => expectedScores.gumbel(p),
  check: (closed) => {
    fc.assert(
      fc.property(small, (p) => {
        const average = overExponential((time) => orbitScore(gumbel(), p, time))
        expect(Math.abs(closed(p) - average)).toBeLessThan(1e-9)
      }),
      { numRuns: 60, examples: [[skewed]] },
    )
    return `on (1/2, 1/2): ${expectedScores.gumbel([0.5, 0.5]).toFixed(4)}`
  },
  falsehood: { what: '1 + entropy', claim: (p) => 1 + entropy(p) },
})

statement({
  name: 'gumbel: the score exceeds s with probability sum p (1 - (1 - e^-s)^(1/p)), whose integral is the expected score',
  how: 'exact: 20 random distributions, trapezoid rule, to 1e-4',
  claim: gumbelScoreTail,
  check: (tail) => {
    fc.assert(
      fc.property(small, (p) => {
        let sum = 0
        const step = 1 / 512
        for (let s = 0; s < 40; s += step) sum += (step * (tail(p, s) + tail(p, s + step))) / 2
        expect(Math.abs(sum - expectedScores.gumbel(p))).toBeLessThan(1e-4)
      }),
      { numRuns: 20, examples: [[skewed]] },
    )
    return undefined
  },
  falsehood: { what: 'with the law of one token alone, e^-s', claim: (_p, s) => Math.exp(-s) },
})

/** P(bit = 1) along a token's path, for vocabularies of 2 to 4 tokens, computed from the definition. */
function bitsOf(token: number, p: Float64Array): { bit: number; one: number }[] {
  const out: { bit: number; one: number }[] = []
  let [low, span] = [0, p.length <= 2 ? 2 : 4]
  while (span > 1) {
    span /= 2
    const mass = (from: number, to: number) => p.slice(from, to).reduce((a, b) => a + b, 0)
    const [zeros, ones] = [mass(low, low + span), mass(low + span, low + 2 * span)]
    const bit = token >= low + span ? 1 : 0
    out.push({ bit, one: ones / (zeros + ones) })
    if (bit) low += span
  }
  return out
}

statement<Closed>({
  name: 'christ: the expected score is the number of free bits plus the entropy in nats',
  how: 'exact: codes with every bit at the same place of its part, the place integrated over (0, 1); 60 random distributions, to 1e-9',
  claim: (p) => expectedScores.christ(p),
  check: (closed) => {
    const watermark: Watermark<{ at(bit: number): number; vocabSize: number }> = christ()
    fc.assert(
      fc.property(small, (p) => {
        let average = 0
        const step = 1 / 16
        for (let t = -40; t <= 40; t += step) {
          const v = 1 / (1 + Math.exp(-t))
          for (let token = 0; token < p.length; token++) {
            if (p[token] === 0) continue
            const u = bitsOf(token, p).map(({ bit, one }) => (bit ? v * one : one + (1 - one) * v))
            const code = { at: (bit: number) => Math.min(u[bit]!, 1 - 2 ** -53), vocabSize: p.length }
            average += step * v * (1 - v) * p[token]! * watermark.score(token, code)
          }
        }
        expect(Math.abs(closed(p) - average)).toBeLessThan(1e-9)
      }),
      { numRuns: 60, examples: [[skewed]] },
    )
    return undefined
  },
  falsehood: {
    what: 'the entropy in bits',
    claim: (p) => expectedScores.christ(p) + entropy(p) * (1 / Math.LN2 - 1),
  },
})

/** P(sum of n independent scores >= least), by convolution: an oracle for the tails. */
function tailByConvolution(masses: Float64Array, least: number, n: number): number {
  let sum = Float64Array.of(1)
  for (let i = 0; i < n; i++) {
    const next = new Float64Array(sum.length + masses.length - 1)
    for (const [a, x] of sum.entries()) for (const [b, y] of masses.entries()) next[a + b]! += x * y
    sum = next
  }
  return sum.slice(Math.max(0, least)).reduce((a, b) => a + b, 0)
}

const nullOf = (watermark: AnyWatermark): NullLaw => watermark.detector!.nullLaw as NullLaw

/** The smallest n at which the test has the power, by trying every n from 1. */
function firstByTrial(watermark: AnyWatermark, p: Float64Array, alpha: number, power: number): number {
  const { low } = scoreLaw(watermark, p)
  const nullLaw = nullOf(watermark)
  for (let n = 1; ; n++) {
    let critical = 0
    while (Math.exp(nullLaw.logTail(critical, n)) > alpha) critical++
    if (tailByConvolution(low, critical, n) >= power) return n
  }
}

const quick: readonly AnyWatermark[] = [
  gammaReweight(),
  dipmark({ alpha: 0.4 }),
  mcmark({ channels: 4 }),
  sta1(),
  synthid({ layers: 2 }),
  kgw({ delta: 2 }),
]

statement({
  name: 'tokensNeeded is the smallest number of scored tokens at which the test has the wanted power',
  how: 'exact: every length from 1 tried with sums by convolution, 40 random cases',
  claim: 0,
  check: (off) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: 4 }).chain(distribution),
        fc.constantFrom(...quick),
        fc.constantFrom(0.05, 0.01),
        // no power that a sum of products of small fractions meets exactly
        fc.constantFrom(0.503, 0.897),
        (p, watermark, alpha, power) => {
          const needed = tokensNeeded(watermark, p, alpha, power)
          fc.pre(needed.applicable && needed.high <= 120)
          if (!needed.applicable) return
          expect(needed.low).toBe(needed.high)
          expect(needed.high + off).toBe(firstByTrial(watermark, p, alpha, power))
        },
      ),
      { numRuns: 40, examples: [[skewed, gammaReweight(), 0.05, 0.503]] },
    )
    return undefined
  },
  falsehood: { what: 'one token fewer', claim: -1 },
})

const five = Float64Array.of(0.3, 0.25, 0.2, 0.15, 0.1)
const simulatedTexts = 1500
const visible: readonly AnyWatermark[] = [...quick, gumbel()]

statement({
  name: 'the computed power is that of watermarked texts under the real key schedule',
  how: `simulated: ${simulatedTexts} texts of fresh contexts for each of ${visible.length} watermarks, alpha 1%, computed power 80%; Clopper-Pearson interval, false alarm 1e-9 in all`,
  claim: 1,
  check: (times) => {
    const found = visible.map((watermark) => {
      const needed = tokensNeeded(watermark, five, 0.01, 0.8)
      if (!needed.applicable) throw new Error(needed.reason)
      const n = needed.high
      const law = scoreLaw(watermark, five)
      const critical = criticalSteps(nullOf(watermark), n, 0.01, law.step) * law.step
      const texts = saltedTexts(watermark, five, 0, 'power', true)
      const stream = seededRandom('power', watermark.id)
      let detected = 0
      for (let salt = 0; salt < simulatedTexts; salt++)
        if (texts.sum(texts.write(n, salt, stream), salt) >= critical) detected++
      const interval = clopperPearson(detected, simulatedTexts, 1 - 1e-9 / visible.length)
      const length = Math.ceil(n * times)
      const least = detectionPower(law, nullOf(watermark), length, 0.01, 'low')
      const most = detectionPower(law, nullOf(watermark), length, 0.01, 'high')
      expect(interval.low).toBeLessThanOrEqual(most)
      expect(interval.high).toBeGreaterThanOrEqual(least)
      return `${watermark.id} ${(detected / simulatedTexts).toFixed(2)} at ${n}`
    })
    return `detected: ${found.join(', ')} tokens`
  },
  falsehood: { what: 'the power computed for texts of twice the length', claim: 2 },
})

statement({
  name: 'how long a text must be before its watermark can be seen (alpha 1%, power 90%)',
  how: 'exact: laws of scores listed over all codes, or in closed form; a distribution with more entropy needs fewer tokens',
  claim: [Float64Array.of(0.9, 0.05, 0.05), skewed, five],
  check: (distributions) => {
    const rows = visible.map((watermark) => {
      const needed = distributions.map((p) => {
        const result = tokensNeeded(watermark, p, 0.01, 0.9)
        if (!result.applicable) throw new Error(result.reason)
        expect(result.exact).toBe(true)
        return result
      })
      for (let i = 1; i < needed.length; i++) expect(needed[i]!.high).toBeLessThan(needed[i - 1]!.low)
      return `${watermark.id} ${needed.map((r) => (r.low === r.high ? r.high : `${r.low}..${r.high}`)).join(' / ')}`
    })
    const nats = distributions.map((p) => entropy(p).toFixed(2)).join(' / ')
    return `scored tokens at an entropy of ${nats} nats: ${rows.join(', ')}`
  },
  falsehood: { what: 'less entropy needs fewer tokens', claim: [five, skewed] },
})
