/** The left hash of Kirchenbauer et al. as in Hugging Face Transformers. */
import { kgwGreenlist } from '../../../src/watermarks/published/index.ts'

const vocabSize = 1000
const green = (hashingKey: number | bigint, previous: number) =>
  Array.from(kgwGreenlist({ vocabSize, hashingKey, ratio: 0.5, previous }))

/** The share of the green list after `previous` that two keys have in common. */
export function overlap(keyA: number | bigint, keyB: number | bigint, previous: number): number {
  const other = new Set(green(keyB, previous))
  const list = green(keyA, previous)
  return list.filter((id) => other.has(id)).length / list.length
}

/** How many different green lists the tokens 0..count-1 give under a key. */
export const listsOf = (hashingKey: number | bigint, count: number): number =>
  new Set(Array.from({ length: count }, (_, previous) => green(hashingKey, previous).join())).size
