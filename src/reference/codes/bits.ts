/** g-bits as published implementations of SynthID hash them. */
import { ngram } from '../../keys/ngram.ts'
import { parameter } from '../../method/parameters.ts'
import { type Bits, bitDetector } from '../../watermarks/synthid.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { perKey, secretIntegers } from '../secret.ts'
import { type SynthidFlavor, type SynthidHash, synthidHash } from '../synthid.ts'
import type { Words } from './words.ts'

interface Values {
  readonly layers: number
  readonly detector: 'mean' | 'weighted'
  readonly flavor: SynthidFlavor
}

/** The rate of ones: the published table of Transformers has 32743 in 65536; the iterated hash is even. */
const oneRate = (flavor: SynthidFlavor): number => (flavor === 'huggingface' ? 32743 / 65536 : 1 / 2)

function hashWords(hash: SynthidHash, context: readonly number[]): Words {
  const state = hash.context(context, 0, context.length)
  const bits = new Uint8Array(hash.layers)
  const uint32 = (token: number): number => {
    hash.bits(state, token, bits)
    let word = 0
    for (let layer = 0; layer < bits.length; layer++) word |= bits[layer]! << layer
    return word >>> 0
  }
  const fill = (out: Uint32Array): Uint32Array => {
    for (let token = 0; token < out.length; token++) out[token] = uint32(token)
    return out
  }
  return { uint32, fill }
}

/** The bits of SynthID as published, with one integer of the key per layer. A published table has no complement: no orbit. */
export const synthidCodes = publishedCodes({
  codes: 'reference',
  about: 'as published, after four tokens; the key is one integer per layer.',
  parameters: {
    /** Which published code: of Hugging Face Transformers or of the google-deepmind repository. */
    flavor: parameter.oneOf(['huggingface', 'google']),
  },
  implementations: { huggingface: { flavor: 'huggingface' }, google: { flavor: 'google' } },
  context: () => ngram(4),
  parts({ layers, detector, flavor }: Values): PublishedParts<Bits> {
    const hashOf = perKey((key) =>
      synthidHash({ flavor, keys: secretIntegers(key, { name: 'layer keys', count: layers, bits: 63 }) }),
    )
    return {
      draw: (_random, _vocabSize, { key, context }) => ({
        random: hashWords(hashOf(key), context),
        mask: 0,
      }),
      detector: bitDetector(layers, detector, oneRate(flavor)),
      orbit: undefined,
      enumerate: undefined,
    }
  },
})
