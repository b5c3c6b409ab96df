/** g-bits as published implementations of SynthID hash them. */
import type { Random } from '../../keys/random.ts'
import type { Site } from '../../keys/schedule.ts'
import type { Bits } from '../../watermarks/synthid.ts'
import { perKey, secretIntegers } from '../secret.ts'
import { type SynthidFlavor, type SynthidHash, synthidHash } from '../synthid.ts'
import type { Words } from './words.ts'

/** The rate of ones: the published table of Transformers has 32743 in 65536; the iterated hash is even. */
export const oneRate = (flavor: SynthidFlavor): number => (flavor === 'huggingface' ? 32743 / 65536 : 1 / 2)

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

/** What replaces the parts of a declaration that the bits decide. A published table has no complement: no orbit. */
export interface BitCodes {
  draw(random: Random, vocabSize: number, site: Site): Bits
  readonly orbit: undefined
  readonly enumerate: undefined
}

/** The bits of one of the published codes, with one integer of the key per layer. */
export function bitCodes(flavor: SynthidFlavor, layers: number): BitCodes {
  const hashOf = perKey((key) => synthidHash({ flavor, keys: secretIntegers(key, 'layer keys', layers, 63) }))
  return {
    draw: (_random, _vocabSize, { key, context }) => ({
      random: hashWords(hashOf(key), context),
      mask: 0,
    }),
    orbit: undefined,
    enumerate: undefined,
  }
}
