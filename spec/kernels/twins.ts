/**
 * What a kernel has in common with its plain twin, as checks that take the kernels to be tested. Words, lists and products are
 * equal to the bit; sums over a vocabulary are taken in another order, so they agree to rounding.
 */
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Kernels } from '../../src/kernels/kernels.ts'
import type { Numbers } from '../../src/kernels/memory.ts'
import { plain } from '../../src/kernels/plain.ts'
import { anyWord, keys, vocabulary } from './arbitraries.ts'

/** Puts a copy of an array where the kernels are to find it. */
export type Place = <T extends Numbers>(name: string, array: T) => T

export const elsewhere: Place = (_, array) => array.slice() as typeof array

const close = (a: number, b: number): boolean =>
  Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a), Math.abs(b))
const allClose = (a: Float64Array, b: Float64Array): boolean => a.every((x, i) => close(x, b[i]!))

/** The checks, by what they check. */
export function twinChecks(
  fastKernels: Kernels,
  placed: Place,
  parameters: fc.Parameters<unknown> = { numRuns: 500 },
): Record<string, () => void> {
  /** Runs the same call on both kernels; returns what each returned and wrote. */
  const both = <R>(call: (kernels: Kernels, place: Place) => R): { fast: R; slow: R } => ({
    fast: call(fastKernels, placed),
    slow: call(plain, elsewhere),
  })
  const check = (property: fc.IRawProperty<unknown>): void =>
    fc.assert(property as fc.IProperty<unknown>, parameters)
  return {
    'softmax of float32 and float64 logits: each p to some 1e-14 of its value': () => {
      const logit = fc.oneof(
        { arbitrary: fc.double({ min: -800, max: 800, noNaN: true }), weight: 4 },
        { arbitrary: fc.constantFrom(Number.NEGATIVE_INFINITY, -1e30, 0, -0, 5), weight: 1 },
      )
      check(
        fc.property(
          fc.array(logit, { minLength: 1, maxLength: 40 }),
          fc.constantFrom(1, 0.5, 2, 1 / 0.7),
          fc.boolean(),
          (values, sharpness, single) => {
            const logits = single ? Float32Array.from(values) : Float64Array.from(values)
            const { fast, slow } = both((kernels, place) => {
              const p = place('p', new Float64Array(values.length))
              const sum = kernels.softmax(place(single ? 'f32' : 'f64', logits), sharpness, p)
              return { sum, p: p.slice() }
            })
            if (Number.isNaN(slow.sum)) return Number.isNaN(fast.sum)
            // e^x is off by a few units in its last place and by what the rounding of x, a few times 2^-53 |x|, makes of it
            const most = (e: number): number => 4e-15 + 4e-16 * Math.abs(Math.log(e * slow.sum))
            // where e^x is subnormal the kernel writes 0
            return fast.p.every((x, i) => {
              const e = Math.max(slow.p[i]!, 1e-300)
              return Math.abs(x - slow.p[i]!) <= most(e) * e + 1e-300
            })
          },
        ),
      )
    },

    'fill: the same words': () => {
      check(
        fc.property(fc.integer({ min: 0, max: 70 }), keys, (n, k) => {
          const { fast, slow } = both((kernels, place) => {
            const out = place('u32', new Uint32Array(n))
            kernels.fill(out, k)
            return out.slice()
          })
          expect(fast).toEqual(slow)
        }),
      )
    },

    'total, green mass and class mass: the same sums to rounding': () => {
      check(
        fc.property(
          vocabulary,
          anyWord,
          anyWord,
          fc.integer({ min: 0, max: 11 }),
          (v, shift, threshold, bits) => {
            const { fast, slow } = both((kernels, place) => {
              const p = place('p', v.p)
              const words = place('u32', v.words)
              const mass = place('f64', new Float64Array(1 << bits))
              kernels.classMass(p, words, 32 - bits - 1, mass)
              return Float64Array.of(kernels.total(p), kernels.greenMass(p, words, shift, threshold), ...mass)
            })
            return allClose(fast, slow)
          },
        ),
      )
    },

    'green, class and order scale: the same q': () => {
      check(
        fc.property(vocabulary, anyWord, anyWord, fc.integer({ min: 0, max: 11 }), (v, a, b, bits) => {
          const { fast, slow } = both((kernels, place) => {
            const p = place('p', v.p)
            const words = place('u32', v.words)
            const q = place('q', new Float64Array(v.p.length))
            const factor = place(
              'f64',
              Float64Array.from({ length: 1 << bits }, (_, i) => i / 7),
            )
            kernels.greenScale(p, words, a, b, 1.25, 0.75, q)
            const green = q.slice()
            kernels.classScale(p, words, bits, factor, q)
            const byClass = q.slice()
            kernels.orderScale(p, words, a, b, -1, 1, q)
            return [green, byClass, q.slice()]
          })
          expect(fast).toEqual(slow)
        }),
      )
    },

    'remainders, buckets and support: the same lists and counts': () => {
      const divisor = fc.oneof(fc.integer({ min: 2, max: 128 }), fc.integer({ min: 2, max: 2 ** 31 - 1 }))
      check(
        fc.property(
          vocabulary,
          divisor,
          fc.integer({ min: 1, max: 31 }),
          fc.integer({ min: 0, max: 40 }),
          (v, l, shift, most) => {
            const { fast, slow } = both((kernels, place) => {
              const p = place('p', v.p)
              const words = place('u32', v.words)
              const out = place('out', new Uint32Array(v.words.length))
              const ids = place('ids', new Int32Array(most))
              const over = kernels.remainders(words, l, out)
              const some = kernels.inBucket(words, shift, v.words[0]! >>> shift, ids)
              const bucket = ids.slice(0, Math.min(some, most))
              const count = kernels.support(p, ids)
              return {
                over,
                out: out.slice(),
                some,
                bucket,
                count,
                support: count > most ? [] : ids.slice(0, count),
              }
            })
            expect(fast).toEqual(slow)
          },
        ),
      )
    },

    'next runner: the same tokens, all the way': () => {
      check(
        fc.property(
          vocabulary,
          fc.constantFrom(Number.POSITIVE_INFINITY, 1e300, 1, 1e-3, 1e-9, 0),
          (v, best) => {
            const { fast, slow } = both((kernels, place) => {
              const p = place('p', v.p)
              const words = place('u32', v.words)
              const runners: number[] = []
              for (let i = kernels.nextRunner(p, words, 0, best); i < p.length; ) {
                runners.push(i)
                i = kernels.nextRunner(p, words, i + 1, best)
              }
              return runners
            })
            expect(fast).toEqual(slow)
          },
        ),
      )
    },

    'seed: the same round keys': () => {
      const text = fc.array(anyWord, { minLength: 1, maxLength: 30 }).map((words) => Uint32Array.from(words))
      check(
        fc.property(text, keys, fc.nat(9), fc.integer({ min: 1, max: 3 }), (words, key, wanted, step) => {
          const length = Math.min(wanted, words.length)
          const count = Math.floor((words.length - length) / step) + 1
          const { fast, slow } = both((kernels, place) => {
            const out = place('i32', new Int32Array(4 * count))
            kernels.seed(place('key', Uint32Array.from(key)), place('u32', words), count, length, step, out)
            return out.slice()
          })
          expect(fast).toEqual(slow)
        }),
      )
    },

    'exponential scores: each to a few units in its last place': () => {
      const token = fc.integer({ min: 0, max: 2 ** 23 - 1 })
      check(
        fc.property(keys, fc.array(token, { maxLength: 70 }), (k, tokens) => {
          const { fast, slow } = both((kernels, place) => {
            const out = place('f64', new Float64Array(tokens.length))
            kernels.exponentialScores(k, place('ids', Int32Array.from(tokens)), out)
            return out.slice()
          })
          return fast.every((score, i) => Math.abs(score - slow[i]!) <= 4 * Number.EPSILON * slow[i]!)
        }),
      )
    },

    'align: the same costs': () => {
      const cost = fc.integer({ min: -(2 ** 26), max: 2 ** 26 })
      check(
        fc.property(
          fc.integer({ min: 1, max: 12 }),
          fc.integer({ min: 1, max: 40 }),
          fc.array(cost, { minLength: 12 * 40, maxLength: 12 * 40, size: 'max' }),
          (k, period, costs) => {
            const pairs = new Int32Array(k * (period + 16))
            for (let i = 0; i < k; i++)
              for (let r = 0; r < period + 16; r++)
                pairs[i * (period + 16) + r] = costs[40 * i + (r % period)]!
            const { fast, slow } = both((kernels, place) => {
              const out = place('i32', new Int32Array(period))
              kernels.align(place('pairs', pairs), k, period, out)
              return out.slice()
            })
            expect(fast).toEqual(slow)
          },
        ),
      )
    },
  }
}
