import { expect, test } from 'vitest'
import { stepLaw } from '../../src/theory/step-law.ts'
import { kgw } from '../../src/watermarks/entry.ts'
import { tiltedMean } from './tilted-mean.ts'

test.each([0, 0.5, 2, 6])(
  'the mean over green sets in closed form is that of all sets: delta %d',
  (delta) => {
    const p = Float64Array.of(0.7, 0.2, 0.06, 0.04, 0)
    const { mean, green } = tiltedMean(p, delta, 1 / 2)
    const { members } = stepLaw(kgw({ delta }), p)
    for (const [x, mass] of mean.entries())
      expect(mass).toBeCloseTo(
        members.reduce((sum, { q, weight }) => sum + weight * q[x]!, 0),
        10,
      )
    const boost = Math.exp(delta)
    let chance = 0
    for (let set = 0; set < 16; set++) {
      const mass = p.slice(0, 4).reduce((sum, share, i) => sum + ((set >> i) & 1) * share, 0)
      chance += (boost * mass) / (1 + (boost - 1) * mass) / 16
    }
    expect(green).toBeCloseTo(chance, 10)
  },
)
