import fc from 'fast-check'
import { expect } from 'vitest'
import { type Stream, seededRandom } from '../../src/core/keys/stream.ts'
import { logBinomialTail } from '../../src/core/stats/entry.ts'
import { detWmk, type SpmgForm, spmgGap, spmgTailBound, spmgThreshold } from '../../src/theory/spmg.ts'
import { spmgTest } from '../../src/theory/spmg-test.ts'
import { section } from './statement.ts'
import { detWmkLaw, tailAt, type WholeLaw } from './two-point.ts'

const statement = section('SPMG (Theorem 2)')

/** Lists of m metrics for each of n prompts, in steps of A/4 within [-A, A]. */
const generations = (n: number, m: number, bound: number) =>
  fc.array(
    fc.array(
      fc.integer({ min: -4, max: 4 }).map((x) => (bound * x) / 4),
      { minLength: m, maxLength: m },
    ),
    { minLength: n, maxLength: n },
  )

/** All texts of m metrics with their probabilities. */
function allDraws(values: readonly number[], weights: readonly number[], m: number): [number[], number][] {
  let draws: [number[], number][] = [[[], 1]]
  for (let i = 0; i < m; i++)
    draws = draws.flatMap(([list, w]) =>
      values.map((x, k): [number[], number] => [[...list, x], w * weights[k]!]),
    )
  return draws
}

const few = fc.record({
  values: fc.uniqueArray(fc.integer({ min: -3, max: 3 }), { minLength: 2, maxLength: 3 }),
  weights: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 3, maxLength: 3 }),
})

statement({
  name: 'E DetWmk = 0 when the test model is the original',
  how: 'exact: 60 random metrics of 2 or 3 values, m = 1 and 2, every outcome listed',
  claim: 0,
  check: (shift) => {
    fc.assert(
      fc.property(few, fc.integer({ min: 1, max: 2 }), ({ values, weights }, m) => {
        const used = weights.slice(0, values.length)
        const total = used.reduce((a, b) => a + b, 0)
        const draws = allDraws(
          values,
          used.map((w) => w / total),
          m,
        )
        let mean = 0
        for (const [original, a] of draws)
          for (const [test, b] of draws)
            for (const [clone, c] of draws)
              mean += a * b * c * detWmk([original], [test.map((x) => x + shift)], [clone])
        expect(Math.abs(mean)).toBeLessThan(1e-9)
      }),
      { numRuns: 60, examples: [[{ values: [0, 1], weights: [1, 1, 1] }, 1]] },
    )
    return undefined
  },
  falsehood: { what: 'also when its metric is shifted by 3', claim: 3 },
})

/** One metric among the three sets of generations, given another value. */
interface Change {
  bound: number
  sets: [original: number[][], test: number[][], clone: number[][]]
  at: [set: number, prompt: number, place: number]
  to: number
}

statement({
  name: 'one generation of M moves DetWmk by at most 4A/(mn), one of T or of its clone by at most 2A/(mn)',
  how: 'bounded: 500 random single changes; both constants are attained',
  claim: 1,
  check: (factor) => {
    const sizes = fc.record({
      n: fc.integer({ min: 1, max: 4 }),
      m: fc.integer({ min: 1, max: 4 }),
      bound: fc.constantFrom<number>(0.1, 1, 3),
    })
    const inputs: fc.Arbitrary<Change> = sizes.chain(({ n, m, bound }) =>
      fc.record({
        bound: fc.constant<number>(bound),
        sets: fc.tuple(generations(n, m, bound), generations(n, m, bound), generations(n, m, bound)),
        at: fc.tuple(fc.nat(2), fc.nat(n - 1), fc.nat(m - 1)),
        to: fc.integer({ min: -4, max: 4 }).map((x) => (bound * x) / 4),
      }),
    )
    const change = ({ bound, sets, at: [set, prompt, place], to }: Change): number => {
      const changed = structuredClone(sets)
      changed[set]![prompt]![place] = to
      const size = sets[0].length * sets[0][0]!.length
      return (Math.abs(detWmk(...changed) - detWmk(...sets)) * size) / bound
    }
    const largest = [4, 2, 2]
    // M = T moves to the other end, where its clone is; T or the clone leaves M for the other end
    const extreme: Change[] = [
      { bound: 1, sets: [[[1]], [[1]], [[-1]]], at: [0, 0, 0], to: -1 },
      { bound: 1, sets: [[[-1]], [[-1]], [[-1]]], at: [1, 0, 0], to: 1 },
      { bound: 1, sets: [[[-1]], [[-1]], [[-1]]], at: [2, 0, 0], to: 1 },
    ]
    fc.assert(
      fc.property(inputs, (input) => {
        expect(change(input)).toBeLessThanOrEqual(factor * largest[input.at[0]]! + 1e-9)
      }),
      { numRuns: 500, examples: extreme.map((input) => [input]) },
    )
    const attained = extreme.map(change)
    expect(attained).toEqual(largest)
    return `attained: ${attained.join(', ')} times A/(mn)`
  },
  falsehood: { what: 'constants one percent smaller', claim: 0.99 },
})

/** Designs on which the law of DetWmk is known exactly. */
const designs = [1, 2, 5, 20].flatMap((m) =>
  [1, 3, 10].flatMap((n) => [0.5, 0.1].map((theta) => ({ m, n, theta, law: detWmkLaw(m, n, theta) }))),
)
const bounds = [0.1, 0.3, 1, 3]

/** Every t that DetWmk can take, with its exact tail. */
function* tails(law: WholeLaw, m: number, n: number, bound: number): Generator<[t: number, tail: number]> {
  let tail = 0
  for (let i = law.mass.length - 1; i > law.offset; i--) {
    tail += law.mass[i]!
    if (tail > 1e-15) yield [((i - law.offset) * 2 * bound) / (m * n), tail]
  }
}

for (const [form, constant] of [
  ['theorem', 12],
  ['sharp', 4],
] as const)
  statement({
    name: `P(DetWmk >= t) <= exp(-m n t^2 / (${constant} A^2))${form === 'sharp' ? ': T and its clone are exchangeable given M' : ''}`,
    how: 'bounded: exact law of a +-A metric, 24 designs (m, n, P(+A)) x 4 bounds A, every t that DetWmk can take',
    claim: constant,
    check: (c) => {
      let needed = 0
      for (const { m, n, law } of designs)
        for (const bound of bounds)
          for (const [t, tail] of tails(law, m, n, bound)) {
            const inequality = spmgTailBound(t, { generations: m, prompts: n, bound, form }) ** (constant / c)
            expect(tail).toBeLessThanOrEqual(inequality + 1e-12)
            needed = Math.max(needed, (m * n * t * t) / (bound ** 2 * Math.log(1 / tail)))
          }
      return `the smallest constant that these laws allow is ${needed.toFixed(3)}`
    },
    falsehood: { what: 'the constant 3', claim: 3 },
  })

/** P(|DetWmk| >= t) for the t of a step of the law. */
const twoSided = ({ mass, offset }: WholeLaw, step: number): number =>
  mass.reduce((sum, one, i) => sum + (Math.abs(i - offset) >= step ? one : 0), 0)

statement({
  name: 'two-sided, as printed: P(|DetWmk| >= t) <= 2 exp(-m n t^2 / (12 A^2)), E DetWmk being 0',
  how: 'bounded: exact law of a +-A metric, 24 designs x 4 bounds A, every t that DetWmk can take',
  claim: 12,
  check: (c) => {
    let most = 0
    for (const { m, n, law } of designs)
      for (const bound of bounds)
        for (let step = 1; law.offset + step < law.mass.length; step++) {
          const t = (step * 2 * bound) / (m * n)
          const tail = twoSided(law, step)
          if (tail <= 1e-15) break
          const inequality = 2 * Math.exp((-m * n * t * t) / (c * bound ** 2))
          expect(tail).toBeLessThanOrEqual(inequality + 1e-12)
          most = Math.max(most, tail / inequality)
        }
    return `at most ${most.toFixed(2)} of the bound`
  },
  falsehood: { what: 'the constant 3', claim: 3 },
})

statement({
  name: 'with probability at least 1 - delta, |DetWmk| <= A sqrt(12 ln(2/delta) / (mn))',
  how: 'bounded: exact law of a +-A metric, 24 designs x 4 bounds x delta 50%, 5%, 1%, 0.1%',
  claim: 12,
  check: (c) => {
    let worst = 0
    for (const { m, n, law } of designs)
      for (const bound of bounds)
        for (const delta of [0.5, 0.05, 0.01, 0.001]) {
          const reach = bound * Math.sqrt((c * Math.log(2 / delta)) / (m * n))
          // the first step of the law beyond the reach
          const beyond = twoSided(law, Math.floor((reach * m * n) / (2 * bound) + 1e-9) + 1)
          expect(beyond).toBeLessThanOrEqual(delta)
          worst = Math.max(worst, beyond / delta)
        }
    return `missed with probability at most ${worst.toFixed(2)} delta`
  },
  falsehood: { what: 'sqrt(2) in place of sqrt(12)', claim: 2 },
})

const levels = [0.05, 0.01, 0.001]
statement({
  name: 'at level alpha the thresholds A sqrt(12 ln(1/alpha)/(mn)) and 2A sqrt(ln(1/alpha)/(mn)) keep the type-I error',
  how: 'bounded: exact law of a +-A metric, 24 designs x 4 bounds x alpha 5%, 1%, 0.1%',
  claim: ['theorem', 'sharp'] as readonly SpmgForm[],
  check: (forms) => {
    let worst = 0
    for (const { m, n, law } of designs)
      for (const bound of bounds)
        for (const alpha of levels)
          for (const form of forms) {
            const t = spmgThreshold({ generations: m, prompts: n, bound, alpha, form })
            const error = tailAt(law, t, m, n, bound)
            expect(error).toBeLessThanOrEqual(alpha)
            worst = Math.max(worst, error / alpha)
          }
    return `at most ${worst.toFixed(2)} alpha`
  },
  falsehood: { what: 'the threshold as printed, A^2 sqrt(12 ln(1/alpha)/(mn))', claim: ['printed'] },
})

statement({
  name: 'erratum: with A squared the type-I error at alpha = 0.05 is 1/4 (m = n = 1, A = 0.3) and 0.29 (m = 1000, n = 10, A = 0.1)',
  how: 'exact: law of a fair +-A metric by convolution',
  claim: 'printed',
  check: (form: SpmgForm) => {
    const error = (m: number, n: number, bound: number, as: SpmgForm): [number, number] => {
      const t = spmgThreshold({ generations: m, prompts: n, bound, alpha: 0.05, form: as })
      return [t, tailAt(detWmkLaw(m, n, 0.5), t, m, n, bound)]
    }
    const [t, small] = error(1, 1, 0.3, form)
    expect(t).toBeCloseTo(0.5396, 4)
    expect(t).toBeLessThanOrEqual(0.6)
    expect(small).toBe(0.25)
    const [, large] = error(1000, 10, 0.1, form)
    expect(large).toBeCloseTo(0.29, 2)
    const [, right] = error(1000, 10, 0.1, 'theorem')
    const [, sharp] = error(1000, 10, 0.1, 'sharp')
    expect(right).toBeLessThan(1e-6)
    expect(error(1, 1, 0.3, 'theorem')[1]).toBe(0)
    return `1/4 and ${large.toFixed(4)} as printed; with A in its place 0 and ${right.toExponential(1)}, sharper 0 and ${sharp.toExponential(1)}`
  },
  falsehood: { what: 'the same of the threshold with A', claim: 'theorem' },
})

/** The law of the permutation p-value when T and its clone are drawn alike, given M; every outcome listed. */
function permutationLaw(
  values: readonly number[],
  m: number,
  original: number[],
  exchange: 'generation' | 'prompt',
): [p: number, mass: number, assignments: number][] {
  const draws = allDraws(
    values,
    values.map(() => 1 / values.length),
    m,
  )
  return draws.flatMap(([test, a]) =>
    draws.map(([clone, b]): [number, number, number] => {
      const { pValue, assignments } = spmgTest([original], [test], [clone], { exchange })
      return [pValue, a * b, assignments]
    }),
  )
}

statement({
  name: 'the permutation p-value is guaranteed: P(p <= a) <= a for every a',
  how: 'exact: 40 random metrics of 2 or 3 values, m up to 3, both exchanges, every outcome listed',
  claim: 0,
  check: (less) => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 5 }), { minLength: 2, maxLength: 3 }),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: -1, max: 6 }),
        fc.constantFrom('generation' as const, 'prompt' as const),
        (values, m, original, exchange) => {
          const law = permutationLaw(values, m, [original], exchange).map(
            ([p, mass, assignments]) => [p - less / assignments, mass] as const,
          )
          for (const [a] of law) {
            const below = law.reduce((sum, [p, mass]) => sum + (p <= a + 1e-12 ? mass : 0), 0)
            expect(below).toBeLessThanOrEqual(a + 1e-9)
          }
        },
      ),
      { numRuns: 40, examples: [[[0, 1], 2, 0, 'generation']] },
    )
    return undefined
  },
  falsehood: { what: 'the observed assignment itself left out of the count', claim: 1 },
})

const draw = (stream: Stream, n: number, m: number, most: number): number[][] =>
  Array.from({ length: n }, () => Array.from({ length: m }, () => stream.below(most)))

statement({
  name: '(1 + k)/(1 + runs) is guaranteed where assignments are sampled',
  how: 'simulated: 4000 null data sets, 19 runs each, levels 1% to 50%; a correct test fails with probability below 1e-9',
  claim: 1,
  check: (plus) => {
    const stream = seededRandom('permutation p-values')
    const trials = 4000
    const pValues = Array.from({ length: trials }, (_, trial) => {
      const [original, test, clone] = [0, 1, 2].map(() => draw(stream, 3, 5, 10))
      const { pValue } = spmgTest(original!, test!, clone!, { runs: 19, enumerate: 0, seed: trial })
      return (Math.round(pValue * 20) - 1 + plus) / (19 + plus)
    })
    const grid = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
    for (const a of grid) {
      const hits = pValues.filter((p) => p <= a).length
      expect(logBinomialTail(hits, trials, a)).toBeGreaterThan(Math.log(1e-9 / grid.length))
    }
    return `share of p <= 5%: ${(pValues.filter((p) => p <= 0.05).length / trials).toFixed(4)}`
  },
  falsehood: { what: 'k/runs', claim: 0 },
})

statement({
  name: 'the gap is a distance: symmetric, zero between equals, obeys the triangle inequality; DetWmk ignores a shift of all',
  how: 'exact: 300 random triples',
  claim: 1,
  check: (factor) => {
    const triple = fc.tuple(generations(2, 3, 1), generations(2, 3, 1), generations(2, 3, 1))
    fc.assert(
      fc.property(triple, fc.integer({ min: -5, max: 5 }), ([a, b, c], shift) => {
        expect(spmgGap(a, b)).toBe(spmgGap(b, a))
        expect(spmgGap(a, a)).toBe(0)
        expect(spmgGap(a, c)).toBeLessThanOrEqual(factor * (spmgGap(a, b) + spmgGap(b, c)) + 1e-12)
        const moved = [a, b, c].map((set) => set.map((list) => list.map((x) => x + shift)))
        expect(detWmk(moved[0]!, moved[1]!, moved[2]!)).toBeCloseTo(detWmk(a, b, c), 9)
      }),
      {
        numRuns: 300,
        examples: [
          [
            [
              [
                [0, 0, 0],
                [0, 0, 0],
              ],
              [
                [0, 0, 0],
                [0, 0, 0],
              ],
              [
                [1, 1, 1],
                [1, 1, 1],
              ],
            ],
            1,
          ],
        ],
      },
    )
    return undefined
  },
  falsehood: { what: 'a triangle inequality with 0.99', claim: 0.99 },
})
