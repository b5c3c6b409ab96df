// Levenshtein-like alignment of a block of text with a block of the key (Kuditipudi et al. 2023):
//
//   A[i][j] = min(A[i-1][j] + g, A[i][j-1] + g, A[i-1][j-1] + cost of text token i under key element j),  A[i][0] = g i, A[0][j] = g j
//
// With B[i][j] = A[i][j] - g (i + j) the gaps cost nothing and a pair costs 2 g less: B = min(up, left, diagonal + pair), B = 0 on
// both edges. In fixed point: sums are exact. Sixteen offsets of the key go side by side, four vectors of four int32 lanes.

/**
 * costs[offset] = B[k][k] for every offset of the key. pairs[i][r] = cost - 2 g of text token i under key element r, rows of
 * `stride` numbers that repeat from the start after `period` and hold at least period + 15. `column` is room for 16 k numbers;
 * `costs` has room for period + 15.
 */
export function align(pairs: usize, k: i32, period: i32, stride: i32, column: usize, costs: usize): void {
  for (let offset = 0; offset < period; offset += 16) {
    memory.fill(column, 0, <usize>k << 6)
    let row = pairs
    for (let i = 0; i < k; i++, row += <usize>stride << 2) alignRow(row, k, period, offset, column)
    memory.copy(costs + (<usize>offset << 2), column + (<usize>(k - 1) << 6), 64)
  }
}

/** One row of the recurrence, in place: column[j] goes from B[i-1][j+1] to B[i][j+1]. */
// @ts-ignore: decorator
@inline
function alignRow(row: usize, k: i32, period: i32, offset: i32, column: usize): void {
  const zero = i32x4.splat(0)
  let left0 = zero
  let left1 = zero
  let left2 = zero
  let left3 = zero
  let diagonal0 = zero
  let diagonal1 = zero
  let diagonal2 = zero
  let diagonal3 = zero
  const end = row + (<usize>period << 2)
  const turn = <usize>period << 2
  let pair = row + (<usize>offset << 2)
  const stop = column + (<usize>k << 6)
  for (let at = column; at < stop; at += 64) {
    const up0 = v128.load(at)
    const up1 = v128.load(at, 16)
    const up2 = v128.load(at, 32)
    const up3 = v128.load(at, 48)
    left0 = i32x4.min_s(i32x4.min_s(up0, i32x4.add(diagonal0, v128.load(pair))), left0)
    left1 = i32x4.min_s(i32x4.min_s(up1, i32x4.add(diagonal1, v128.load(pair, 16))), left1)
    left2 = i32x4.min_s(i32x4.min_s(up2, i32x4.add(diagonal2, v128.load(pair, 32))), left2)
    left3 = i32x4.min_s(i32x4.min_s(up3, i32x4.add(diagonal3, v128.load(pair, 48))), left3)
    v128.store(at, left0)
    v128.store(at, left1, 16)
    v128.store(at, left2, 32)
    v128.store(at, left3, 48)
    diagonal0 = up0
    diagonal1 = up1
    diagonal2 = up2
    diagonal3 = up3
    pair += 4
    if (pair === end) pair -= turn
  }
}
