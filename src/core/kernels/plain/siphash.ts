import { roundKeys } from '../mix.ts'
import { siphash128 } from '../siphash.ts'

const hash = new Uint32Array(4)

/** out[4 j ..] = the round keys of context j, the `length` words at words[j step ..], under a SipHash key of 4 words. */
export function seed(
  words: Uint32Array,
  key: Uint32Array,
  count: number,
  length: number,
  step: number,
  out: Int32Array,
): void {
  for (let j = 0; j < count; j++) {
    siphash128(key, words.subarray(j * step, j * step + length), hash)
    roundKeys(hash, out.subarray(4 * j, 4 * j + 4))
  }
}
