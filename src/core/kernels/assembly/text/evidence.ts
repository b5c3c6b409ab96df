// The evidence of tokens from their words (src/watermarks/mechanisms/gumbel-max.ts).
import { sameLog } from '../vector/same-log'
import { uniform, upperEdge, upperLanes } from '../vector/uniform'

/** out[i] = -ln v for the number v in (0, 1) of the words high[i] and low[i]. All three need room for three more. */
export function evidence(high: usize, low: usize, n: i32, out: usize): void {
  for (let i = 0; i < n; i += 4, high += 16, low += 16, out += 32) {
    const h = v128.load(high)
    const l = v128.load(low)
    v128.store(out, f64x2.neg(sameLog(upperEdge(uniform(h, l)))))
    v128.store(out, f64x2.neg(sameLog(upperEdge(uniform(upperLanes(h), upperLanes(l))))), 16)
  }
}
