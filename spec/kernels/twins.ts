/**
 * What a kernel has in common with its plain twin: on the same arguments both return the same and leave the same in every array,
 * those that are only read included. Words, lists and products are equal to the bit. Sums over a vocabulary are taken in another
 * order, and e^x and ln x are other implementations, so those agree to rounding.
 */
import fc from 'fast-check'
import type { Numbers } from '../../src/core/kernels/memory.ts'
import { type KernelName, type Kernels, plain } from '../../src/core/kernels/table.ts'
import { anyWord, roundKey, sizes, vocabulary } from './arbitraries.ts'

/** Puts a copy of an array where the kernels are to find it; `argument` is its number among the arguments. */
export type Place = <T extends Numbers>(array: T, argument: number) => T

export const elsewhere: Place = (array) => array.slice() as typeof array

/** What a kernel returned, and its arguments afterwards. */
interface Outcome<Arguments> {
  readonly result: number
  readonly args: Arguments
}

interface Twins<Twin extends (...args: never[]) => unknown> {
  readonly args: fc.Arbitrary<Parameters<Twin>>
  /** Where the outcomes need not be equal to the bit. */
  agree?(fast: Outcome<Parameters<Twin>>, slow: Outcome<Parameters<Twin>>): boolean
}

const close = (a: number, b: number): boolean =>
  Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a), Math.abs(b))
const near = (a: Float64Array, b: Float64Array, ulps: number): boolean =>
  a.every((x, i) => Math.abs(x - b[i]!) <= ulps * Number.EPSILON * Math.abs(b[i]!))
const equal = (a: unknown, b: unknown): boolean =>
  ArrayBuffer.isView(a) ? (a as Numbers).every((x, i) => Object.is(x, (b as Numbers)[i])) : Object.is(a, b)
const same = (a: readonly unknown[], b: readonly unknown[]): boolean => a.every((x, i) => equal(x, b[i]))

/** Equal lists and counts; what lies behind a list, or where it did not fit, is nobody's business. */
const sameList = (
  fast: Outcome<readonly unknown[]>,
  slow: Outcome<readonly unknown[]>,
  length: number,
): boolean => {
  const list = ({ args }: Outcome<readonly unknown[]>) => (args.at(-1) as Int32Array).subarray(0, length)
  return (
    fast.result === slow.result &&
    equal(list(fast), list(slow)) &&
    same(fast.args.slice(0, -1), slow.args.slice(0, -1))
  )
}

const softmaxTwins = <T extends Float32Array | Float64Array>(from: (values: number[]) => T) => {
  const logit = fc.oneof(
    { arbitrary: fc.double({ min: -800, max: 800, noNaN: true }), weight: 4 },
    { arbitrary: fc.constantFrom(Number.NEGATIVE_INFINITY, -1e30, 0, -0, 5), weight: 1 },
  )
  return {
    args: fc
      .tuple(fc.array(logit, { minLength: 1, maxLength: 40 }), fc.constantFrom(1, 0.5, 2, 1 / 0.7))
      .map(([logits, sharpness]): [T, number, Float64Array] => [
        from(logits),
        sharpness,
        new Float64Array(logits.length),
      ]),
    agree(fast: Outcome<[T, number, Float64Array]>, slow: Outcome<[T, number, Float64Array]>): boolean {
      if (Number.isNaN(slow.result)) return Number.isNaN(fast.result)
      // e^x is off by a few units in its last place and by what the rounding of x, a few times 2^-53 |x|, makes of it
      const most = (e: number): number => 4e-15 + 4e-16 * Math.abs(Math.log(e * slow.result))
      const [p, expected] = [fast.args[2], slow.args[2]]
      // where e^x is subnormal the kernel writes 0
      return p.every((x, i) => {
        const e = Math.max(expected[i]!, 1e-300)
        return Math.abs(x - expected[i]!) <= most(e) * e + 1e-300
      })
    },
  }
}

const shift = fc.integer({ min: 0, max: 31 })
const bits = fc.integer({ min: 0, max: 11 })
const factor = fc.constantFrom(0, 0.75, 1, 1.25, -1)

const twins: { readonly [Name in KernelName]: Twins<Kernels[Name]> } = {
  softmax32: softmaxTwins((logits) => Float32Array.from(logits)),
  softmax64: softmaxTwins((logits) => Float64Array.from(logits)),
  fill: {
    args: fc.tuple(
      fc.integer({ min: 0, max: 70 }).map((n) => new Uint32Array(n)),
      ...roundKeys(),
    ),
  },
  total: {
    args: vocabulary.map(({ p }) => [p]),
    agree: (fast, slow) => close(fast.result, slow.result),
  },
  support: {
    args: fc.tuple(vocabulary, sizes).map(([{ p }, most]) => [p, new Int32Array(most)]),
    agree: (fast, slow) => sameList(fast, slow, slow.result > slow.args[1].length ? 0 : slow.result),
  },
  greenMass: {
    args: fc.tuple(vocabulary, anyWord, anyWord).map(([{ p, words }, from, to]) => [p, words, from, to]),
    agree: (fast, slow) => close(fast.result, slow.result),
  },
  greenScale: {
    args: fc
      .tuple(vocabulary, anyWord, anyWord, factor, factor)
      .map(([{ p, words }, from, to, green, red]) => [p, words, from, to, green, red, p.map(() => 7)]),
  },
  classMass: {
    args: fc
      .tuple(vocabulary, shift, bits)
      .map(([{ p, words }, from, n]) => [p, words, from, new Float64Array(1 << n)]),
    agree: (fast, slow) => fast.args[3].every((mass, i) => close(mass, slow.args[3][i]!)),
  },
  classScale: {
    args: fc
      .tuple(vocabulary, shift, bits)
      .map(([{ p, words }, from, n]) => [
        p,
        words,
        from,
        Float64Array.from({ length: 1 << n }, (_, i) => i / 7),
        p.map(() => 7),
      ]),
  },
  remainders: {
    args: fc
      .tuple(vocabulary, fc.oneof(fc.integer({ min: 2, max: 128 }), fc.integer({ min: 2, max: 2 ** 31 - 1 })))
      .map(([{ words }, l]) => [words, l, words.map(() => 7)]),
  },
  inBucket: {
    args: fc
      .tuple(vocabulary, fc.integer({ min: 1, max: 31 }), sizes)
      .map(([{ words }, from, most]) => [words, from, (words[0] ?? 0) >>> from, new Int32Array(most)]),
    agree: (fast, slow) => sameList(fast, slow, slow.result),
  },
  orderScale: {
    args: fc
      .tuple(vocabulary, anyWord, anyWord, factor, factor)
      .map(([{ p, words }, low, high, below, above]) => [p, words, low, high, below, above, p.map(() => 7)]),
  },
  nextRunner: {
    args: fc
      .tuple(vocabulary, fc.nat(700), fc.constantFrom(Number.POSITIVE_INFINITY, 1e300, 1, 1e-3, 1e-9, 0))
      .map(([{ p, words }, from, best]) => [p, words, Math.min(from, p.length), best]),
  },
  seed: {
    args: fc
      .tuple(
        fc.array(anyWord, { minLength: 1, maxLength: 30 }),
        fc.tuple(anyWord, anyWord, anyWord, anyWord),
        fc.nat(9),
        fc.integer({ min: 1, max: 3 }),
      )
      .map(([text, key, wanted, step]) => {
        const length = Math.min(wanted, text.length)
        const count = Math.floor((text.length - length) / step) + 1
        return [Uint32Array.from(text), Uint32Array.from(key), count, length, step, new Int32Array(4 * count)]
      }),
  },
  exponentialScores: {
    args: fc
      .tuple(fc.array(fc.integer({ min: 0, max: 2 ** 23 - 1 }), { maxLength: 70 }), ...roundKeys())
      .map(([tokens, k0, k1, k2, k3]) => [
        Int32Array.from(tokens),
        ...([k0, k1, k2, k3] as const),
        new Float64Array(tokens.length),
      ]),
    agree: (fast, slow) => near(fast.args[5], slow.args[5], 4),
  },
  bitScores: {
    args: fc
      .tuple(
        fc.constantFrom(1, 2, 3, 5, 64, 1000, 50257, 128256, 2 ** 23),
        fc.array(fc.tuple(fc.nat(2 ** 23 - 1), roundKey, roundKey, roundKey, roundKey), { maxLength: 20 }),
      )
      .map(([vocabSize, codes]) => [
        Int32Array.from(codes, ([token]) => token % vocabSize),
        Int32Array.from(codes.flatMap(([, ...keys]) => keys)),
        vocabSize,
        new Float64Array(codes.length),
      ]),
    agree: (fast, slow) => near(fast.args[3], slow.args[3], 4),
  },
  align: {
    args: fc
      .tuple(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.integer({ min: -(2 ** 26), max: 2 ** 26 }), {
          minLength: 12 * 40,
          maxLength: 12 * 40,
          size: 'max',
        }),
      )
      .map(([k, period, cost]) => {
        const stride = period + 16
        const pairs = Int32Array.from(
          { length: k * stride },
          (_, at) => cost[40 * Math.floor(at / stride) + ((at % stride) % period)]!,
        )
        return [pairs, k, new Int32Array(8 * k), new Int32Array(period)]
      }),
    agree: (fast, slow) => equal(fast.args[0], slow.args[0]) && equal(fast.args[3], slow.args[3]),
  },
}

function roundKeys() {
  return [roundKey, roundKey, roundKey, roundKey] as const
}

/** The bytes that follow an array in its buffer. */
const behind = (array: Numbers): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset + array.byteLength).subarray(0, 64)

/** Calls a kernel on copies of the arguments. Throws where it writes past the end of an array. */
function outcome(
  run: (...args: unknown[]) => number,
  place: Place,
  args: readonly unknown[],
): Outcome<unknown[]> {
  const own = args.map((value, i) => (ArrayBuffer.isView(value) ? place(value as Numbers, i) : value))
  const arrays = own.filter((value) => ArrayBuffer.isView(value)) as Numbers[]
  const before = arrays.map((array) => behind(array).slice())
  const result = run(...own)
  if (!same(before, arrays.map(behind))) throw new Error('wrote past the end of an array')
  return { result, args: own }
}

/** Checks a kernel against its twin on random arguments. */
export function checkTwins(
  name: KernelName,
  kernels: Kernels,
  placed: Place,
  parameters: fc.Parameters<unknown> = { numRuns: 500 },
): void {
  const { args, agree } = twins[name] as unknown as Twins<(...args: unknown[]) => unknown>
  const identical = (fast: Outcome<unknown[]>, slow: Outcome<unknown[]>): boolean =>
    equal(fast.result, slow.result) && same(fast.args, slow.args)
  fc.assert(
    fc.property(args, (given) =>
      (agree ?? identical)(
        outcome(kernels[name] as never, placed, given),
        outcome(plain[name] as never, elsewhere, given),
      ),
    ),
    parameters as fc.Parameters<[unknown[]]>,
  )
}
