/**
 * A seeded stream of random numbers for everything that is *not* a watermark's secret: sampling tokens, drawing prompts,
 * placing edits. The same seed and labels give the same stream on every machine.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { integer, text, wrongType } from '../../input.ts'
import { toUniform } from '../kernels/mix.ts'
import { Expansion } from './random.ts'

export interface Stream {
  /** The next number in the open interval (0, 1). */
  uniform(): number
  /** The next 32-bit word. */
  uint32(): number
  /** The next integer in `0 .. n-1`, exactly uniform. */
  below(n: number): number
}

/** Checks a seed: a string or a number other than NaN. */
export function checkSeed(seed: unknown, name = 'seed'): asserts seed is number | string {
  if (typeof seed === 'string') text(name, seed)
  else if (typeof seed !== 'number' || Number.isNaN(seed)) throw wrongType(name, 'a number or a string', seed)
}

/** 128 bits that depend on every label. Labels are length-prefixed: ('ab', 'c') and ('a', 'bc') differ. */
export function labelSeed(...labels: readonly (number | string)[]): Uint32Array {
  const text = labels.map((label) => `${typeof label}:${String(label).length}:${label};`).join('')
  const digest = sha256(utf8ToBytes(text))
  return Uint32Array.from({ length: 4 }, (_, i) =>
    new DataView(digest.buffer, digest.byteOffset).getUint32(4 * i, true),
  )
}

/**
 * A stream determined by a seed and any number of labels.
 * @example
 * const stream = seededRandom(1, 'prompts', 7)
 * stream.uniform() // the same number every time this is run
 */
export function seededRandom(seed: number | string, ...labels: readonly (number | string)[]): Stream {
  checkSeed(seed)
  const words = new Expansion()
  let at = 0
  let block = 0
  // of the n that was asked for last: remainders of large numbers are slow
  let known = Number.NaN
  let limit = 0
  // one seed gives a permutation of the 32-bit integers; a new one after 2^20 words keeps far away from its end
  const next = (): number => {
    if (at % (1 << 20) === 0) {
      words.reseed(labelSeed('stream', seed, ...labels, block++))
      at = 0
    }
    return words.uint32(at++)
  }
  return {
    uint32: next,
    uniform: () => toUniform(next(), next()),
    below(n) {
      if (n !== known) {
        known = integer('n', n, 1, 2 ** 32)
        limit = 2 ** 32 - (2 ** 32 % n)
      }
      let word = next()
      while (word >= limit) word = next()
      // the remainder: word / n lies at least 1/n below the next integer, which rounding cannot reach
      return word - n * Math.floor(word / n)
    },
  }
}

/** Puts a list into an order in place, every order equally likely (Fisher and Yates), and returns it. */
export function shuffled<T extends number[] | Float64Array | Uint32Array>(list: T, { below }: Stream): T {
  for (let i = list.length - 1; i > 0; i--) {
    const j = below(i + 1)
    const moved = list[i]!
    list[i] = list[j]!
    list[j] = moved
  }
  return list
}
