import { list } from '../../input.ts'

/**
 * Levenshtein distance between token sequences by bit-parallel dynamic programming (Myers, 1999, in blocks after Hyyrö, 2003).
 * A column of the table is stored as differences between neighbouring cells, +1 or -1, one bit each, and 32 rows advance in a dozen
 * integer operations: two texts of 500 tokens take 8,000 such steps instead of 250,000 cells.
 */

/**
 * Returns the least number of insertions, deletions and substitutions that turn `a` into `b`.
 *
 * @example editDistance([1, 2, 3], [1, 3, 4]) // 2
 */
export function editDistance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  list('a', a, 'a list of tokens')
  list('b', b, 'a list of tokens')
  if (a.length === 0 || b.length === 0) return a.length + b.length
  const blocks = Math.ceil(a.length / 32)
  const occurrences = occurrenceBits(a, blocks)
  const nowhere = new Int32Array(blocks)
  const up = new Int32Array(blocks).fill(-1) // bit i: the cell of row i is one more than the cell above it
  const down = new Int32Array(blocks) //        bit i: one less
  const lastRow = 1 << ((a.length - 1) % 32)
  let distance = a.length // the bottom cell of the column
  for (let j = 0; j < b.length; j++) {
    const bits = occurrences.get(b[j]!) ?? nowhere
    let carry = 1 // from the cell to the left, in the row above the block: the first row counts 0, 1, 2, ...
    for (let k = 0; k < blocks; k++) {
      const vp = up[k]!
      const vn = down[k]!
      const equal = bits[k]! | (carry < 0 ? 1 : 0)
      const x = (((equal & vp) + vp) ^ vp) | equal
      const hp = vn | ~(x | vp) // horizontal differences of this block
      const hn = vp & x
      const out = k === blocks - 1 ? lastRow : 1 << 31
      const next = hp & out ? 1 : hn & out ? -1 : 0
      const hpIn = (hp << 1) | (carry > 0 ? 1 : 0)
      const hnIn = (hn << 1) | (carry < 0 ? 1 : 0)
      const diagonal = bits[k]! | vn
      up[k] = hnIn | ~(diagonal | hpIn)
      down[k] = hpIn & diagonal
      carry = next
    }
    distance += carry
  }
  return distance
}

/** Marks the rows that each token stands in, one bit per row. */
function occurrenceBits(tokens: ArrayLike<number>, blocks: number): Map<number, Int32Array> {
  const occurrences = new Map<number, Int32Array>()
  for (let i = 0; i < tokens.length; i++) {
    let bits = occurrences.get(tokens[i]!)
    if (bits === undefined) {
      bits = new Int32Array(blocks)
      occurrences.set(tokens[i]!, bits)
    }
    bits[i >> 5]! |= 1 << (i & 31)
  }
  return occurrences
}
