/** ln(softmax(logits))[token] for one row of logits, in float64. */
import { type Floats, fromHalf } from './tensor.ts'

export function logProbability(values: Floats, from: number, size: number, token: number): number {
  const read =
    values instanceof Float32Array ? (i: number) => values[i]! : (i: number) => fromHalf(values[i]!)
  let top = Number.NEGATIVE_INFINITY
  for (let i = from; i < from + size; i++) top = Math.max(top, read(i))
  let sum = 0
  for (let i = from; i < from + size; i++) sum += Math.exp(read(i) - top)
  return read(from + token) - top - Math.log(sum)
}
