/** A permutation of the vocabulary: whole where a whole vocabulary is reweighted, or the rank of one token where a text is scored. */
import type { Words } from '../../../core/keys/index.ts'
import { TorchGenerator } from '../torch.ts'

export interface Permutation {
  readonly size: number
  /** `order()[r]` is the token of rank r. */
  order(): Int32Array
  /** The rank of a token; `most` where it is not among the first `most`. */
  rank(token: number, most: number): number
}

/** A permutation that is there already. */
export const given = (order: Int32Array): Permutation => ({
  size: order.length,
  order: () => order,
  rank: (token, most) => Math.min(most, order.indexOf(token)),
})

/** An order with its first `by` tokens put last; made when it is asked for, since there are as many as tokens. */
export function rotated(order: Int32Array, by: number): Permutation {
  const { length: size } = order
  let turned: Int32Array | undefined
  return {
    size,
    order() {
      turned ??= Int32Array.from(order, (_, rank) => order[(rank + by) % size]!)
      return turned
    },
    rank: (token, most) => Math.min(most, (order.indexOf(token) - by + size) % size),
  }
}

/** Draws `torch.randperm(size)` from a seed, when it is asked for. */
export function drawn(seed: number | bigint, size: number): Permutation {
  let order: Int32Array | undefined
  return {
    size,
    order() {
      order ??= new TorchGenerator(seed).randperm(size)
      return order
    },
    rank: (token, most) => new TorchGenerator(seed).randpermRank(size, token, most),
  }
}

/** The number of words that are made one by one; the next request makes all. */
const ONE_BY_ONE = 4

/**
 * A word per token, `wordOfRank` of its rank: what methods read in place of a permutation.
 * @param most from this rank on all words are the same
 */
export function rankedWords(
  permutation: Permutation,
  wordOfRank: (rank: number) => number,
  most = permutation.size,
): Words {
  let all: Uint32Array | undefined
  let asked = 0
  const words = (): Uint32Array => {
    if (all === undefined) {
      all = new Uint32Array(permutation.size)
      const order = permutation.order()
      for (let rank = 0; rank < order.length; rank++) all[order[rank]!] = wordOfRank(rank)
    }
    return all
  }
  return {
    uint32: (token) =>
      all === undefined && asked++ < ONE_BY_ONE ? wordOfRank(permutation.rank(token, most)) : words()[token]!,
    fill(out) {
      out.set(words().subarray(0, out.length))
      return out
    },
  }
}
