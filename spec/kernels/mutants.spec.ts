/** The checks of twins.ts can fail: each rejects a kernel that is wrong in the way such kernels tend to be wrong. */
import { expect, test } from 'vitest'
import { type KernelName, type Kernels, plain, table } from '../../src/core/kernels/table.ts'
import { checkTwins, elsewhere, type Place } from './twins.ts'

const even = (length: number): number => length - (length % 4)

const mutants: [flaw: string, Partial<Kernels>][] = [
  [
    'softmax in float32',
    {
      softmax32(logits, sharpness, p) {
        const sum = plain.softmax32(logits, sharpness, p)
        for (let i = 0; i < p.length; i++) p[i] = Math.fround(p[i]!)
        return sum
      },
    },
  ],
  [
    'softmax that drops small values',
    {
      softmax64(logits, sharpness, p) {
        const sum = plain.softmax64(logits, sharpness, p)
        for (let i = 0; i < p.length; i++) if (p[i]! < 1e-30) p[i] = 0
        return sum
      },
    },
  ],
  [
    'words of the last vector missing',
    { fill: (out, ...keys) => plain.fill(out.subarray(0, even(out.length)), ...keys) },
  ],
  ['a sum without the last vector', { total: (p) => plain.total(p.subarray(0, even(p.length))) }],
  [
    'green up to the threshold and on it',
    { greenMass: (p, words, shift, threshold) => plain.greenMass(p, words, shift, threshold + 1) },
  ],
  [
    'words compared as signed numbers',
    {
      greenScale: (p, words, shift, threshold, green, red, q) =>
        plain.greenScale(
          p,
          words.map((w) => w ^ 0x80000000),
          shift,
          threshold,
          green,
          red,
          q,
        ),
    },
  ],
  [
    'mass added to the class beside',
    { classMass: (p, words, shift, mass) => plain.classMass(p, words, shift - 1, mass) },
  ],
  [
    'the factor of the class beside',
    { classScale: (p, words, shift, factor, q) => plain.classScale(p, words, shift + 1, factor, q) },
  ],
  [
    'a remainder that is not brought below the divisor',
    {
      remainders(words, l, out) {
        const over = plain.remainders(words, l, out)
        const inverse = Math.floor(2 ** 32 / l)
        for (let i = 0; i < words.length; i++)
          out[i] = words[i]! - Math.floor((words[i]! * inverse) / 2 ** 32) * l
        return over
      },
    },
  ],
  [
    'a bucket without its last token',
    { inBucket: (words, shift, bucket, ids) => plain.inBucket(words.subarray(0, -1), shift, bucket, ids) },
  ],
  [
    'tokens without mass in the support',
    {
      support: (p, ids) =>
        plain.support(
          p.map((mass) => (mass < 1e-300 ? 0 : mass)),
          ids,
        ),
    },
  ],
  [
    'the edge token counted as above it',
    {
      orderScale: (p, words, lowWord, highWord, low, high, q) =>
        plain.orderScale(p, words, lowWord, highWord - 1, low, high, q),
    },
  ],
  [
    'a runner ruled out too early',
    { nextRunner: (p, words, from, best) => plain.nextRunner(p, words, from, best * 0.5) },
  ],
  [
    'contexts hashed without their length',
    {
      seed: (words, key, count, length, step, out) =>
        plain.seed(words, key, count, length - (length % 2), step, out),
    },
  ],
  [
    'scores of one word only',
    {
      exponentialScores(tokens, k0, k1, k2, k3, out) {
        plain.exponentialScores(tokens, k0, k1, k2, k3, out)
        for (let i = 0; i < out.length; i++)
          out[i] = -Math.log(Math.ceil(Math.exp(-out[i]!) * 2 ** 32) / 2 ** 32)
      },
    },
  ],
  [
    'bits scored that only one value allows',
    {
      bitScores: (tokens, keys, vocabSize, out) =>
        plain.bitScores(tokens, keys, 2 ** Math.ceil(Math.log2(vocabSize)), out),
    },
  ],
  [
    'a key that does not wrap around',
    {
      align(pairs, k, column, costs) {
        plain.align(pairs, k, column, costs)
        if (costs.length > 16 && k > 1) costs[costs.length - 1]!++
      },
    },
  ],
]

/** The mutant that is hardest to see escapes 500 runs one time in 20, and so many less than once in 10^12 times. */
const RUNS = 5000

test.each(mutants)('%s', (_, flaw) => {
  const [kernel] = Object.keys(flaw) as KernelName[]
  expect(() =>
    checkTwins(kernel!, { ...plain, ...flaw }, elsewhere, { numRuns: RUNS, endOnFailure: true }),
  ).toThrow()
})

test('a word written past the end', () => {
  const roomy: Place = (array) => {
    const whole = new (array.constructor as Uint32ArrayConstructor)(array.length + 4)
    whole.set(array)
    return whole.subarray(0, array.length) as never
  }
  const check = (kernels: Kernels): void => checkTwins('fill', kernels, roomy)
  check(plain)
  const flawed: Kernels = {
    ...plain,
    fill: (out, ...keys) => plain.fill(new Uint32Array(out.buffer, 0, out.length + 1), ...keys),
  }
  expect(() => check(flawed)).toThrow()
})

test('every kernel has a mutant', () => {
  const kernels = new Set(mutants.flatMap(([, flaw]) => Object.keys(flaw)))
  expect([...kernels].sort()).toEqual(Object.keys(table).sort())
})
