/** The self-hash of Kirchenbauer et al. (2024): the seed of a green list depends on the last tokens *and* on the candidate whose colour is asked for. */
import { TorchGenerator } from './torch.ts'

const TABLE_SIZE = 1_000_003
const MODULUS = 2n ** 64n - 1n

/** lm-watermarking draws its table once, from this seed; Transformers from the hashing key. */
const FIXED_SEED = 2971215073

let fixed: Int32Array | undefined

export interface SelfHash {
  /** The seed of the green list that decides the colour of `token` after `context`: its low 32 bits, which alone reach the generator. */
  seed(context: readonly number[], token: number): number
}

/**
 * The anchored minimum of hashes: min over the tokens x of the window, `token` among them, of key h(x) h(token), as signed 64-bit integers, modulo 2^64 - 1;
 * h(x) = table[x mod 1000003] + 1.
 */
export function selfHash(hashingKey: bigint, table: 'keyed' | 'fixed'): SelfHash {
  if (table === 'fixed') fixed ??= new TorchGenerator(FIXED_SEED).randperm(TABLE_SIZE)
  const hashes = table === 'fixed' ? fixed! : new TorchGenerator(hashingKey).randperm(TABLE_SIZE)
  const hash = (token: number): bigint => BigInt(hashes[token % TABLE_SIZE]! + 1)
  return {
    seed(context, token) {
      const factor = hashingKey * hash(token)
      let least = BigInt.asIntN(64, factor * hash(token))
      for (const other of context) {
        const product = BigInt.asIntN(64, factor * hash(other))
        if (product < least) least = product
      }
      // Python's remainder is never negative
      return Number(BigInt.asUintN(32, least < 0n ? least + MODULUS : least % MODULUS))
    },
  }
}
