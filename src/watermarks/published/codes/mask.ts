/** The green list of MarkLLM's Unigram: numpy shuffles a mask once per key. */
import { sha256 } from '@noble/hashes/sha2.js'
import { sumDetector, withoutReplacement } from '../../../core/detect/index.ts'
import { wordsOf } from '../../../core/keys/index.ts'
import { outOfRange } from '../../../input.ts'
import { type GreenSet, greenRate } from '../../mechanisms/green.ts'
import { kgwGreenSize } from '../kgw.ts'
import { Pcg64 } from '../pcg64.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { perKey, secretIntegers } from '../secret.ts'
import { fronts } from './green.ts'

/** The seed: the first four bytes of SHA-256 of the hash key as int64, little-endian both times. */
function seedOf(key: Uint8Array): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigInt64(0, secretIntegers(key, { name: 'hash key', count: 1, bits: 63 })[0]!, true)
  const digest = sha256(new Uint8Array(view.buffer))
  return new DataView(digest.buffer, digest.byteOffset).getUint32(0, true)
}

/** Unigram of MarkLLM: int(gamma V) green tokens. */
export const maskCodes = publishedCodes({
  codes: 'reference',
  about: 'as in MarkLLM; the key is the hash key.',
  parameters: {},
  implementations: { markllm: {} },
  parts({ gamma, detector }: { gamma: number; detector: string }): PublishedParts<GreenSet> {
    if (detector === 'root')
      throw outOfRange('detector', "'guaranteed' or 'published' with codes: 'reference'", detector)
    const { threshold } = greenRate(gamma)
    const size = (vocabSize: number): number => kgwGreenSize(vocabSize, gamma)
    const setOf = perKey((key) => {
      let last: { readonly vocabSize: number; readonly green: GreenSet } | undefined
      return (vocabSize: number): GreenSet => {
        if (last?.vocabSize !== vocabSize) last = { vocabSize, green: mask(seedOf(key), vocabSize) }
        return last.green
      }
    })
    const mask = (seed: number, vocabSize: number): GreenSet => {
      const flags = new Uint8Array(vocabSize).fill(1, 0, size(vocabSize))
      new Pcg64(seed).shuffle(flags)
      return { shift: 0, random: wordsOf(Uint32Array.from(flags, (flag) => (flag === 1 ? 0 : threshold))) }
    }
    return {
      draw: (_random, vocabSize, { key }) => setOf(key)(vocabSize),
      detector: sumDetector({
        nullLaw: (vocabSize) => withoutReplacement(size(vocabSize), vocabSize),
        bound: 1,
      }),
      enumerate: (vocabSize) => fronts(vocabSize, size, threshold),
    }
  },
})
