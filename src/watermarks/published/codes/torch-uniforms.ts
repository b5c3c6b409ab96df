/** Uniforms as PyTorch draws them, one per token of the vocabulary: 24 bits, in [0, 1). */

import { sumDetector } from '../../../core/detect/index.ts'
import type { Context } from '../../../core/keys/index.ts'
import { ngram } from '../../../core/keys/index.ts'
import { parameter } from '../../../core/method/index.ts'
import type { SeededCode } from '../../../watermark.ts'
import { recurringExponential } from '../../mechanisms/exponential-laws.ts'
import type { Exponentials } from '../../mechanisms/gumbel-max.ts'
import { unbiasedWatermarkSeed } from '../mcmark.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { perKey, secretIntegers } from '../secret.ts'
import { threeBricksSeed } from '../three-bricks.ts'
import { TorchGenerator } from '../torch.ts'
import { pairsOption } from './scored.ts'
import { bySeed, type Counted } from './shared-seeds.ts'

/** The number of uniforms that are drawn one by one; the next request draws all. */
const ONE_BY_ONE = 4

/** -ln u of `torch.rand(size)`. */
class TorchExponentials implements Exponentials, SeededCode {
  readonly #seed: number | bigint
  readonly #size: number
  readonly #keyed: boolean
  #asked = 0
  #all: Float32Array | undefined

  constructor(seed: number | bigint, size: number, keyed: boolean) {
    this.#seed = seed
    this.#size = size
    this.#keyed = keyed
  }

  seedOf(): number | undefined {
    return this.#keyed ? Number(BigInt.asUintN(32, BigInt(this.#seed))) : undefined
  }

  at(token: number): number {
    if (this.#all === undefined && this.#asked++ < ONE_BY_ONE) {
      const generator = new TorchGenerator(this.#seed)
      generator.skip(token)
      return -Math.log(generator.rand(1)[0]!)
    }
    this.#all ??= new TorchGenerator(this.#seed).rand(this.#size)
    return -Math.log(this.#all[token]!)
  }
}

/** The differences between the implementations. */
interface Flavor {
  /** Tokens in a context. */
  readonly width: number
  seed(key: Uint8Array, context: Context, vocabSize: number): number | bigint
  /** True if different contexts may have one seed, and repeated ones are marked: three_bricks and MarkLLM. */
  readonly shared: boolean
}

const secretSeed = perKey((key) => secretIntegers(key, { name: 'seed', count: 1, bits: 63 })[0]!)
/** The seed, this times a number below V, has at most 64 bits. */
const hashKey = perKey((key) => secretIntegers(key, { name: 'hash key', count: 1, bits: 40 })[0]!)

const flavors: Readonly<Record<string, Flavor>> = {
  unbiasedWatermark: { width: 5, seed: unbiasedWatermarkSeed, shared: false },
  threeBricks: {
    width: 4,
    seed: (key, context) => threeBricksSeed(secretSeed(key), context),
    shared: true,
  },
  // the key times the product of the tokens modulo V: 0 under every key where that is 0
  markllm: {
    width: 4,
    seed: (key, context, vocabSize) =>
      hashKey(key) * context.reduce((product, token) => (product * BigInt(token)) % BigInt(vocabSize), 1n),
    shared: true,
  },
}

/**
 * The Gumbel watermarks of UnbiasedWatermark ("delta-Gumbel"), of three_bricks ("openai") and of MarkLLM ("EXP"). 1 - u is one of 2^24 places, all as likely:
 * the score -ln(1 - u) lies below an exponential.
 */
export const torchCodes = publishedCodes({
  codes: 'reference',
  about:
    'uniforms of PyTorch, see `flavor`; the key is the private key (UnbiasedWatermark), the seed (three_bricks) or the hash key (MarkLLM).',
  parameters: {
    /** The published code. */
    flavor: parameter.oneOf(['unbiasedWatermark', 'threeBricks', 'markllm'], {
      about: 'Which published code: of UnbiasedWatermark, of three_bricks or of MarkLLM.',
    }),
    contexts: pairsOption,
  },
  implementations: {
    'unbiased-watermark': { flavor: 'unbiasedWatermark' },
    'three-bricks': { flavor: 'threeBricks' },
    markllm: { flavor: 'markllm' },
  },
  context({ flavor, contexts }) {
    const { width, shared } = flavors[flavor as string]!
    const rule = ngram(width, { repeated: shared && contexts !== 'once' ? 'reuse' : 'skip' })
    return flavor === 'markllm' ? { ...rule, sharesCodes: true } : rule
  },
  parts({ flavor, contexts }: { flavor: string; contexts: Counted }): PublishedParts<Exponentials> {
    const { seed, shared } = flavors[flavor]!
    return {
      draw(_random, vocabSize, { key, context }) {
        const drawn = seed(key, context, vocabSize)
        return new TorchExponentials(drawn, vocabSize, flavor !== 'markllm' || drawn !== 0n)
      },
      ...(shared && {
        detector: bySeed(contexts, sumDetector({ nullLaw: recurringExponential() })),
      }),
    }
  },
})
