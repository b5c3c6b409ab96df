/** The engine on itself: each sampled test run at rates that can be measured, and its parts against enumeration. */
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { logBinomialTail } from '../../src/core/stats/entry.ts'
import { bets } from '../../src/gate/laws/engine/bets.ts'
import { empiricalBernstein, hoeffding, totalVariationThreshold } from '../../src/gate/laws/engine/bounds.ts'
import { keysNeeded, meanTest, smallestBias } from '../../src/gate/laws/engine/mean-test.ts'
import {
  keysForExcess,
  pValueTest,
  smallestExcess,
  smallestRate,
} from '../../src/gate/laws/engine/p-value-test.ts'
import { powerPlan } from '../../src/gate/laws/engine/power-test.ts'
import { freshSeed } from '../../src/gate/laws/seed.ts'

const seed = freshSeed()
const RUNS = 400
const RATE = 0.05

/** Asserts that an event of probability at most RATE happened so often: wrongly fails with probability at most 1e-9. */
function atMostRate(count: number, what: string): void {
  const logP = logBinomialTail(count, RUNS, RATE)
  expect(logP, `${what}: ${count} of ${RUNS}, promised at most ${RATE}; seed ${seed}`).toBeGreaterThan(
    Math.log(1e-9),
  )
}

type Sampler = (uniform: () => number) => Float64Array

/** One token of weight 1: the worst case, as far from its mean as a distribution can be. */
const pointMass = (p: readonly number[]): Sampler => {
  return (uniform) => {
    const q = new Float64Array(p.length)
    let u = uniform()
    let i = 0
    for (; i < p.length - 1 && u >= p[i]!; i++) u -= p[i]!
    q[i] = 1
    return q
  }
}
/** Mostly p itself, now and then a point mass: little variance. */
const lazy = (p: readonly number[], share: number): Sampler => {
  const jump = pointMass(p)
  return (uniform) => (uniform() < share ? jump(uniform) : Float64Array.from(p))
}

const p3 = Float64Array.of(0.5, 0.3, 0.2)
const p16 = Float64Array.from({ length: 16 }, () => 1 / 16)
/** p with `bias` moved from its first outcome to its last. */
const moved = (p: Float64Array, bias: number): number[] => {
  const q = [...p]
  q[0]! -= bias
  q[q.length - 1]! += bias
  return q
}

describe('meanTest at rates that can be measured', () => {
  const rates = { falseAlarm: RATE, miss: RATE, bias: 0.1 }
  const uniform = seededRandom(seed, 'mean').uniform
  const count = (p: Float64Array, sampler: Sampler, verdict: string): number => {
    let hits = 0
    for (let run = 0; run < RUNS; run++) {
      const one = meanTest(p, rates)
      while (one.add(sampler(uniform)) === undefined);
      expect(one.taken).toBeLessThanOrEqual(keysNeeded(p, rates))
      if (one.verdict === verdict) hits++
    }
    return hits
  }
  test.each([
    ['point masses', p3, pointMass([...p3])],
    ['little variance', p3, lazy([...p3], 0.2)],
    ['many outcomes', p16, pointMass([...p16])],
    ['no variance', p3, () => p3],
  ] as const)('correct, %s: rarely fails', (name, p, sampler) => {
    atMostRate(count(p, sampler, 'fails'), name)
  })
  test.each([
    ['point masses', p3, pointMass(moved(p3, 0.101))],
    ['little variance', p3, lazy(moved(p3, 0.3), 0.34)],
    ['no variance', p3, () => Float64Array.from(moved(p3, 0.101))],
  ] as const)('a bias just above the promised one, %s: rarely holds', (name, p, sampler) => {
    atMostRate(
      count(p, (u) => Float64Array.from(sampler(u)), 'holds'),
      name,
    )
  })
  test('a mean of almost p stops long before the worst case', () => {
    const one = meanTest(p3, { falseAlarm: 1e-9, miss: 1e-3, bias: 0.02 })
    while (one.add(p3) === undefined);
    expect(one.verdict).toBe('holds')
    expect(one.taken).toBeLessThan(keysNeeded(p3, { falseAlarm: 1e-9, miss: 1e-3, bias: 0.02 }) / 20)
  })
  test('mass where there can be none fails at once', () => {
    expect(meanTest(Float64Array.of(1, 0), rates).add(Float64Array.of(1 - 1e-12, 1e-12))).toBe('fails')
  })
  test('what it sees and what it costs are inverse to each other', () => {
    for (const p of [p3, p16, Float64Array.of(1, 0)]) {
      const keys = keysNeeded(p, rates)
      expect(smallestBias(p, keys, rates)).toBeLessThanOrEqual(rates.bias)
      expect(smallestBias(p, keys - 1, rates)).toBeGreaterThan(rates.bias)
    }
  })
})

describe('the e-process, by enumeration', () => {
  /** Every sequence of n point masses over p with its probability. */
  function* sequences(p: readonly number[], n: number): Generator<[number[], number]> {
    if (n === 0) yield [[], 1]
    else
      for (const [head, probability] of sequences(p, n - 1))
        for (let i = 0; i < p.length; i++) yield [[...head, i], probability * p[i]!]
  }
  const oneHot = (i: number, m: number): Float64Array =>
    Float64Array.from({ length: m }, (_, j) => +(i === j))

  test('against p: mean wealth is 1 after every key, and Ville bounds its maximum', () => {
    const p = Float64Array.of(0.7, 0.3)
    const n = 12
    const mean = new Float64Array(n)
    let reached = 0
    for (const [sequence, probability] of sequences([...p], n)) {
      const gambler = bets(p, 4)
      let best = 0
      for (const [t, token] of sequence.entries()) {
        gambler.add(oneHot(token, 2).map((q, i) => q - p[i]!))
        mean[t]! += probability * Math.exp(gambler.logWealth())
        best = Math.max(best, gambler.logWealth())
      }
      if (best >= Math.log(4)) reached += probability
    }
    for (const value of mean) expect(value).toBeCloseTo(1, 12)
    expect(reached).toBeLessThanOrEqual(1 / 4)
    expect(reached).toBeGreaterThan(0.01)
  })

  test('a wrong p makes it grow: the bets are not idle', () => {
    const { uniform } = seededRandom(seed, 'grow')
    const gambler = bets(p3, 100)
    const sampler = pointMass([0.2, 0.3, 0.5])
    for (let i = 0; i < 2000; i++) gambler.add(sampler(uniform).map((q, j) => q - p3[j]!))
    expect(gambler.logWealth()).toBeGreaterThan(Math.log(1e12))
  })
})

describe('the bounds, by enumeration over binomial counts', () => {
  const mass = (k: number, n: number, rate: number): number =>
    Math.exp(logBinomialTail(k, n, rate)) - Math.exp(logBinomialTail(k + 1, n, rate))
  const nats = Math.log(1 / 0.05)
  test.each([
    [10, 0.5],
    [40, 0.1],
    [200, 0.02],
    [1000, 0.3],
  ])('n = %i, rate %d', (n, rate) => {
    let over = 0
    let uncovered = 0
    let totalVariation = 0
    for (let k = 0; k <= n; k++) {
      const mean = k / n
      const variance = (mean * (1 - mean) * n) / (n - 1)
      if (mean - rate >= hoeffding(n, nats)) over += mass(k, n, rate)
      if (rate - mean > empiricalBernstein(n, variance, nats)) uncovered += mass(k, n, rate)
      const spread = 2 * Math.sqrt(rate * (1 - rate))
      if (Math.abs(mean - rate) >= totalVariationThreshold(2, n, nats, spread))
        totalVariation += mass(k, n, rate)
    }
    for (const event of [over, uncovered, totalVariation]) expect(event).toBeLessThanOrEqual(0.05)
  })
})

describe('pValueTest at rates that can be measured', () => {
  const rates = { falseAlarm: RATE, miss: RATE }
  const { uniform } = seededRandom(seed, 'p-values')
  const keys = 300
  const fails = (draw: () => number, exact: boolean, n = keys): number => {
    let hits = 0
    for (let run = 0; run < RUNS; run++) {
      const logs = Float64Array.from({ length: n }, () => Math.log(draw()))
      if (pValueTest(logs, exact, rates).verdict === 'fails') hits++
    }
    return hits
  }
  const lattice = (m: number) => () => Math.ceil(m * uniform()) / m
  test('uniform, discrete and conservative p-values rarely fail', () => {
    atMostRate(fails(uniform, true), 'uniform')
    atMostRate(fails(lattice(7), true), 'lattice')
    atMostRate(
      fails(() => Math.sqrt(uniform()), false),
      'conservative',
    )
  })
  test('an excess just above what it can see is rarely missed', () => {
    const excess = smallestExcess(keys, rates)
    expect(keysForExcess(excess, rates)).toBeLessThanOrEqual(keys)
    // P(p <= 0.4) = 0.4 + excess, at no other value more than a multiple of it
    const draw = () => (uniform() < 0.4 + excess ? 0.4 : 1)
    atMostRate(RUNS - fails(draw, false), 'excess at 0.4')
  })
  test.each([
    ['too heavy a tail', () => uniform() ** 1.5, false],
    ['0.1% reached by 3%', () => (uniform() < 0.03 ? 1e-4 : 1), false],
    ['declared exact, but conservative', () => Math.sqrt(uniform()), true],
    ['1e-9 with probability 1/256', () => (uniform() < 1 / 256 ? 1e-9 : uniform()), true],
    ['0 with probability 1/256', () => (uniform() < 1 / 256 ? 0 : uniform()), false],
  ] as const)('%s is found', (_, draw, exact) => {
    expect(fails(draw, exact, 2000)).toBeGreaterThan(RUNS * 0.9)
  })
})

test('a rate that is said to be seen is missed as seldom as promised', () => {
  const rates = { falseAlarm: 1e-9, miss: RATE }
  const { uniform } = seededRandom(seed, 'smallest rate')
  for (const level of [0.01, 1e-3, 1e-6]) {
    const rate = smallestRate(level, 1000, rates)
    expect(rate).toBeGreaterThan(level)
    expect(rate).toBeLessThan(0.1)
    let missed = 0
    for (let run = 0; run < RUNS; run++) {
      const logs = Float64Array.from({ length: 1000 }, () =>
        uniform() < 1.0001 * rate ? Math.log(level) : 0,
      )
      if (pValueTest(logs, false, rates).verdict === 'holds') missed++
    }
    atMostRate(missed, `P(p <= ${level}) = ${rate}`)
  }
  expect(smallestRate(0.5, 3, rates)).toBe(1)
})

test('a p-value that is no number fails', () => {
  const rates = { falseAlarm: 1e-9, miss: 1e-3 }
  for (const wrong of [Number.NaN, 0.1, Number.POSITIVE_INFINITY]) {
    const logs = new Float64Array(100).fill(-0.5)
    logs[50] = wrong
    const finding = pValueTest(logs, false, rates)
    expect(finding).toMatchObject({ verdict: 'fails', why: `ln of a p-value is ${wrong}` })
  }
})

test('powerPlan keeps both rates, exactly, and is the smallest', () => {
  const plan = powerPlan(0.01, { falseAlarm: 1e-10, miss: 1e-3 })
  expect(plan.falseAlarm).toBeLessThanOrEqual(1e-10)
  expect(plan.miss).toBeLessThanOrEqual(1e-3)
  let below = 0
  let choose = 1
  for (let k = 0; k < plan.needed; k++) {
    below += choose / 2 ** plan.texts
    choose = (choose * (plan.texts - k)) / (k + 1)
  }
  expect(below / plan.falseAlarm).toBeCloseTo(1, 9)
  expect(plan.texts).toBeLessThan(100)
})
