/**
 * Every WebAssembly kernel against its plain twin, on arrays in kernel memory and elsewhere. Words, lists and products are
 * equal to the bit; sums over a vocabulary are taken in another order, so they agree to rounding.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Kernels } from '../../src/kernels/kernels.ts'
import type { Numbers } from '../../src/kernels/memory.ts'
import { plain } from '../../src/kernels/plain.ts'
import { compile, load } from '../../src/kernels/wasm.ts'
import { anyWord, keys, vocabulary } from './arbitraries.ts'

const { kernels: wasm, memory } = load(compile())

/** One array per kind and place, reused: kernel memory is never freed. */
const room = new Map<string, Numbers>()

/** Puts a copy of an array in kernel memory (or leaves it outside), surrounded by garbage that a kernel must not read. */
function place<T extends Numbers>(name: string, array: T, inside: boolean): T {
  if (!inside) return array.slice() as T
  const kind = array.constructor as never
  let whole = room.get(name) as T | undefined
  if (whole === undefined) {
    whole = memory.array(kind, 8192) as T
    room.set(name, whole)
  }
  whole.fill(7)
  const view = whole.subarray(0, array.length) as T
  view.set(array as never)
  return view
}

/** Runs the same call on both kernels; returns what each returned and wrote. */
function both<R>(inside: boolean, call: (kernels: Kernels, inside: boolean) => R): { fast: R; slow: R } {
  return { fast: call(wasm, inside), slow: call(plain, false) }
}

const close = (a: number, b: number): boolean =>
  Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a), Math.abs(b))
const allClose = (a: Float64Array, b: Float64Array): boolean => a.every((x, i) => close(x, b[i]!))

const check = (property: fc.IRawProperty<unknown>): void =>
  fc.assert(property as fc.IProperty<unknown>, { numRuns: 500 })

describe.each([
  ['in kernel memory', true],
  ['elsewhere', false],
])('arrays %s', (_, inside) => {
  test('softmax of float32 and float64 logits: p to 1e-12 of each value', () => {
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
          const { fast, slow } = both(inside, (kernels, at) => {
            const p = place('p', new Float64Array(values.length), at)
            const sum = kernels.softmax(place(single ? 'f32' : 'f64', logits, at), sharpness, p)
            return { sum, p: p.slice() }
          })
          if (Number.isNaN(slow.sum)) return Number.isNaN(fast.sum)
          // relative, except where e^x is subnormal: there the kernel writes 0
          return fast.p.every((x, i) => Math.abs(x - slow.p[i]!) <= 1e-13 * slow.p[i]! + 1e-300)
        },
      ),
    )
  })

  test.each([
    ['NaN', [1, Number.NaN, 2, 3, 4]],
    ['NaN first', [Number.NaN, 1, 2, 3, 4, 5, 6]],
    ['NaN last', [0, 1, 2, 3, 4, 5, Number.NaN]],
    ['+Infinity', [1, Number.POSITIVE_INFINITY, 2, 3]],
    ['-Infinity only', [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]],
  ])('softmax says NaN for logits with %s', (_, values) => {
    for (const kind of [Float32Array, Float64Array])
      for (const kernels of [wasm, plain])
        expect(
          kernels.softmax(place('logits', kind.from(values), false), 1, new Float64Array(values.length)),
        ).toBeNaN()
  })

  test('fill: the same words', () => {
    check(
      fc.property(fc.integer({ min: 0, max: 70 }), keys, (n, k) => {
        const { fast, slow } = both(inside, (kernels, at) => {
          const out = place('u32', new Uint32Array(n), at)
          kernels.fill(out, k)
          return out.slice()
        })
        expect(fast).toEqual(slow)
      }),
    )
  })

  test('total, green mass and class mass: the same sums to rounding', () => {
    check(
      fc.property(
        vocabulary,
        anyWord,
        anyWord,
        fc.integer({ min: 0, max: 11 }),
        (v, shift, threshold, bits) => {
          const { fast, slow } = both(inside, (kernels, at) => {
            const p = place('p', v.p, at)
            const words = place('u32', v.words, at)
            const mass = place('f64', new Float64Array(1 << bits), at)
            kernels.classMass(p, words, 32 - bits - 1, mass)
            return Float64Array.of(kernels.total(p), kernels.greenMass(p, words, shift, threshold), ...mass)
          })
          return allClose(fast, slow)
        },
      ),
    )
  })

  test('green, class and order scale: the same q', () => {
    check(
      fc.property(vocabulary, anyWord, anyWord, fc.integer({ min: 0, max: 11 }), (v, a, b, bits) => {
        const { fast, slow } = both(inside, (kernels, at) => {
          const p = place('p', v.p, at)
          const words = place('u32', v.words, at)
          const q = place('q', new Float64Array(v.p.length), at)
          const factor = place(
            'f64',
            Float64Array.from({ length: 1 << bits }, (_, i) => i / 7),
            at,
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
  })

  test('remainders, buckets and support: the same lists and counts', () => {
    const divisor = fc.oneof(fc.integer({ min: 2, max: 128 }), fc.integer({ min: 2, max: 2 ** 31 - 1 }))
    check(
      fc.property(
        vocabulary,
        divisor,
        fc.integer({ min: 1, max: 31 }),
        fc.integer({ min: 0, max: 40 }),
        (v, l, shift, most) => {
          const { fast, slow } = both(inside, (kernels, at) => {
            const p = place('p', v.p, at)
            const words = place('u32', v.words, at)
            const out = place('out', new Uint32Array(v.words.length), at)
            const ids = place('ids', new Int32Array(most), at)
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
              support: ids.slice(0, Math.min(count, most)),
            }
          })
          expect(fast).toEqual(slow)
        },
      ),
    )
  })

  test('next runner: the same tokens, all the way', () => {
    check(
      fc.property(
        vocabulary,
        fc.constantFrom(Number.POSITIVE_INFINITY, 1e300, 1, 1e-3, 1e-9, 0),
        (v, best) => {
          const { fast, slow } = both(inside, (kernels, at) => {
            const p = place('p', v.p, at)
            const words = place('u32', v.words, at)
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
  })

  test('seed: the same round keys', () => {
    const text = fc.array(anyWord, { minLength: 1, maxLength: 30 }).map((words) => Uint32Array.from(words))
    check(
      fc.property(text, keys, fc.nat(9), fc.integer({ min: 1, max: 3 }), (words, key, wanted, step) => {
        const length = Math.min(wanted, words.length)
        const count = Math.floor((words.length - length) / step) + 1
        const { fast, slow } = both(inside, (kernels, at) => {
          const out = place('i32', new Int32Array(4 * count), at)
          kernels.seed(
            place('key', Uint32Array.from(key), at),
            place('u32', words, at),
            count,
            length,
            step,
            out,
          )
          return out.slice()
        })
        expect(fast).toEqual(slow)
      }),
    )
  })

  test('align: the same costs', () => {
    const cost = fc.integer({ min: -(2 ** 26), max: 2 ** 26 })
    check(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 40 }),
        fc.array(cost, { minLength: 12 * 40, maxLength: 12 * 40, size: 'max' }),
        (k, period, costs) => {
          const pairs = new Int32Array(k * (period + 16))
          for (let i = 0; i < k; i++)
            for (let r = 0; r < period + 16; r++) pairs[i * (period + 16) + r] = costs[40 * i + (r % period)]!
          const { fast, slow } = both(inside, (kernels, at) => {
            const out = place('i32', new Int32Array(period), at)
            kernels.align(place('pairs', pairs, at), k, period, out)
            return out.slice()
          })
          expect(fast).toEqual(slow)
        },
      ),
    )
  })
})
