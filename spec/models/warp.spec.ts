import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutoff } from '../../src/text/decode/cutoff.ts'
import { draw, warper } from '../../src/text/decode/warp.ts'

const warped = (logits: number[], sampling = {}): number[] => {
  const p = new Float64Array(logits.length)
  warper(sampling)(Float32Array.from(logits), 0, p)
  return Array.from(p)
}
const entropyOf = (p: readonly number[]): number => -p.reduce((h, x) => (x > 0 ? h + x * Math.log(x) : h), 0)
const logits = fc.array(fc.integer({ min: -40, max: 40 }), { minLength: 1, maxLength: 30 })
const temperature = fc.constantFrom(0.3, 0.7, 1, 1.6)

describe('temperature', () => {
  test('1 gives the softmax, worked out by hand for (ln 1, ln 2, ln 5)', () => {
    const p = warped([0, Math.log(2), Math.log(5)])
    for (const [i, expected] of [1 / 8, 2 / 8, 5 / 8].entries()) expect(p[i]).toBeCloseTo(expected, 7)
  })

  test('0 is greedy: a point mass on the first of the largest', () => {
    expect(warped([1, 3, 3, 2], { temperature: 0 })).toEqual([0, 1, 0, 0])
  })

  test('odds are those of the logits divided by the temperature', () => {
    fc.assert(
      fc.property(logits, temperature, (x, t) => {
        const p = warped(x, { temperature: t })
        expect(p.reduce((a, b) => a + b)).toBeCloseTo(1, 12)
        const top = Math.max(...x)
        const best = p[x.indexOf(top)]!
        for (const [i, value] of x.entries())
          expect(p[i]! / best).toBeCloseTo(Math.exp((value - top) / t), 12)
      }),
    )
  })

  test('a vanishing one is no worse than greedy', () => {
    expect(warped([1, 3, 2], { temperature: 1e-320 })).toEqual([0, 1, 0])
  })

  test('the entropy is right where most of a vocabulary has no mass, or only a trace', () => {
    const x = Float32Array.from({ length: 3000 }, (_, i) => (i < 2000 ? (i % 2 ? -Infinity : -2000) : i % 7))
    const p = new Float64Array(3000)
    expect(warper()(x, 0, p)).toBeCloseTo(entropyOf(Array.from(p)), 9)
  })

  test('minus infinity has no mass', () => {
    expect(warped([0, Number.NEGATIVE_INFINITY, 0])).toEqual([0.5, 0, 0.5])
  })
})

describe('top-k and top-p', () => {
  test('top-k keeps the k most likely and what ties with the last', () => {
    expect(warped([5, 1, 4, 3], { topK: 2 }).map((x) => x > 0)).toEqual([true, false, true, false])
    expect(warped([5, 4, 4, 3], { topK: 2 }).map((x) => x > 0)).toEqual([true, true, true, false])
  })

  test('top-p keeps the fewest whose mass reaches it', () => {
    const x = [0.5, 0.3, 0.15, 0.05].map(Math.log)
    expect(warped(x, { topP: 0.79 }).map((v) => v > 0)).toEqual([true, true, false, false])
    expect(warped(x, { topP: 0.81 }).map((v) => v > 0)).toEqual([true, true, true, false])
    expect(warped(x, { topP: 1e-9 })).toEqual([1, 0, 0, 0])
  })

  test('agree with a full sort, keep the odds of what is left, report the entropy', () => {
    const settings = fc.record({
      topK: fc.integer({ min: 0, max: 12 }),
      topP: fc.constantFrom(0.1, 0.5, 0.9, 0.99, 1),
    })
    fc.assert(
      fc.property(logits, temperature, settings, (x, t, { topK, topP }) => {
        const out = new Float64Array(x.length)
        const entropy = warper({ temperature: t, topK, topP })(Float32Array.from(x), 0, out)
        const expected = bySorting(warped(x, { temperature: t }), topK, topP)
        for (const [i, value] of expected.entries()) expect(out[i]).toBeCloseTo(value, 12)
        expect(entropy).toBeCloseTo(entropyOf(Array.from(out)), 9)
      }),
    )
  })

  /** The definition, by sorting: the oracle of the linear-time selection. */
  function bySorting(p: number[], topK: number, topP: number): number[] {
    const keep = (q: number[], limit: number): number[] => {
      const left = q.map((x) => (x >= limit ? x : 0))
      const sum = left.reduce((a, b) => a + b)
      return left.map((x) => x / sum)
    }
    let q = p
    const sorted = (): number[] => [...q].sort((a, b) => b - a)
    if (topK > 0 && topK < p.length) q = keep(q, sorted()[topK - 1]!)
    if (topP === 1) return q
    let mass = 0
    const last = sorted().find((x) => {
      mass += x
      return mass >= topP
    })
    return keep(q, last ?? 0)
  }

  test('the cutoff with unit weights is the k-th largest value', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 40 }),
        fc.nat(),
        (x, n) => {
          const k = 1 + (n % x.length)
          const kth = [...x].sort((a, b) => b - a)[k - 1]
          expect(cutoff(Float64Array.from(x), k, () => 1)).toBe(kth)
        },
      ),
    )
  })
})

describe('the draw', () => {
  test('inverts the distribution function, and never falls on a token without mass', () => {
    const q = Float64Array.from([0, 0.25, 0, 0.5, 0.25, 0])
    expect([1e-300, 0.2499, 0.25, 0.7499, 0.75, 1 - 2 ** -53].map((u) => draw(q, u))).toEqual([
      1, 1, 3, 3, 4, 4,
    ])
  })

  test('in a large vocabulary too, wherever the mass lies', () => {
    const place = fc.integer({ min: 0, max: 4999 })
    const masses = fc.uniqueArray(fc.tuple(place, fc.integer({ min: 1, max: 16 })), {
      minLength: 1,
      maxLength: 40,
      selector: ([at]) => at,
    })
    fc.assert(
      fc.property(masses, fc.integer({ min: 0, max: 2 ** 20 - 1 }), (pairs, n) => {
        const sum = pairs.reduce((total, [, mass]) => total + mass, 0)
        const q = new Float64Array(5000)
        for (const [at, mass] of pairs) q[at] = mass / sum
        // halfway between multiples of 2^-20, far from every sum of masses
        const u = (n + 0.5) / 2 ** 20
        let below = 0
        for (const [at, mass] of [...pairs].sort((a, b) => a[0] - b[0])) {
          const above = below + mass
          if (u * sum >= below && u * sum < above) expect(draw(q, u)).toBe(at)
          below = above
        }
      }),
    )
    expect(draw(new Float64Array(5000).fill(1 / 5001), 1 - 2 ** -53)).toBe(4999)
    const early = new Float64Array(5000)
    early[3] = 0.9
    expect(draw(early, 0.95)).toBe(3)
  })

  test('a mass a little under 1 falls on the last token that has some', () => {
    expect(draw(Float64Array.from([0.3, 0.6, 0]), 0.95)).toBe(1)
  })
})

describe('errors say what is wrong', () => {
  test.each([
    [{ temperature: -1 }, /temperature: expected a number in/],
    [{ topK: 1.5 }, /topK: expected an integer/],
    [{ topP: 0 }, /topP: expected a number in \(0, 1\], got 0/],
    [{ topP: 1.1 }, /topP/],
  ])('%o', (sampling, message) => {
    expect(() => warper(sampling)).toThrow(message)
  })

  test('broken logits', () => {
    expect(() => warped([1, Number.NaN])).toThrow(/logits\[1\]: expected a number or -Infinity, got NaN/)
    expect(() => warped([Number.NaN, 1], { temperature: 0 })).toThrow(/logits\[0\]/)
    expect(() => warped([Number.NEGATIVE_INFINITY])).toThrow(/logits: expected a finite one among them/)
    expect(() => warped([0, Number.POSITIVE_INFINITY])).toThrow(/logits\[1\]: .*got Infinity/)
    expect(() => draw(new Float64Array(3), 0.5)).toThrow(/q: expected/)
  })
})
