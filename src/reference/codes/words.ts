/**
 * Methods read a position's randomness as one 32-bit word per token. A published code that draws a permutation is given
 * the same shape: words in the order of the ranks, so that reweighting and scoring need not know where they come from.
 */

import type { Random } from '../../keys/random.ts'

export type Words = Pick<Random, 'uint32' | 'fill'>

/** Words that are made when first asked for: a permutation costs a pass over the vocabulary. */
export function lazyWords(make: () => Uint32Array): Words {
  let made: Uint32Array | undefined
  const words = (): Uint32Array => {
    made ??= make()
    return made
  }
  return {
    uint32: (token) => words()[token]!,
    fill(out) {
      out.set(words().subarray(0, out.length))
      return out
    },
  }
}

/** `wordOfRank` of each token's rank in an order. */
export function wordsByRank(order: Int32Array, wordOfRank: (rank: number) => number): Uint32Array {
  const words = new Uint32Array(order.length)
  for (let rank = 0; rank < order.length; rank++) words[order[rank]!] = wordOfRank(rank)
  return words
}

/**
 * Words that rise with the rank: those of the `size` lowest of n ranks are spread over [0, threshold), the others over the rest.
 * So "the word lies below the threshold" is "the rank lies below size".
 */
export function splitAt(n: number, size: number, threshold: number): (rank: number) => number {
  const above = 2 ** 32 - threshold
  return (rank) =>
    rank < size
      ? Math.floor((rank / size) * threshold)
      : threshold + Math.floor(((rank - size) / (n - size)) * above)
}

/** All orders of n tokens. */
export function permutations(n: number): Int32Array[] {
  if (n === 0) return [new Int32Array(0)]
  return permutations(n - 1).flatMap((shorter) =>
    Array.from({ length: n }, (_, at) => Int32Array.of(...shorter.slice(0, at), n - 1, ...shorter.slice(at))),
  )
}
