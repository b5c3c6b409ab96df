// Levenshtein-like alignment of a block of text with a block of the key (Kuditipudi et al. 2023):
//
//   A[i][j] = min(A[i-1][j] + g, A[i][j-1] + g, A[i-1][j-1] + cost of text token i under key element j),  A[i][0] = g i, A[0][j] = g j
//
// With B[i][j] = A[i][j] - g (i + j) the gaps cost nothing and a pair costs 2 g less: B = min(up, left, diagonal + pair), B = 0 on
// both edges. In fixed point: sums are exact. Eight offsets of the key go side by side, two vectors of four int32 lanes, and two
// rows at a time: the row between them never goes through memory.

/**
 * costs[offset] = B[k][k] for every offset of the key, whose length is the period. pairs[i][r] = cost - 2 g of text token i under
 * key element r, rows of period + 16 numbers that repeat from the start after `period`. `column` is room for 8 k numbers.
 */
export function align(pairs: usize, k: i32, column: usize, costs: usize, period: i32): void {
  const stride = period + 16
  for (let offset = 0; offset < period; offset += 8) {
    memory.fill(column, 0, <usize>k << 5)
    let row = pairs
    let i = 0
    for (; i + 2 <= k; i += 2, row += <usize>stride << 3) alignRows(row, k, period, stride, offset, column)
    if (i < k) alignRow(row, k, period, offset, column)
    memory.copy(costs + (<usize>offset << 2), column + (<usize>(k - 1) << 5), <usize>min(8, period - offset) << 2)
  }
}

/** Two rows of the recurrence, in place: column[j] goes from B[i-1][j+1] to B[i+1][j+1]. */
// @ts-ignore: decorator
@inline
function alignRows(row: usize, k: i32, period: i32, stride: i32, offset: i32, column: usize): void {
  const zero = i32x4.splat(0)
  let diagonal0 = zero
  let diagonal1 = zero
  let left0 = zero
  let left1 = zero
  let nextLeft0 = zero
  let nextLeft1 = zero
  const turn = <usize>period << 2
  const end = row + turn
  let pair = row + (<usize>offset << 2)
  let nextPair = pair + (<usize>stride << 2)
  const stop = column + (<usize>k << 5)
  for (let at = column; at < stop; at += 32) {
    const up0 = v128.load(at)
    const up1 = v128.load(at, 16)
    const here0 = i32x4.min_s(i32x4.min_s(up0, i32x4.add(diagonal0, v128.load(pair))), left0)
    const here1 = i32x4.min_s(i32x4.min_s(up1, i32x4.add(diagonal1, v128.load(pair, 16))), left1)
    nextLeft0 = i32x4.min_s(i32x4.min_s(here0, i32x4.add(left0, v128.load(nextPair))), nextLeft0)
    nextLeft1 = i32x4.min_s(i32x4.min_s(here1, i32x4.add(left1, v128.load(nextPair, 16))), nextLeft1)
    v128.store(at, nextLeft0)
    v128.store(at, nextLeft1, 16)
    diagonal0 = up0
    diagonal1 = up1
    left0 = here0
    left1 = here1
    pair += 4
    nextPair += 4
    if (pair === end) {
      pair -= turn
      nextPair -= turn
    }
  }
}

/** One row, where their number is odd. */
// @ts-ignore: decorator
@inline
function alignRow(row: usize, k: i32, period: i32, offset: i32, column: usize): void {
  const zero = i32x4.splat(0)
  let diagonal0 = zero
  let diagonal1 = zero
  let left0 = zero
  let left1 = zero
  const turn = <usize>period << 2
  const end = row + turn
  let pair = row + (<usize>offset << 2)
  const stop = column + (<usize>k << 5)
  for (let at = column; at < stop; at += 32) {
    const up0 = v128.load(at)
    const up1 = v128.load(at, 16)
    left0 = i32x4.min_s(i32x4.min_s(up0, i32x4.add(diagonal0, v128.load(pair))), left0)
    left1 = i32x4.min_s(i32x4.min_s(up1, i32x4.add(diagonal1, v128.load(pair, 16))), left1)
    v128.store(at, left0)
    v128.store(at, left1, 16)
    diagonal0 = up0
    diagonal1 = up1
    pair += 4
    if (pair === end) pair -= turn
  }
}
