/**
 * The costs of aligning k text tokens with k consecutive elements of a cyclic key, for every offset, in fixed point.
 *
 *   B[i][j] = min(B[i-1][j], B[i][j-1], B[i-1][j-1] + pair), 0 on both edges: see assembly/alignment.ts
 *
 * `costs` has the key's length, the period. pairs[i (period + 16) + r] = cost of text token i under key element r mod period,
 * less twice the gap penalty; costs[offset] is the alignment's cost less 2 k times the gap penalty. No sum of k pairs may leave
 * the int32 range. `column` is room for at least 8 k numbers.
 */
export function align(pairs: Int32Array, k: number, column: Int32Array, costs: Int32Array): void {
  for (let offset = 0; offset < costs.length; offset++)
    costs[offset] = alignAt(pairs, k, costs.length, offset, column)
}

function alignAt(pairs: Int32Array, k: number, period: number, offset: number, column: Int32Array): number {
  column.fill(0)
  for (let i = 0; i < k; i++) {
    let diagonal = 0
    for (let j = 1; j <= k; j++) {
      const up = column[j]!
      const pair = pairs[i * (period + 16) + ((offset + j - 1) % period)]!
      column[j] = Math.min(up, diagonal + pair, column[j - 1]!)
      diagonal = up
    }
  }
  return column[k]!
}
