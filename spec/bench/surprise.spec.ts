/** Excess surprise in worlds small enough to list every text: its mean is 0 as a sum per text, and not as a mean per token. */
import { describe, expect, test } from 'vitest'
import { excessOf, LEANS, surpriseBets } from '../../src/bench/steps/surprise.ts'
import { entropy } from '../../src/theory/expected-score.ts'

/** Every text of at most `most` tokens that ends with token 0, with its probability; what comes next depends on the last token. */
function* texts(next: (last: number) => number[], most: number) {
  const walk = function* (
    last: number,
    left: number,
    weight: number,
    lps: number[],
    hs: number[],
  ): Generator<{ weight: number; lps: number[]; hs: number[] }> {
    const p = next(last)
    for (const [token, mass] of p.entries()) {
      if (mass === 0) continue
      const [ownLps, ownHs] = [
        [...lps, Math.log(mass)],
        [...hs, entropy(p)],
      ]
      if (token === 0 || left === 1) yield { weight: weight * mass, lps: ownLps, hs: ownHs }
      else yield* walk(token, left - 1, weight * mass, ownLps, ownHs)
    }
  }
  yield* walk(1, most, 1, [], [])
}

const chain = (last: number): number[] => (last === 1 ? [0.1, 0.6, 0.3] : [0.4, 0.05, 0.55])

describe('a model that may end its texts early', () => {
  const all = [...texts(chain, 9)]
  const mean = (f: (text: (typeof all)[number]) => number) =>
    all.reduce((sum, text) => sum + text.weight * f(text), 0)

  test('the sum per text has mean 0, the mean per token has not', () => {
    expect(mean(() => 1)).toBeCloseTo(1, 12)
    expect(mean(({ lps, hs }) => excessOf(lps, hs))).toBeCloseTo(0, 12)
    expect(Math.abs(mean(({ lps, hs }) => excessOf(lps, hs) / lps.length))).toBeGreaterThan(0.01)
  })

  test.each(LEANS.map((lean, i) => [lean, i] as const))('bets with lean %d are fair', (_, i) => {
    expect(mean(({ lps, hs }) => Math.exp(surpriseBets(lps, hs)[i]!))).toBeCloseTo(1, 12)
  })

  test('texts that are more surprising than the model expects make the bets grow', () => {
    // tokens from the flattened distribution
    const flat = (last: number) => chain(last).map((mass) => Math.sqrt(mass))
    let growth = 0
    for (const { lps, hs } of all) {
      let weight = 1
      let last = 1
      for (const lp of lps) {
        const p = flat(last)
        const token = chain(last).findIndex((mass) => Math.abs(Math.log(mass) - lp) < 1e-12)
        weight *= p[token]! / p.reduce((a, b) => a + b, 0)
        last = token
      }
      growth += weight * surpriseBets(lps, hs)[1]!
    }
    expect(growth).toBeGreaterThan(0.01)
  })

  test('certain tokens are no bet, and nothing is NaN', () => {
    expect(surpriseBets([0, 0], [0, 0])).toEqual([0, 0, 0])
    expect(surpriseBets([-50], [1e-9]).every(Number.isFinite)).toBe(true)
    expect(surpriseBets([], [])).toEqual([0, 0, 0])
  })
})
