/**
 * Tests of a random-access generator, as its users need it: words of one seed uniform and independent of their neighbours,
 * words of related seeds and of related indices independent. Each statistic is a sum of squares with a chi-square law under
 * the null, tested on both sides (a counter is *too* uniform).
 *
 * False alarm: each p-value below 1e-12 fails; a battery has fewer than 1,000 of them, so a sound generator fails with
 * probability below 1e-9. Power: a bit that is set with probability 0.51 gives, over 2^20 words, a statistic of 452 +- 42 where
 * 129 fails, and is missed with probability below 1e-9; the mutants in random.spec.ts show what the other parts see.
 */
import type { Random } from '../../src/core/keys/random.ts'
import type { Stream } from '../../src/core/keys/stream.ts'
import { logGammaTail } from '../../src/core/stats/log-gamma-tail.ts'
import { log1mexp } from '../../src/core/stats/log1mexp.ts'

export type RandomAccess = (seed: Uint32Array) => Pick<Random, 'uint32'>

export interface Finding {
  readonly test: string
  /** ln of the two-sided p-value. */
  readonly logP: number
}

export const LOG_LEVEL = Math.log(1e-12)

/** ln of the two-sided p-value of a chi-square statistic. */
function logChiSquare(statistic: number, freedom: number): number {
  const upper = logGammaTail(statistic / 2, freedom / 2)
  const lower = log1mexp(upper)
  return Math.min(0, Math.log(2) + Math.min(upper, lower))
}

function uniformCounts(test: string, counts: ArrayLike<number>): Finding {
  let total = 0
  for (let i = 0; i < counts.length; i++) total += counts[i]!
  const expected = total / counts.length
  let statistic = 0
  for (let i = 0; i < counts.length; i++) statistic += (counts[i]! - expected) ** 2 / expected
  return { test, logP: logChiSquare(statistic, counts.length - 1) }
}

/** Each bit of the given words must be fair: 32 squared z-scores. */
function fairBits(test: string, words: Iterable<number>): Finding {
  const ones = new Float64Array(32)
  let n = 0
  for (const word of words) {
    n++
    for (let bit = 0; bit < 32; bit++) ones[bit]! += (word >>> bit) & 1
  }
  return {
    test,
    logP: logChiSquare(
      ones.reduce((sum, k) => sum + (k - n / 2) ** 2 / (n / 4), 0),
      32,
    ),
  }
}

const randomSeed = (stream: Stream): Uint32Array => Uint32Array.from({ length: 4 }, () => stream.uint32())

function* uniformity(make: RandomAccess, stream: Stream): Generator<Finding> {
  for (const [from, name] of [
    [0, 'token'],
    [2 ** 23, 'own'],
    [2 ** 31, 'second'],
  ] as const) {
    const counts = [0, 8, 16, 24].map(() => new Float64Array(256))
    for (let s = 0; s < 64; s++) {
      const words = make(randomSeed(stream))
      for (let i = 0; i < 2048; i++) {
        const word = words.uint32(from + i)
        for (let byte = 0; byte < 4; byte++) counts[byte]![(word >>> (8 * byte)) & 255]!++
      }
    }
    const fresh = function* () {
      for (let s = 0; s < 64; s++) {
        const words = make(randomSeed(stream))
        for (let i = 0; i < 2 ** 14; i++) yield words.uint32(from + i)
      }
    }
    yield fairBits(`every bit of ${name} words is fair`, fresh())
    for (const [byte, count] of counts.entries())
      yield uniformCounts(`byte ${byte} of ${name} words is uniform`, count)
  }
}

function* neighbours(make: RandomAccess, stream: Stream): Generator<Finding> {
  for (const gap of [1, 2, 3, 16, 2 ** 24]) {
    for (const shift of [0, 26]) {
      const counts = new Float64Array(4096)
      for (let s = 0; s < 64; s++) {
        const words = make(randomSeed(stream))
        for (let i = 0; i < 2048; i++)
          counts[((words.uint32(i) >>> shift) & 63) * 64 + ((words.uint32(i + gap) >>> shift) & 63)]!++
      }
      yield uniformCounts(`words ${gap} apart are independent (bits ${shift} to ${shift + 5})`, counts)
    }
  }
}

function* relatedSeeds(make: RandomAccess, stream: Stream): Generator<Finding> {
  for (let bit = 0; bit < 128; bit++) {
    const differences = function* () {
      for (let s = 0; s < 256; s++) {
        const seed = randomSeed(stream)
        const near = seed.slice()
        near[bit >>> 5]! ^= 1 << (bit & 31)
        const [a, b] = [make(seed), make(near)]
        for (let i = 0; i < 16; i++) yield a.uint32(i) ^ b.uint32(i)
      }
    }
    yield fairBits(`seeds that differ in bit ${bit} give independent words`, differences())
  }
}

function* avalanche(make: RandomAccess, stream: Stream): Generator<Finding> {
  for (let bit = 0; bit < 24; bit++) {
    const differences = function* () {
      for (let s = 0; s < 4096; s++) {
        const words = make(randomSeed(stream))
        const i = stream.below(2 ** 24)
        yield words.uint32(i) ^ words.uint32(i ^ (1 << bit))
      }
    }
    yield fairBits(
      `flipping bit ${bit} of the index flips every bit of the word half the time`,
      differences(),
    )
  }
}

/** Everything that the battery finds, one finding per statistic. */
export function* battery(make: RandomAccess, stream: Stream): Generator<Finding> {
  yield* uniformity(make, stream)
  yield* neighbours(make, stream)
  yield* relatedSeeds(make, stream)
  yield* avalanche(make, stream)
}
