/** What the law of drift computes, against brute force and simulation. Sampled tests wrongly fail with probability at most 1e-9. */
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { logBinomialTail } from '../../src/core/stats/entry.ts'
import { hoeffding } from '../../src/gate/laws/engine/bounds.ts'
import { meanBets, numbersForDeviation, smallestDeviation } from '../../src/gate/laws/engine/mean-bets.ts'
import {
  chanceOfAtLeast,
  convolve,
  detWmkLaw,
  meanDistance,
  sumLaw,
} from '../../src/gate/laws/engine/spmg-law.ts'
import { checkWatermark, type ToyModel } from '../../src/gate/laws/entry.ts'
import { hasOwnRandomness, lawUnderKey, type Query } from '../../src/gate/laws/held-key.ts'
import { bhattacharyyaSample } from '../../src/gate/laws/power-needs-drift.ts'
import { freshSeed } from '../../src/gate/laws/seed.ts'
import { modelLaw } from '../../src/gate/laws/toy-world.ts'
import { expEdit, gumbel, ngram, unwatermarked } from '../../src/index.ts'
import { bhattacharyya, detWmk, spmgGap } from '../../src/theory/entry.ts'
import { dip, race } from '../mutants/bases.ts'
import { law } from '../mutants/mutant.ts'

const seed = freshSeed()
const LEVEL = 1e-9

describe('the law of DetWmk', () => {
  const original = Float64Array.of(0.2, 0.5, 0.3)
  const marked = Float64Array.of(0.6, 0.1, 0.3)
  /** Sums f over every x of the model, y of the test model and z of the clone. */
  const mean = (f: (x: number, y: number, z: number) => number): number => {
    let sum = 0
    for (let x = 0; x < 3; x++)
      for (let y = 0; y < 3; y++)
        for (let z = 0; z < 3; z++) sum += original[x]! * marked[y]! * original[z]! * f(x, y, z)
    return sum
  }

  test('agrees with a sum over all outcomes', () => {
    expect(meanDistance(original, marked)).toBeCloseTo(
      mean((x, y) => spmgGap([[x]], [[y]])),
      14,
    )
    const exact = detWmkLaw(original, marked, original)
    expect(exact.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 14)
    for (const t of [-2, -1, 0, 1, 2])
      expect(chanceOfAtLeast(exact, t + 2)).toBeCloseTo(
        mean((x, y, z) => (detWmk([[x]], [[y]], [[z]]) >= t ? 1 : 0)),
        14,
      )
  })

  test('sums add up by convolution, and a clone is symmetric', () => {
    expect([...convolve(Float64Array.of(0.5, 0.5), Float64Array.of(0.25, 0.75))]).toEqual([0.125, 0.5, 0.375])
    const three = sumLaw([original, original, original])
    expect(three).toHaveLength(7)
    const clone = detWmkLaw(three, three, three)
    for (let i = 0; i < clone.length; i++) expect(clone[i]).toBeCloseTo(clone[clone.length - 1 - i]!, 14)
  })
})

const coin: ToyModel = { vocabSize: 2, rows: [[1, 1]] }
const query: Query = { model: coin, length: 4, opening: { prompt: [], forced: 0 } }

describe('the law under one key', () => {
  test("is the model's without a watermark; gumbel is certain after two free tokens", () => {
    expect(lawUnderKey(unwatermarked(), query, 'key', 'any')).toEqual(modelLaw(coin, 4))
    const texts = lawUnderKey(gumbel(), { ...query, length: 3 }, 'key', 'any')
    expect([...texts].sort()).toEqual([0, 0, 0, 0, 0.25, 0.25, 0.25, 0.25])
  })

  test('its Bhattacharyya coefficient is what texts in proportion to sqrt(p q) estimate', () => {
    const keys = 4000
    let difference = 0
    for (let i = 0; i < keys; i++) {
      const key = `${seed}/${i}`
      const exact = bhattacharyya(modelLaw(coin, 4), lawUnderKey(dip(0.5), query, key, key))
      difference += (bhattacharyyaSample(dip(0.5), { vocabSize: 2, length: 4 }, key) - exact) / keys
    }
    expect(Math.abs(difference), `seed ${seed}`).toBeLessThan(hoeffding(keys, Math.log(2 / LEVEL)))
  })

  test('has randomness of its own where the rule reads some', () => {
    expect(hasOwnRandomness(expEdit())).toBe(true)
    for (const context of [ngram(2), ngram(3, { repeated: 'reuse' })])
      expect(hasOwnRandomness({ context })).toBe(false)
  })
})

describe('bets on given means', () => {
  const RUNS = 400
  const RATE = 0.05
  const { uniform } = seededRandom(seed, 'mean bets')
  const won = (n: number, shift: number): number => {
    let count = 0
    for (let run = 0; run < RUNS; run++) {
      const bets = meanBets()
      for (let i = 0; i < n && bets.logWealth() < -Math.log(RATE); i++)
        bets.add(uniform() < 0.5 + shift ? 1 : 0, 0.5)
      if (bets.logWealth() >= -Math.log(RATE)) count++
    }
    return count
  }
  const within = (count: number): void =>
    expect(logBinomialTail(count, RUNS, RATE), `${count} of ${RUNS}; seed ${seed}`).toBeGreaterThan(
      Math.log(LEVEL),
    )
  test('are won at most as often as they may', () => within(won(200, 0)))
  test.each([1, -1])('and lost at most as often as promised (direction %i)', (sign) => {
    const smallest = smallestDeviation(200, { level: RATE, miss: RATE })
    expect(smallest).toBeLessThan(0.25)
    expect(numbersForDeviation(smallest + 1e-9, { level: RATE, miss: RATE }, 1e6)).toBe(200)
    within(RUNS - won(200, sign * smallest))
  })
})

test('the result says how far texts drift, and what repeated prompts show', async () => {
  const [gumbels] = await checkWatermark(race(), { laws: [law.drift], effort: 'quick' })
  expect(gumbels).toMatchObject({ verdict: 'holds' })
  expect(gumbels!.detail).toMatch(
    /power 1, BC .*, below 1 for 100% of keys; three coins: TV .* DetWmk 0\.\d+ \(clone 0\.049\)$/,
  )
  const [none] = await checkWatermark(unwatermarked(), { laws: [law.drift], effort: 'quick' })
  expect(none).toMatchObject({ verdict: 'holds', detail: expect.stringContaining('TV 0,') })
})
