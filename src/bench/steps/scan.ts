/** Tests a batch of texts of a corpus, for `uwbench detect --queue`. The key does not travel: a worker that has it says so by a digest. */
import { outcomesOf } from '../../core/detect/index.ts'
import { keyBytes, keyedHash } from '../../core/keys/index.ts'
import { defineStep } from '../cells/step.ts'
import type { Resources } from './resources.ts'

export interface ScanInputs {
  readonly watermark: string
  /** Identifies the key. */
  readonly key: { readonly id: string; readonly digest: string }
  /** The number of the batch: equal batches are different cells. */
  readonly batch: number
  /** Token ids of all texts, 32 bits each, in base64. */
  readonly tokens: string
  readonly lengths: readonly number[]
  readonly vocabSize: number
  readonly alpha: number
  readonly skip: readonly number[]
  readonly runs?: number
}

/** The columns of `outcomesOf`. */
export interface Scanned {
  readonly outcomes: readonly number[]
}

/**
 * Returns a digest that tells one key from another in a queue. A reader of it can test guesses of the key, as with any statistic of a
 * marked text, so a key that cannot be guessed stays secret.
 */
export const keyDigest = (key: string | Uint8Array): string =>
  Buffer.from(keyedHash(keyBytes(key), 'uwbench queue')).toString('hex')

/** Token ids as they travel. */
export const packed = (tokens: Int32Array): string =>
  Buffer.from(tokens.buffer, tokens.byteOffset, tokens.byteLength).toString('base64')

const unpacked = (text: string): Int32Array =>
  new Int32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer)

export const scanStep = defineStep<ScanInputs, [], Scanned, Resources>({
  module: import.meta.url,
  cost: ({ watermark, lengths }) => lengths.length * (/Edit/.test(watermark) ? 500 : 1),
  async run({ watermark, tokens, lengths, key: _, batch: __, ...options }, _needs, resources) {
    const { key } = resources
    if (key === undefined) throw new Error('this worker has no key: give --key-file FILE or set UWBENCH_KEY')
    const found = outcomesOf(
      await resources.watermark(watermark),
      unpacked(tokens),
      Int32Array.from(lengths),
      { ...options, key },
    )
    return { outcomes: Array.from(found) }
  },
})
