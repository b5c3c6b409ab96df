/** The order and the key list of ITS as the experiments of Kuditipudi et al. draw them: a permutation of the vocabulary, then one uniform per entry. */

import { alignmentDetector } from '../../../core/detect/index.ts'
import type { Words } from '../../../core/keys/index.ts'
import type { NullLaw } from '../../../watermark.ts'
import { centredUniform, type Place, placeOrbit } from '../../mechanisms/inverse.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { secretIntegers } from '../secret.ts'
import { TorchGenerator } from '../torch.ts'
import { given, rankedWords } from './permutation.ts'

interface Values {
  readonly keyLength: number
  readonly block: number | undefined
  readonly penalty: number
  readonly detector: string
}

interface RankedPlace extends Place {
  readonly ranks: Int32Array
}

/** The draws of one key for one vocabulary: only the last are kept. */
interface KeyList {
  readonly key: Uint8Array
  readonly ranks: Int32Array
  readonly uniforms: Float32Array
  readonly words: Words
}

function drawList(key: Uint8Array, vocabSize: number, keyLength: number): KeyList {
  const generator = new TorchGenerator(secretIntegers(key, { name: 'key', count: 1, bits: 63 })[0]!)
  const order = generator.randperm(vocabSize)
  const ranks = new Int32Array(vocabSize)
  for (let rank = 0; rank < vocabSize; rank++) ranks[order[rank]!] = rank
  const words = rankedWords(given(order), (rank) => Math.floor((rank / vocabSize) * 2 ** 32))
  return { key, ranks, uniforms: generator.rand(keyLength), words }
}

/** u has 24 bits: |u - v| may lie below that of a continuous u by so much. */
const GRAIN = 2 ** -24

/** The law of scores with a continuous u, moved by what 24 bits may add to each. */
const centredGrains: NullLaw = {
  ...centredUniform,
  name: 'centredGrains',
  logTail: (sum, n) => centredUniform.logTail(sum - n * GRAIN, n),
}

/** ITS of the experiments. A token's place is its rank over V, in float32; the cost of a pair |u - place|, so the score is 1 less that. */
export const placeCodes = publishedCodes({
  codes: 'reference',
  about: 'the order and key list of the experiments of Kuditipudi et al.; the key is their seed.',
  parameters: {},
  implementations: { 'kuditipudi-experiments': {} },
  parts({ keyLength, block, penalty, detector }: Values): PublishedParts<Place> {
    let last: KeyList | undefined
    return {
      draw(_random, vocabSize, { key, context }): RankedPlace {
        if (last?.key !== key || last.ranks.length !== vocabSize) last = drawList(key, vocabSize, keyLength)
        return { u: last.uniforms[context[0]!]!, random: last.words, ranks: last.ranks }
      },
      score(token, place) {
        const { u, ranks } = place as RankedPlace
        return 1 - Math.abs(u - Math.fround(ranks[token]! / ranks.length))
      },
      detector: alignmentDetector({
        keyLength,
        block,
        penalty,
        ...(detector === 'published' ? {} : { shiftLaw: centredGrains }),
      }),
      orbit: (place, p) =>
        placeOrbit(place, p).map(({ code, weight }) => ({ weight, code: { ...place, ...code } })),
    }
  },
})
