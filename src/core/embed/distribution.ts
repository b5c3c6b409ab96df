import { outOfRange, wrongType } from '../../input.ts'
import { active } from '../kernels/active.ts'

/** The largest distance of the mass of a distribution from 1: room for a float32 softmax, none for logits or raw counts. */
export const SLACK = 1e-6

/** A distribution over the vocabulary, checked: right length, no negative mass, no NaN, sum 1. */
export function checkDistribution(name: string, p: unknown, vocabSize: number): asserts p is Float64Array {
  if (!(p instanceof Float64Array)) throw wrongType(name, 'a Float64Array of probabilities', p)
  if (p.length !== vocabSize)
    throw outOfRange(name, `${vocabSize} probabilities (vocabSize)`, `${p.length} of them`)
  const sum = active(p).total(p)
  if (Number.isNaN(sum)) {
    const i = p.findIndex((mass) => !(mass >= 0))
    throw outOfRange(`${name}[${i}]`, 'a probability of at least 0', p[i])
  }
  if (!(Math.abs(sum - 1) <= SLACK)) throw outOfRange(name, 'probabilities that sum to 1', `a sum of ${sum}`)
}
