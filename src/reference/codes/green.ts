/** Green sets as published: the front of a permutation, so that exactly `size` of V tokens are green. */

import type { Detector } from '../../detect/detector.ts'
import { withoutReplacement } from '../../detect/null-laws.ts'
import { type SumDetectorOptions, sumDetector } from '../../detect/sum-detector.ts'
import { outOfRange } from '../../input.ts'
import { ngram } from '../../keys/ngram.ts'
import type { Random } from '../../keys/random.ts'
import type { ContextRule } from '../../keys/rule.ts'
import type { Site } from '../../keys/schedule.ts'
import type { Weighted } from '../../watermark.ts'
import type { GreenSet } from '../../watermarks/green.ts'
import { kgwGreenSize, kgwOrder } from '../kgw.ts'
import { mcmarkCode, mcmarkSeed, sta1GreenSize } from '../mcmark.ts'
import { perKey, secretIntegers } from '../secret.ts'
import { lazyWords, splitAt, wordsByRank } from './words.ts'

/** A drawn permutation and how many of its tokens are green. */
export interface GreenFront extends GreenSet {
  readonly order: () => Int32Array
}

/** What replaces the parts of a declaration that green sets decide. */
export interface GreenCodes {
  draw(random: Random, vocabSize: number, site: Site): GreenSet
  readonly detector: Detector
  enumerate(vocabSize: number): Iterable<Weighted<GreenSet>>
}

type Size = (vocabSize: number) => number

function front(order: () => Int32Array, size: Size, threshold: number): GreenFront {
  const words = () => {
    const ranked = order()
    return wordsByRank(ranked, splitAt(ranked.length, size(ranked.length), threshold))
  }
  return { random: lazyWords(words), shift: 0, order }
}

/** The first token goes last, `by` times. */
const rotate = (order: Int32Array, by: number): Int32Array =>
  Int32Array.from(order, (_, rank) => order[(rank + by) % order.length]!)

/** All sets of `size` of the tokens: the low bits of a counter, kept where as many are set. */
function* subsets(vocabSize: number, size: number): Generator<number> {
  for (let set = 0; set < 2 ** vocabSize; set++) {
    let count = 0
    for (let token = 0; token < vocabSize; token++) count += (set >>> token) & 1
    if (count === size) yield set
  }
}

function greenCodes(
  orderOf: (vocabSize: number, site: Site) => Int32Array,
  size: Size,
  threshold: number,
  keyless?: SumDetectorOptions['keyless'],
): GreenCodes {
  return {
    draw: (_random, vocabSize, site) =>
      front(
        once(() => orderOf(vocabSize, site)),
        size,
        threshold,
      ),
    detector: sumDetector({
      nullLaw: (vocabSize) => withoutReplacement(size(vocabSize), vocabSize),
      bound: 1,
      keyless,
    }),
    *enumerate(vocabSize) {
      const sets = [...subsets(vocabSize, size(vocabSize))]
      const tokens = Array.from({ length: vocabSize }, (_, token) => token)
      for (const set of sets) {
        const member = (token: number): number => (set >>> token) & 1
        const order = Int32Array.from(tokens.toSorted((a, b) => member(b) - member(a)))
        yield { code: front(() => order, size, threshold), weight: 1 / sets.length }
      }
    },
  }
}

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The left hash reads the previous token only: longer contexts would share green lists and be taken for independent. */
export function leftHashRule(context: ContextRule = ngram(1)): ContextRule {
  if (!/^ngram\(1(,repeated=reuse)?\)$/.test(context.id))
    throw outOfRange('context', 'ngram(1): the left hash of codes: reference reads one token', context.id)
  return context
}

/** KGW with left hash, as in Hugging Face Transformers: int(gamma V) green tokens. */
export function kgwCodes(gamma: number, threshold: number): GreenCodes {
  const hashingKey = perKey((key) => secretIntegers(key, 'hashing key', 1, 63)[0]!)
  const order = (vocabSize: number, { key, context }: Site) =>
    kgwOrder(vocabSize, hashingKey(key), context[context.length - 1]!)
  // the seed is the hashing key times the previous token: after token 0 every key has the same green list
  const afterZero = (context: readonly number[]): boolean => context[context.length - 1] === 0
  return greenCodes(order, (vocabSize) => kgwGreenSize(vocabSize, gamma), threshold, afterZero)
}

/** STA-1, as in the MCmark repository: round(gamma V) green tokens. */
export function sta1Codes(
  gamma: number,
  threshold: number,
): GreenCodes & { orbit(green: GreenSet): GreenSet[] } {
  const size: Size = (vocabSize) => sta1GreenSize(vocabSize, gamma)
  const order = (vocabSize: number, { key, context }: Site) =>
    mcmarkCode(mcmarkSeed({ privateKey: key, context }), vocabSize).order
  return {
    ...greenCodes(order, size, threshold),
    // a uniform permutation is as likely as each of its rotations, and those make every token green equally often
    orbit(green) {
      const drawn = (green as GreenFront).order
      return Array.from(drawn(), (_, by) => front(() => rotate(drawn(), by), size, threshold))
    },
  }
}
