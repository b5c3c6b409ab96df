/**
 * Detection keeps its promise on text that has nothing to do with the key: scores lie in the declared bound, and
 * P(pValue <= a) <= a for every a. Texts are held fixed and keys are random: that is the null exactly, for any text, however
 * repetitive.
 */
import fc from 'fast-check'
import { detect } from '../detect/index.ts'
import { seededRandom, type Stream } from '../keys/index.ts'
import type { Watermark } from '../watermark.ts'
import { keySeed } from './arbitraries/index.ts'
import { secretKey } from './codes.ts'
import { pValueTest, smallestExcess } from './engine/index.ts'
import { forAll, Violation } from './for-all.ts'
import { type LawResult, notApplicable, type Trial } from './law.ts'
import { resultOf, type Shown } from './result.ts'

const NAME = 'the null law is right'
const VOCAB = 64

/** Texts that detectors meet, and those that break them. */
const kinds = {
  random: (n: number, { below }: Stream) => Array.from({ length: n }, () => below(VOCAB)),
  /** A few tokens make up most of the text, as words do. */
  skewed: (n: number, { uniform }: Stream) => Array.from({ length: n }, () => Math.floor(VOCAB * uniform() ** 4)),
  /** One phrase said again and again. */
  looping: (n: number, { below }: Stream) => {
    const phrase = Array.from({ length: 5 + below(4) }, () => below(VOCAB))
    return Array.from({ length: n }, (_, t) => phrase[t % phrase.length]!)
  },
} as const
type Kind = keyof typeof kinds

interface Case {
  readonly kind: Kind
  readonly length: number
  readonly keys: number
}

/** What is tried: a kind of text, its length, and over how many keys. */
interface Plan {
  readonly kind: Kind
  readonly length: number
  readonly count: number
}

/** Sums of scores are cheap, so that many keys and long texts are affordable; alignments and scans are not. */
const plansFor = (cheap: boolean): readonly Plan[] =>
  cheap
    ? [
        { kind: 'random', length: 14, count: 4000 },
        { kind: 'skewed', length: 40, count: 3000 },
        { kind: 'looping', length: 60, count: 4000 },
        { kind: 'random', length: 600, count: 1000 },
      ]
    : [
        { kind: 'random', length: 12, count: 600 },
        { kind: 'looping', length: 16, count: 600 },
      ]

const show = ({ kind, length, keys }: Case): Shown => ({
  also: `a ${kind} text of ${length} tokens over a vocabulary of ${VOCAB}, keys from seed ${keys}`,
})
