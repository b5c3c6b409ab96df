/** The green lists of KGW as published: int(gamma V) tokens, from the previous token (left hash), several of them, or those and the candidate (self-hash). */

import type { ContextRule, Site } from '../../../core/keys/index.ts'
import { ngram } from '../../../core/keys/index.ts'
import { parameter } from '../../../core/method/index.ts'
import { outOfRange } from '../../../input.ts'
import type { Detector, SeededCode } from '../../../watermark.ts'
import { type GreenSet, greenRate } from '../../mechanisms/green.ts'
import { integerText } from '../key.ts'
import { kgwGreenSize, kgwSeed } from '../kgw.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { perKey, secretIntegers } from '../secret.ts'
import { threeBricksSeed } from '../three-bricks.ts'
import { TorchGenerator } from '../torch.ts'
import { front, greenParts } from './green.ts'
import { drawn } from './permutation.ts'
import { pairsOption } from './scored.ts'
import { SELF_HASH_WIDTH, type SelfHashValues, selfHashParts } from './self-hash.ts'
import { bySeed, counting } from './shared-seeds.ts'

/** The differences between the implementations. */
interface Flavor {
  /** Tokens in a context. */
  readonly width: number
  parts(values: SelfHashValues): PublishedParts<GreenSet>
}

const hashingKey = perKey((key) => secretIntegers(key, { name: 'hashing key', count: 1, bits: 63 })[0]!)
const brickSeed = perKey((key) => secretIntegers(key, { name: 'seed', count: 1, bits: 63 })[0]!)

/** Refuses contexts longer than the hash reads: they would share green lists and be taken for independent. */
function requireWidth({ id, window }: ContextRule, width: number, hash: string): void {
  if (window !== width)
    throw outOfRange('context', `ngram(${width}): the ${hash} of codes: reference reads one token`, id)
}

/** Lists from a seed per context, where different contexts may have one seed; undefined: the list is the same under every key. */
function seededParts(
  seedOf: (vocabSize: number, site: Site) => bigint | undefined,
  { gamma, contexts }: SelfHashValues,
  more: Partial<Detector> = {},
): PublishedParts<GreenSet> {
  const { threshold } = greenRate(gamma)
  const size = (vocabSize: number): number => kgwGreenSize(vocabSize, gamma)
  const parts = greenParts(
    (vocabSize, site) => drawn(seedOf(vocabSize, site) ?? 0, vocabSize),
    size,
    threshold,
  )
  return {
    ...parts,
    draw(_random, vocabSize, site): GreenSet & SeededCode {
      const seed = seedOf(vocabSize, site)
      const name = seed === undefined ? undefined : Number(BigInt.asUintN(32, seed))
      return { ...front(drawn(seed ?? 0, vocabSize), size, threshold), seedOf: () => name }
    },
    detector: bySeed(contexts, { ...parts.detector!, ...more }),
  }
}

/** MarkLLM's permutation of the vocabulary, for the last key and vocabulary. */
const tableOf = perKey((key) => {
  let table: Int32Array | undefined
  return (vocabSize: number): Int32Array => {
    if (table?.length !== vocabSize) table = new TorchGenerator(hashingKey(key)).randperm(vocabSize)
    return table
  }
})

/** The hashing key of TGI, and the default of Transformers. */
const TGI_KEY = 15485863

const flavors: Readonly<Record<string, Flavor>> = {
  huggingface: {
    width: 1,
    parts({ gamma, context: rule, contexts }) {
      requireWidth(rule, 1, 'left hash')
      const parts = greenParts(
        (vocabSize, { key, context }) =>
          drawn(kgwSeed(hashingKey(key), context[context.length - 1]!), vocabSize),
        (vocabSize) => kgwGreenSize(vocabSize, gamma),
        greenRate(gamma).threshold,
        // the seed is the hashing key times the previous token: after token 0 every key has the same green list
        (context) => context[context.length - 1] === 0,
      )
      return {
        ...parts,
        detector: counting(contexts, parts.detector!),
        // the key of TGI is a constant of its source
        ...(contexts === 'published' && { keyOf: integerText(10, `${TGI_KEY}`) }),
      }
    },
  },
  // seeds of more than one token collide: 35317 a + b has few values for large vocabularies
  threeBricks: {
    width: 4,
    parts: (values) =>
      seededParts((_vocabSize, { key, context }) => threeBricksSeed(brickSeed(key), context), values),
  },
  // the key times a place of its permutation, modulo V: of V lists in all, which the key does not change, one is chosen
  markllm: {
    width: 1,
    parts(values) {
      requireWidth(values.context, 1, 'hash of MarkLLM')
      return seededParts(
        (vocabSize, { key, context }) => {
          const table = tableOf(key)(vocabSize)
          const seed = (hashingKey(key) * BigInt(table[context[0]! % vocabSize]!)) % BigInt(vocabSize)
          return seed === 0n ? undefined : seed
        },
        values,
        { guaranteed: false },
      )
    },
  },
  selfHash: { width: SELF_HASH_WIDTH, parts: (values) => selfHashParts(values, 'keyed', 40) },
  authorsSelfHash: { width: SELF_HASH_WIDTH, parts: (values) => selfHashParts(values, 'fixed', 41) },
}

/** KGW with the hashes of Hugging Face Transformers, of lm-watermarking, of three_bricks and of MarkLLM. */
export const kgwCodes = publishedCodes({
  codes: 'reference',
  about:
    'as published, see `flavor`: the left hash of Hugging Face Transformers, after one token, keyed by the hashing key; others with their own key.',
  parameters: {
    /** The published code. */
    flavor: parameter.oneOf(['huggingface', 'threeBricks', 'markllm', 'selfHash', 'authorsSelfHash'], {
      about:
        'Which published code: the left hash of Hugging Face Transformers (and of lm-watermarking, where it is the same), three_bricks, MarkLLM, or the self-hash of Transformers or of lm-watermarking, by the authors.',
    }),
    contexts: pairsOption,
  },
  implementations: {
    huggingface: { flavor: 'huggingface' },
    tgi: { flavor: 'huggingface', contexts: 'published' },
    'three-bricks': { flavor: 'threeBricks' },
    markllm: { flavor: 'markllm' },
    'huggingface-selfhash': { flavor: 'selfHash' },
    'lm-watermarking-selfhash': { flavor: 'authorsSelfHash' },
  },
  context: ({ flavor, contexts }) =>
    ngram(flavors[flavor as string]!.width, { repeated: contexts === 'once' ? 'skip' : 'reuse' }),
  parts: ({ flavor, ...values }: SelfHashValues & { flavor: string }) => flavors[flavor]!.parts(values),
})
