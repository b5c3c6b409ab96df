/** g-bits as published implementations of SynthID hash them. */

import type { Words } from '../../../core/keys/index.ts'
import { ngram, wordsBy } from '../../../core/keys/index.ts'
import { parameter } from '../../../core/method/index.ts'
import { outOfRange } from '../../../input.ts'
import { type Bits, bitDetector, PAGE } from '../../mechanisms/bits.ts'
import { synthidContexts } from '../context.ts'
import { type PublishedParts, publishedCodes } from '../published.ts'
import { perKey, secretIntegers } from '../secret.ts'
import { MAX_TABLE, type SynthidFlavor, type SynthidHash, synthidHash, synthidTable } from '../synthid.ts'

interface Values {
  readonly layers: number
  readonly detector: 'mean' | 'weighted'
  readonly flavor: SynthidFlavor
  readonly tableSize: number
  readonly tableSeed: number
}

/** The rate of ones: the published table of Transformers has 32743 in 65536; the iterated hash is even. */
function oneRate({ flavor, tableSize, tableSeed }: Values): number {
  if (flavor === 'google') {
    if (tableSize !== 65536 || tableSeed !== 0)
      throw outOfRange('tableSize', "none with flavor: 'google', which has no table", tableSize)
    return 1 / 2
  }
  const ones = synthidTable(tableSize, tableSeed).reduce((sum, bit) => sum + bit, 0)
  if (ones === 0 || ones === tableSize)
    throw outOfRange('tableSize', 'a table with zeros and ones; this one has only one of them', tableSize)
  return ones / tableSize
}

/** The words of a position: `page` says which layers, 32 each. */
function hashWords(hash: SynthidHash, context: readonly number[], page: number): Words {
  const state = hash.context(context, 0, context.length)
  const bits = new Uint8Array(hash.layers)
  const [from, to] = [PAGE * page, Math.min(hash.layers, PAGE * (page + 1))]
  return wordsBy((token) => {
    hash.bits(state, token, bits)
    let word = 0
    for (let layer = from; layer < to; layer++) word |= bits[layer]! << (layer - from)
    return word >>> 0
  })
}

/** The bits of SynthID as published, with one integer of the key per layer. A published table has no complement: no orbit. */
export const synthidCodes = publishedCodes({
  codes: 'reference',
  about: 'as published, after four tokens; the key is one integer per layer.',
  parameters: {
    /** The published code: of Hugging Face Transformers or of the google-deepmind repository. */
    flavor: parameter.oneOf(['huggingface', 'google']),
    /** Entries of the table of bits of Transformers: its `sampling_table_size`. */
    tableSize: parameter.integer(2, MAX_TABLE, { default: 65536 }),
    /** The seed of that table: its `sampling_table_seed`. */
    tableSeed: parameter.integer(0, Number.MAX_SAFE_INTEGER, { default: 0 }),
    contexts: parameter.oneOf(['once', 'published', 'llama.cpp'], {
      about:
        "Which positions are marked and scored: each context 'once', or those of the 'published' implementation, which looks at generated tokens only and forgets contexts after 1024 positions (`synthidContexts`), or those of 'llama.cpp', the same with contexts that reach into the prompt. The p-value holds either way.",
    }),
  },
  implementations: {
    huggingface: { flavor: 'huggingface' },
    google: { flavor: 'google' },
    'llama.cpp': { contexts: 'llama.cpp' },
  },
  context: ({ contexts }) =>
    contexts === 'once' ? ngram(4) : synthidContexts({ prompt: contexts === 'llama.cpp' }),
  parts(values: Values): PublishedParts<Bits> {
    const { layers, detector, flavor, tableSize, tableSeed } = values
    const rate = oneRate(values)
    const hashOf = perKey((key) =>
      synthidHash({
        flavor,
        keys: secretIntegers(key, { name: 'layer keys', count: layers, bits: 63 }),
        samplingTableSize: tableSize,
        samplingTableSeed: tableSeed,
      }),
    )
    const more = Array.from({ length: Math.ceil(layers / PAGE) - 1 }, (_, page) => page + 1)
    return {
      draw(_random, _vocabSize, { key, context }) {
        const words = (page: number) => hashWords(hashOf(key), context, page)
        return { random: words(0), mask: 0, ...(more.length > 0 && { more: more.map(words) }) }
      },
      // every layer looks the same hash up in one table
      ...(flavor === 'huggingface' && { seedBits: Math.log2(tableSize) }),
      detector: bitDetector(layers, detector, rate),
      orbit: undefined,
      enumerate: undefined,
    }
  },
})
