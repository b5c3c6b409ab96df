/** Betting on projections, tested on itself: by enumeration, at rates that can be measured, and at the key numbers it computes. */
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { logBinomialTail } from '../../src/core/stats/entry.ts'
import { LearnedSet } from '../../src/gate/laws/engine/learned-set.ts'
import { ProjectionBets } from '../../src/gate/laws/engine/projection-bets.ts'
import { above, kl } from '../../src/gate/laws/engine/projection-plan.ts'
import {
  type ProjectionClass,
  ProjectionTest,
  projectionBias,
  projectionKeys,
} from '../../src/gate/laws/engine/projection-test.ts'
import { smallestUpper, UpperBets } from '../../src/gate/laws/engine/upper-bets.ts'
import { freshSeed } from '../../src/gate/laws/seed.ts'

const seed = freshSeed()
const RUNS = 400
const RATE = 0.05
const rates = { falseAlarm: RATE, miss: RATE }

/** Asserts that an event of probability at most RATE happened so often: wrongly fails with probability at most 1e-9. */
function atMostRate(count: number, what: string): void {
  const logP = logBinomialTail(count, RUNS, RATE)
  expect(logP, `${what}: ${count} of ${RUNS}, promised at most ${RATE}; seed ${seed}`).toBeGreaterThan(
    Math.log(1e-9),
  )
}

/** Projections of one sample, and the classes it belongs to. */
type Sampler = (uniform: () => number, n: number) => { x: number[]; classes?: number[] }

/** Every sequence of n values below `count`, with its probability. */
function* sequences(p: readonly number[], n: number): Generator<[number[], number]> {
  if (n === 0) yield [[], 1]
  else
    for (const [head, probability] of sequences(p, n - 1))
      for (let i = 0; i < p.length; i++) yield [[...head, i], probability * p[i]!]
}

describe('by enumeration', () => {
  const stakes = { bias: 0.1, refuted: 0.1, rounding: 0, alarm: 6, miss: 3 }

  test('mean wealth is 1 after every sample, and Ville bounds its maximum', () => {
    const means = Float64Array.of(0.3, 0.7, 0.3)
    const n = 11
    const mean = new Float64Array(n)
    let reached = 0
    for (const [sequence, probability] of sequences([0.7, 0.3], n)) {
      const bets = new ProjectionBets(means, 40, stakes)
      let best = 0
      for (const [t, coin] of sequence.entries()) {
        // the second is the complement of the first, the third the first again: any dependence will do
        bets.add(Float64Array.of(coin, 1 - coin, coin))
        const wealth = bets.wealth / (4 * means.length)
        mean[t]! += probability * wealth
        best = Math.max(best, wealth)
      }
      if (best >= 4) reached += probability
    }
    for (const value of mean) expect(value).toBeCloseTo(1, 12)
    expect(reached).toBeLessThanOrEqual(1 / 4)
    expect(reached).toBeGreaterThan(0)
  })

  test('where the mean is the one that is doubted, it is refuted with probability at most miss', () => {
    const n = 14
    let refuted = 0
    for (const [sequence, probability] of sequences([0.6, 0.4], n)) {
      const bets = new ProjectionBets(Float64Array.of(0.3), 40, { ...stakes, miss: Math.log(4) })
      let open = true
      for (const coin of sequence) {
        bets.add(Float64Array.of(coin))
        // one bet doubts "0.4 at least", the other "0.2 at most": both have to win
        if (bets.open === 0) open = false
      }
      if (!open) refuted += probability
    }
    expect(refuted).toBeLessThanOrEqual(1 / 4)
  })

  test('a learned set: mean wealth is 1', () => {
    const p = Float64Array.of(0.5, 0.3, 0.2)
    let mean = 0
    for (const [sequence, probability] of sequences([...p], 12)) {
      const learned = new LearnedSet(p, 1, 0)
      for (const token of sequence) {
        const q = new Float64Array(3)
        q[token] = 1
        learned.add(q, undefined)
      }
      mean += probability * learned.wealth
    }
    expect(mean).toBeCloseTo(1, 10)
  })
})

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i)
const BIAS = 0.1

/** How many of RUNS tests end with a verdict. */
function count(
  means: readonly number[],
  classes: readonly ProjectionClass[],
  sampler: Sampler,
  verdict: string,
): number {
  const { uniform } = seededRandom(seed, ...means, verdict)
  let hits = 0
  for (let run = 0; run < RUNS; run++) {
    const one = new ProjectionTest(Float64Array.from(means), classes, rates)
    for (let n = 0; one.verdict === undefined; n++) {
      const { x, classes: at = upTo(classes.length) } = sampler(uniform, n)
      one.add(at, Float64Array.from(x))
    }
    for (const [c, { keys }] of classes.entries()) expect(one.count(c)).toBeLessThanOrEqual(keys)
    if (one.verdict === verdict) hits++
  }
  return hits
}
const oneClass = (means: readonly number[], bias = BIAS): ProjectionClass[] => {
  const keys = projectionKeys(Float64Array.from(means), 1, { ...rates, bias })
  return [{ share: 1, bias, keys }]
}
const coins =
  (chances: readonly number[]): Sampler =>
  (uniform) => {
    const u = uniform()
    return { x: chances.map((chance) => (u < chance ? 1 : 0)) }
  }

describe('at rates that can be measured', () => {
  test.each([
    ['coins', [0.5, 0.1, 0.02, 0.9]],
    ['one coin', [0.5]],
    ['many', upTo(40).map((j) => (j + 0.5) / 40)],
  ] as const)('correct, %s: rarely fails', (name, means) => {
    atMostRate(count(means, oneClass(means), coins(means), 'fails'), name)
  })
  test('correct, all keys taken: rarely fails', () => {
    // nothing is refuted early where the bias must be this small
    const means = [0.5, 0.2]
    const classes = [{ share: 1, bias: 0.001, keys: 2000 }]
    atMostRate(count(means, classes, coins(means), 'fails'), 'to the end')
  })
  test('correct, little variance: rarely fails', () => {
    const lazy: Sampler = (uniform) => ({
      x: [uniform() < 0.1 ? 0.5 + 0.5 * (uniform() < 0.5 ? 1 : -1) : 0.5],
    })
    atMostRate(count([0.5], oneClass([0.5]), lazy, 'fails'), 'lazy')
  })

  test.each([0.5, 0.1, 0.01, 0.8])(
    'a bias just above the promised one on a mean of %d: rarely holds',
    (m) => {
      const means = [m, 0.3, 0.6]
      const biased: Sampler = (uniform) => ({
        x: [m + 1.01 * BIAS, 0.3, 0.6].map((chance) => (uniform() < chance ? 1 : 0)),
      })
      atMostRate(count(means, oneClass(means), biased, 'holds'), `up from ${m}`)
    },
  )
  test('a bias downwards, and one without variance: rarely holds', () => {
    const down: Sampler = (uniform) => ({ x: [uniform() < 0.5 - 1.01 * BIAS ? 1 : 0] })
    atMostRate(count([0.5], oneClass([0.5]), down, 'holds'), 'down')
    atMostRate(
      count([0.5], oneClass([0.5]), () => ({ x: [0.5 - 1.01 * BIAS] }), 'holds'),
      'constant',
    )
  })
  test('biases of opposite sign in two classes do not cancel', () => {
    const keys = projectionKeys(Float64Array.of(0.5), 1 / 2, { ...rates, bias: BIAS })
    const classes = upTo(2).map(() => ({ share: 1 / 2, bias: BIAS, keys }))
    const opposite: Sampler = (uniform, n) => ({
      x: [uniform() < 0.5 + (n % 2 === 0 ? 1 : -1) * 1.01 * BIAS ? 1 : 0],
      classes: [n % 2],
    })
    atMostRate(count([0.5], classes, opposite, 'holds'), 'opposite')
  })
})

test('what is promised and what it costs are inverse to each other', () => {
  const means = Float64Array.of(0.5, 0.01, 0.3)
  for (const bias of [0.02, 0.1]) {
    const keys = projectionKeys(means, 1 / 2, { ...rates, bias })
    expect(projectionBias(means, 1 / 2, keys, rates)).toBeLessThanOrEqual(bias)
    expect(projectionBias(means, 1 / 2, keys - 1, rates)).toBeGreaterThan(bias * 0.999)
  }
})

test('a family of a thousand sets costs a fifth more keys than one of ten', () => {
  const keys = (sets: number): number =>
    projectionKeys(new Float64Array(sets).fill(0.5), 1, { falseAlarm: 1e-11, miss: 1e-3, bias: 0.02 })
  expect(keys(1000) / keys(10)).toBeLessThan(1.25)
  // 2 (ln(4 J / falseAlarm)) Var / b^2, and as much again for the miss rate
  expect(keys(10)).toBeGreaterThan((2 * Math.log(40e11) * 0.25) / 0.02 ** 2)
  expect(keys(10)).toBeLessThan(
    (2 * (Math.sqrt(Math.log(40e11)) + Math.sqrt(Math.log(2e3))) ** 2 * 0.25) / 0.02 ** 2,
  )
})

test('NaN is no wealth: it fails', () => {
  const one = new ProjectionTest(Float64Array.of(0.5), oneClass([0.5]), rates)
  expect(one.add([0], Float64Array.of(Number.NaN))).toBe('fails')
})

test('a bias below rounding is none', () => {
  const one = new ProjectionTest(Float64Array.of(0.5), oneClass([0.5]), rates, { rounding: 1e-12 })
  while (one.add([0], Float64Array.of(0.5 + 9e-13)) === undefined);
  expect(one.verdict).toBe('holds')
})

test('a learned set finds a bias that no one named', () => {
  const { uniform, below } = seededRandom(seed, 'learned')
  const size = 400
  const p = new Float64Array(size).fill(1 / size)
  const favoured = new Set(upTo(100).map(() => below(size)))
  const learned = new LearnedSet(p, 1, 1e-12)
  for (let n = 0; n < 20_000 && learned.wealth < 1e12; n++) {
    const q = new Float64Array(size)
    // 30% of the mass goes to the favoured tokens whatever p says
    const token = uniform() < 0.3 ? [...favoured][below(favoured.size)]! : below(size)
    q[token] = 1
    learned.add(q, Uint32Array.of(token))
  }
  expect(learned.wealth).toBeGreaterThanOrEqual(1e12)
  const { ids, mass, q } = learned.describe(5)
  expect(ids.filter((id) => favoured.has(id)).length).toBeGreaterThanOrEqual(4)
  expect(q).toBeGreaterThan(mass)
})

test('divergence of coins', () => {
  expect(kl(0.5, 0.25)).toBeCloseTo(0.5 * Math.log(2) + 0.5 * Math.log(2 / 3), 14)
  expect(kl(0, 0.5)).toBeCloseTo(Math.log(2), 14)
  expect(kl(0.3, 0.3)).toBe(0)
  expect(kl(above(0.2, 0.05), 0.2)).toBeCloseTo(0.05, 10)
})

describe('bets on one side only', () => {
  const KEYS = 60
  /** How many of RUNS times the bets win. */
  const won = (most: readonly number[], sample: (uniform: () => number) => number[]): number => {
    const { uniform } = seededRandom(seed, 'upper', ...most, sample.toString())
    let hits = 0
    for (let run = 0; run < RUNS; run++) {
      const bets = new UpperBets(Float64Array.from(most), KEYS, RATE)
      for (let n = 0; n < KEYS && bets.wealth < 1 / RATE; n++) bets.add(Float64Array.from(sample(uniform)))
      if (bets.wealth >= 1 / RATE) hits++
    }
    return hits
  }

  test('mean wealth is 1 where means are as large as they may be', () => {
    const n = 11
    let mean = 0
    for (const [sequence, probability] of sequences([0.7, 0.3], n)) {
      const bets = new UpperBets(Float64Array.of(0.3, 0.3), 40, 0.01)
      for (const coin of sequence) bets.add(Float64Array.of(coin, coin))
      mean += probability * bets.wealth
    }
    expect(mean).toBeCloseTo(1, 10)
  })
  test('correct: rarely win, however projections depend on each other', () => {
    atMostRate(
      won([0.5, 0.1, 0.5], (uniform) => {
        const u = uniform()
        return [u < 0.5 ? 1 : 0, u < 0.1 ? 1 : 0, (u + uniform()) / 2]
      }),
      'as large as they may be',
    )
    atMostRate(
      won([0.5, 0.1], (uniform) => [uniform() / 2, 0]),
      'smaller',
    )
  })
  test('an excess of the promised size is rarely missed', () => {
    const excess = smallestUpper(0.2, KEYS, 2, rates)
    expect(excess).toBeLessThan(0.4)
    const hits = won([0.2, 0.5], (uniform) => [uniform() < 0.2 + excess ? 1 : 0, 0.5])
    atMostRate(RUNS - hits, 'coins')
  })
  test('what hardly spreads is seen far sooner, and told', () => {
    const bets = new UpperBets(Float64Array.of(0.5, 0.4), KEYS, 1e-9)
    const { uniform } = seededRandom(seed, 'little spread')
    while (bets.wealth < 1e9) bets.add(Float64Array.of(0.5, 0.45 + 0.1 * uniform()))
    expect(bets.count).toBeLessThan(300)
    expect(bets.best()).toMatchObject({ projection: 1 })
    expect(bets.best().mean).toBeCloseTo(0.5, 1)
    expect(smallestUpper(0.4, 300, 2, { falseAlarm: 1e-9, miss: 1e-3 })).toBeGreaterThan(0.15)
  })
})
