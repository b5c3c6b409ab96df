/** Uniforms as PyTorch draws them, one per token of the vocabulary: 24 bits, in [0, 1). */
import { ngram } from '../../keys/ngram.ts'
import { parameter } from '../../method/parameters.ts'
import type { Exponentials } from '../../watermarks/gumbel-max.ts'
import { unbiasedWatermarkSeed } from '../mcmark.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { perKey, secretIntegers } from '../secret.ts'
import { threeBricksSeed } from '../three-bricks.ts'
import { TorchGenerator } from '../torch.ts'

/** So many uniforms are drawn one by one; who asks for more is given all. */
const ONE_BY_ONE = 4

/** -ln u of `torch.rand(size)`. */
class TorchExponentials implements Exponentials {
  readonly #seed: number | bigint
  readonly #size: number
  #asked = 0
  #all: Float32Array | undefined

  constructor(seed: number | bigint, size: number) {
    this.#seed = seed
    this.#size = size
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

/**
 * The Gumbel watermarks of UnbiasedWatermark ("delta-Gumbel") and of three_bricks ("openai"). 1 - u is one of 2^24 places, all as likely:
 * the score -ln(1 - u) lies below an exponential.
 */
export const torchCodes = publishedCodes({
  codes: 'reference',
  about:
    'uniforms of PyTorch, see `flavor`; the key is the private key (UnbiasedWatermark) or the seed (three_bricks).',
  parameters: {
    /** Which published code. */
    flavor: parameter.oneOf(['unbiasedWatermark', 'threeBricks'], {
      about: 'Which published code: of UnbiasedWatermark or of three_bricks.',
    }),
  },
  implementations: {
    'unbiased-watermark': { flavor: 'unbiasedWatermark' },
    'three-bricks': { flavor: 'threeBricks' },
  },
  context: ({ flavor }) => ngram(flavor === 'threeBricks' ? 4 : 5),
  parts({ flavor }: { flavor: string }): PublishedParts<Exponentials> {
    const seed = perKey((key) => secretIntegers(key, { name: 'seed', count: 1, bits: 63 })[0]!)
    return {
      draw: (_random, vocabSize, { key, context }) =>
        new TorchExponentials(
          flavor === 'threeBricks'
            ? threeBricksSeed(seed(key), context)
            : unbiasedWatermarkSeed(key, context),
          vocabSize,
        ),
    }
  },
})
