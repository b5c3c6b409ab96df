import { sha256 } from '@noble/hashes/sha2.js'
import { MAX_VOCAB } from '../../core/keys/index.ts'
import { integer, isDetached, kindOf, list, number, requireOptions } from '../../input.ts'
import { secret64 } from './checked.ts'
import { modulo } from './mt19937.ts'
import { TorchGenerator } from './torch.ts'

/** A position of a text under the key schedule of the MCmark repository. */
export interface McmarkSeedOptions {
  readonly privateKey: Uint8Array
  /** The tokens before the position: two in the published experiments, fewer at the start of a text. */
  readonly context: ArrayLike<number>
}

/**
 * The generator seed of one position in the MCmark repository, which its DiPmark, gamma-reweight, STA-1 and MCmark
 * share: SHA-256 of the private key and the context (int64, little-endian), a big-endian integer mod 2^32 - 1.
 * @example mcmarkSeed({ privateKey: new Uint8Array(128), context: [31, 60] }) // 3733873459
 */
export function mcmarkSeed(options: McmarkSeedOptions): number {
  requireOptions('mcmarkSeed', options, ['privateKey', 'context'])
  const { privateKey, context } = options
  if (!(privateKey instanceof Uint8Array) || isDetached(privateKey))
    throw new TypeError(`privateKey: expected a Uint8Array, got ${kindOf(privateKey)}`)
  list('context', context, 'a list of token ids')
  return digestSeed([...privateKey, ...int64s(context)])
}

/** The seed of UnbiasedWatermark and of MarkLLM's DiPmark: the same with the context before the private key. */
export const unbiasedWatermarkSeed = (privateKey: Uint8Array, context: ArrayLike<number>): number =>
  digestSeed([...int64s(context), ...privateKey])

/** Token ids as int64, little-endian. */
function int64s(context: ArrayLike<number>): Uint8Array {
  const view = new DataView(new ArrayBuffer(8 * context.length))
  for (let i = 0; i < context.length; i++)
    view.setUint32(8 * i, integer(`context[${i}]`, context[i], 0, 2 ** 31 - 1), true)
  return new Uint8Array(view.buffer)
}

/** SHA-256 as a big-endian integer mod 2^32 - 1. */
function digestSeed(bytes: readonly number[]): number {
  const hash = sha256(Uint8Array.from(bytes))
  const digest = new DataView(hash.buffer, hash.byteOffset)
  // 2^32 = 1 mod 2^32 - 1, so the 256-bit integer is congruent to the sum of its eight words.
  let sum = 0
  for (let word = 0; word < 8; word++) sum += digest.getUint32(4 * word)
  return modulo(sum, 2 ** 32 - 1)
}

/** The draws of one seed: an order of the vocabulary and, with `channels`, the channel k. */
export interface McmarkCode {
  /** `order[r]` is the token of rank r. */
  readonly order: Int32Array
  readonly channel: number
}

/**
 * The code of a seed, as the repository draws it: randperm(vocabSize), then randint(0, channels) from the same stream.
 * @example mcmarkCode(42, 5, 20) // { order: Int32Array [2, 4, 3, 0, 1], channel: 0 }
 */
export function mcmarkCode(seed: number, vocabSize: number, channels = 1): McmarkCode {
  secret64('seed', seed)
  integer('vocabSize', vocabSize, 1, MAX_VOCAB)
  integer('channels', channels, 1, MAX_VOCAB)
  const generator = new TorchGenerator(seed)
  return { order: generator.randperm(vocabSize), channel: generator.randint(0, channels, 1)[0]! }
}

/** The channel of a seed alone: what `mcmarkCode` draws behind the order. */
export function mcmarkChannel(seed: number, vocabSize: number, channels: number): number {
  const generator = new TorchGenerator(seed)
  generator.skip(Math.max(0, vocabSize - 1))
  return generator.randint(0, channels, 1)[0]!
}

/**
 * The first rank of channel k: round(V k / l) with Python's rounding of halves to even; channel k ends where k + 1 begins.
 * @example mcmarkChannelStart(10, 4, 1) // 2: 2.5, halves to even
 */
export function mcmarkChannelStart(vocabSize: number, channels: number, k: number): number {
  integer('vocabSize', vocabSize, 1, MAX_VOCAB)
  integer('channels', channels, 1, MAX_VOCAB)
  return roundHalfEven((vocabSize * integer('k', k, 0, channels)) / channels)
}

/**
 * Returns the number of ids that STA-1 of that repository calls green: Python's round(gamma V).
 * @example sta1GreenSize(5, 0.5) // 2: 2.5, halves to even
 */
export const sta1GreenSize = (vocabSize: number, gamma: number): number =>
  roundHalfEven(number('gamma', gamma, 0, 1) * integer('vocabSize', vocabSize, 1, MAX_VOCAB))

/** Python's round(): halves go to the even neighbour. */
function roundHalfEven(x: number): number {
  const floor = Math.floor(x)
  const half = x - floor === 0.5
  return half ? floor + (floor % 2) : Math.round(x)
}
