import { outOfRange, wrongType } from '../input.ts'

/** How far from 1 the mass of a distribution may lie: room for a float32 softmax, none for logits or raw counts. */
const SLACK = 1e-6

/** A distribution over the vocabulary, checked: right length, no negative mass, no NaN, sum 1. */
export function checkDistribution(name: string, p: unknown, vocabSize: number): asserts p is Float64Array {
  if (!(p instanceof Float64Array)) throw wrongType(name, 'a Float64Array of probabilities', p)
  if (p.length !== vocabSize)
    throw outOfRange(name, `${vocabSize} probabilities (vocabSize)`, `${p.length} of them`)
  let sum = 0
  for (let i = 0; i < p.length; i++) {
    const mass = p[i]!
    if (!(mass >= 0)) throw outOfRange(`${name}[${i}]`, 'a probability of at least 0', mass)
    sum += mass
  }
  if (!(Math.abs(sum - 1) <= SLACK)) throw outOfRange(name, 'probabilities that sum to 1', `a sum of ${sum}`)
}
