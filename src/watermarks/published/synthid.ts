import { sha256 } from '@noble/hashes/sha2.js'
import { integer, kindOf, list, oneOf, requireOptions } from '../../input.ts'
import { secret64 } from './checked.ts'
import { absorb, absorbLow, type Register, register, remainder, shiftRight } from './lcg64.ts'
import { TorchGenerator } from './torch.ts'

/** The published code: Transformers' sampling table, or the newer google-deepmind repository's iterated hash. */
export type SynthidFlavor = 'huggingface' | 'google'

/** The text and the keys of g-values. */
export interface SynthidOptions {
  readonly flavor: SynthidFlavor
  /** One secret 64-bit integer per layer. */
  readonly keys: readonly (number | bigint)[]
  /** Tokens in an n-gram: the scored one and its context. */
  readonly ngramLength: number
  readonly tokens: ArrayLike<number>
  /** Entries of the table of bits (huggingface only); 65536 as published. */
  readonly samplingTableSize?: number
  /** The seed of that table; 0 as published. */
  readonly samplingTableSeed?: number | bigint
}

/** The hash of one set of layer keys: contexts to registers, registers and tokens to bits. */
export interface SynthidHash {
  readonly layers: number
  /** The hash of a context alone: what an implementation remembers to know a repeated context. */
  context(tokens: ArrayLike<number>, from: number, to: number): Register
  /** The bits of `token` after a context with that hash, one per layer, written to `bits`. */
  bits(context: Register, token: number, bits: Uint8Array | number[]): void
}

type HashOptions = Omit<SynthidOptions, 'ngramLength' | 'tokens'>

/**
 * The bits that Transformers looks g-values up in. The published table has 32743 ones in 65536, not half.
 * @example synthidSamplingTable().reduce((sum, bit) => sum + bit, 0) // 32743
 */
export const synthidSamplingTable = (size = 65536, seed: number | bigint = 0): Uint8Array =>
  new Uint8Array(new TorchGenerator(seed).randint(0, 2, integer('size', size, 1, MAX_TABLE)))

/** The largest table of bits. */
export const MAX_TABLE = 2 ** 24

/**
 * The start of the google-deepmind hash: SHA-256 of the keys (int64, little-endian), a big-endian integer mod
 * 2^63 - 1.
 * @example synthidHashIv([654, 400, 836]) // 3360249499776918583n
 */
export function synthidHashIv(keys: readonly (number | bigint)[]): bigint {
  const integers = layerKeys(keys)
  const view = new DataView(new ArrayBuffer(8 * integers.length))
  integers.forEach((key, layer) => {
    view.setBigInt64(8 * layer, BigInt.asIntN(64, key), true)
  })
  const digest = sha256(new Uint8Array(view.buffer))
  return digest.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n) % (2n ** 63n - 1n)
}

/** The hash of a key list, in either flavor. */
export function synthidHash(options: HashOptions): SynthidHash {
  const flavor = oneOf('flavor', options.flavor, ['huggingface', 'google'])
  const keys = layerKeys(options.keys).map(register)
  const start = register(flavor === 'google' ? synthidHashIv(options.keys) : 1n)
  const draw = flavor === 'google' ? iteratedBit : tableBit(options)
  // a table whose size is a power of 2 is read at low bits of the hash, which low limbs decide
  const { samplingTableSize: size = 65536, samplingTableSeed = 0 } = options
  const mask = size - 1
  const table = flavor === 'google' || (size & mask) !== 0 ? undefined : synthidTable(size, samplingTableSeed)
  const lows = Int32Array.from(keys, (key) => key[0]!)
  const gram: Register = new Int32Array(2)
  const layer: Register = new Int32Array(2)
  return {
    layers: keys.length,
    context(tokens, from, to) {
      // a copy, several times as fast as `from`
      const hash = new Int32Array(2)
      hash[0] = start[0]!
      hash[1] = start[1]!
      for (let i = from; i < to; i++) absorb(hash, hash, tokens[i]!, 0)
      return hash
    },
    bits(context, token, bits) {
      if (table !== undefined) {
        const gramLow = absorbLow(context[0]!, token)
        for (let l = 0; l < lows.length; l++) bits[l] = table[absorbLow(gramLow, lows[l]!) & mask]!
        return
      }
      absorb(gram, context, token, 0)
      for (let l = 0; l < keys.length; l++) {
        absorb(layer, gram, keys[l]![0]!, keys[l]![1]!)
        bits[l] = draw(layer)
      }
    },
  }
}

/**
 * The g-values of a text: for each n-gram in order, one bit per layer.
 * @example
 * const tokens = [5, 1, 4, 1, 5, 9, 2, 6]
 * synthidGValues({ flavor: 'google', keys: [654, 400, 836], ngramLength: 5, tokens }) // [[1, 1, 1], ...]
 */
export function synthidGValues(options: SynthidOptions): number[][] {
  const { tokens, ngramLength } = check('synthidGValues', options)
  const hash = synthidHash(options)
  return Array.from({ length: Math.max(0, tokens.length - ngramLength + 1) }, (_, i) => {
    const bits = new Array<number>(hash.layers).fill(0)
    const last = i + ngramLength - 1
    hash.bits(hash.context(tokens, i, last), tokens[last]!, bits)
    return bits
  })
}

/**
 * For each n-gram of a text, 1 where its context is new and 0 where the implementation takes it for repeated: its
 * 64-bit hash is among those of the last `contextHistorySize` positions. The memory starts full of zeros.
 * @example
 * const tokens = [1, 2, 1, 2, 1, 2]
 * synthidContextMask({ flavor: 'google', keys: [654, 400, 836], ngramLength: 3, tokens }) // [1, 1, 0, 0]
 */
export function synthidContextMask(options: SynthidOptions & { contextHistorySize?: number }): number[] {
  const { tokens, ngramLength } = check('synthidContextMask', options, ['contextHistorySize'])
  const memory = integer('contextHistorySize', options.contextHistorySize ?? 1024, 0)
  const hash = synthidHash(options)
  const seen = new Map([['0,0', -1]])
  return Array.from({ length: Math.max(0, tokens.length - ngramLength + 1) }, (_, i) => {
    const context = hash.context(tokens, i, i + ngramLength - 1).join()
    const repeated = i - (seen.get(context) ?? Number.NEGATIVE_INFINITY) <= memory
    seen.set(context, i)
    return repeated ? 0 : 1
  })
}

/** Transformers: the table at the hash mod its size. */
function tableBit({ samplingTableSize = 65536, samplingTableSeed = 0 }: HashOptions) {
  const size = integer('samplingTableSize', samplingTableSize, 1, MAX_TABLE)
  const table = synthidTable(size, samplingTableSeed)
  return (hash: Register): number => table[remainder(hash, size)]!
}

/** The table that was asked for last: drawing it takes as long as the g-values of a text. */
let last: { readonly size: number; readonly seed: number | bigint; readonly table: Uint8Array } | undefined

export function synthidTable(size: number, seed: number | bigint): Uint8Array {
  if (last?.size !== size || last.seed !== seed)
    last = { size, seed, table: synthidSamplingTable(size, seed) }
  return last.table
}

/** google-deepmind: twelve times h <- ((h + 1) M + 1) >> 5, then bit 30. */
function iteratedBit(hash: Register): number {
  for (let round = 0; round < 12; round++) {
    absorb(hash, hash, 1, 0)
    shiftRight(hash, 5)
  }
  return (hash[0]! >>> 30) & 1
}

/** The most layers: published implementations have 30. */
const MAX_LAYERS = 4096

/** The secret integers, one per layer: what they are is not said in errors. */
function layerKeys(keys: readonly (number | bigint)[]): bigint[] {
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MAX_LAYERS)
    throw new TypeError(`keys: expected one integer per layer, at most ${MAX_LAYERS}, got ${kindOf(keys)}`)
  return Array.from({ length: keys.length }, (_, layer) => secret64(`keys[${layer}]`, keys[layer]))
}

function check(
  name: string,
  options: SynthidOptions,
  more: readonly 'contextHistorySize'[] = [],
): SynthidOptions {
  requireOptions<SynthidOptions & { contextHistorySize?: number }>(name, options, [
    'flavor',
    'keys',
    'ngramLength',
    'tokens',
    'samplingTableSize',
    'samplingTableSeed',
    ...more,
  ])
  integer('ngramLength', options.ngramLength, 1)
  list('tokens', options.tokens, 'a list of token ids')
  for (let i = 0; i < options.tokens.length; i++) integer(`tokens[${i}]`, options.tokens[i], 0, 2 ** 31 - 1)
  return options
}
