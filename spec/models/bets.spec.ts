import fc from 'fast-check'
import { expect, test } from 'vitest'
import { favouriteBet, headBet, likelihoodBet } from './bets.ts'

const weights = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 2, maxLength: 8 })
const distribution = weights
  .filter((list) => list.some((w) => w > 0))
  .map((list) => {
    const sum = list.reduce((a, b) => a + b)
    return Float64Array.from(list, (w) => w / sum)
  })

test.each([
  ['likelihood', () => likelihoodBet(0.08)],
  ['favourite', () => favouriteBet(0.6)],
  ['head', () => headBet(1, 3)],
])('the %s bet is fair: its mean over p is at most 1, and 1 up to the tiny probabilities', (_name, bet) => {
  fc.assert(
    fc.property(distribution, (p) => {
      const mean = p.reduce((sum, mass, token) => {
        if (mass === 0) return sum
        const one = bet()
        one.play(p, token)
        return sum + mass * Math.exp(one.log())
      }, 0)
      expect(mean).toBeLessThan(1 + 1e-12)
      expect(mean).toBeGreaterThan(1 - 1e-7)
    }),
  )
})
