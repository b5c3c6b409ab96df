/** Green sets as published: the front of a permutation, so that exactly `size` of V tokens are green. */

import { sumDetector, withoutReplacement } from '../../../core/detect/index.ts'
import type { Site } from '../../../core/keys/index.ts'
import type { SumDetectorOptions, Weighted } from '../../../watermark.ts'
import { type GreenSet, greenRate } from '../../mechanisms/green.ts'
import { mcmarkSeed, sta1GreenSize } from '../mcmark.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { drawn, given, type Permutation, rankedWords, rotated } from './permutation.ts'
import { contextsOption, mcmarkContexts } from './scored.ts'

/** A permutation whose first tokens are green. */
interface GreenFront extends GreenSet {
  readonly permutation: Permutation
}

type Size = (vocabSize: number) => number

/** Words below the threshold are green. Which of them does not matter, so no more of the permutation is drawn than its front. */
export function front(permutation: Permutation, size: Size, threshold: number): GreenFront {
  const green = size(permutation.size)
  const word = (rank: number): number => (rank < green ? 0 : threshold)
  return { random: rankedWords(permutation, word, green), shift: 0, permutation }
}

/** All sets of `size` of the tokens: the low bits of a counter, kept where as many are set. */
function* subsets(vocabSize: number, size: number): Generator<number> {
  for (let set = 0; set < 2 ** vocabSize; set++) {
    let count = 0
    for (let token = 0; token < vocabSize; token++) count += (set >>> token) & 1
    if (count === size) yield set
  }
}

/** Every set of the size that is green, all alike. */
export function* fronts(vocabSize: number, size: Size, threshold: number): Generator<Weighted<GreenSet>> {
  const sets = [...subsets(vocabSize, size(vocabSize))]
  const tokens = Array.from({ length: vocabSize }, (_, token) => token)
  for (const set of sets) {
    const member = (token: number): number => (set >>> token) & 1
    const order = Int32Array.from(tokens.toSorted((a, b) => member(b) - member(a)))
    yield { code: front(given(order), size, threshold), weight: 1 / sets.length }
  }
}

export function greenParts(
  permutationOf: (vocabSize: number, site: Site) => Permutation,
  size: Size,
  threshold: number,
  keyless?: SumDetectorOptions['keyless'],
): PublishedParts<GreenSet> {
  return {
    draw: (_random, vocabSize, site) => front(permutationOf(vocabSize, site), size, threshold),
    detector: sumDetector({
      nullLaw: (vocabSize) => withoutReplacement(size(vocabSize), vocabSize),
      bound: 1,
      keyless,
    }),
    enumerate: (vocabSize) => fronts(vocabSize, size, threshold),
  }
}

/** STA-1, as in the MCmark repository: round(gamma V) green tokens. */
export const sta1Codes = publishedCodes({
  codes: 'reference',
  about: 'as in the MCmark repository; the key is the private key.',
  parameters: { contexts: contextsOption },
  implementations: { mcmark: {} },
  context: mcmarkContexts,
  parts({ gamma }: { gamma: number }): PublishedParts<GreenSet> {
    const { threshold } = greenRate(gamma)
    const size: Size = (vocabSize) => sta1GreenSize(vocabSize, gamma)
    const permutation = (vocabSize: number, { key, context }: Site) =>
      drawn(mcmarkSeed({ privateKey: key, context }), vocabSize)
    return {
      ...greenParts(permutation, size, threshold),
      // a uniform permutation is as likely as each of its rotations, and those make every token green equally often
      orbit(green) {
        const order = (green as GreenFront).permutation.order()
        return Array.from(order, (_, by) => front(rotated(order, by), size, threshold))
      },
    }
  },
})
