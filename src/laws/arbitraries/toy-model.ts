import { fc } from '../fast-check.ts'
import { probabilities } from '../fractions.ts'
import type { Arbitrary } from './arbitrary.ts'
import { weights } from './weights.ts'

/** A language model small enough to enumerate: each prefix picks one of a few rows of whole weights. */
export interface ToyModel {
  readonly vocabSize: number
  readonly rows: readonly (readonly number[])[]
}

/**
 * The next-token distribution after the generated tokens. One row: the same at every position.
 * @example nextToken({ vocabSize: 2, rows: [[1, 3]] }, [0, 1]) // Float64Array [0.25, 0.75]
 */
export function nextToken(model: ToyModel, generated: readonly number[]): Float64Array {
  const at = generated.reduce((sum, token, i) => sum + (i + 1) * (token + 1), 0) % model.rows.length
  return probabilities(model.rows[at]!)
}

/**
 * Toy models over `vocabSize` tokens with up to three rows; they shrink to one row of small weights.
 * @example fc.assert(fc.property(toyModel(3), (model) => nextToken(model, [0]).length === 3))
 */
export function toyModel(vocabSize: number): Arbitrary<ToyModel> {
  const row = weights({ minTokens: vocabSize, maxTokens: vocabSize, maxWeight: 100 })
  return fc.array(row, { minLength: 1, maxLength: 3 }).map(
    (rows) => ({ vocabSize, rows }),
    (model) => [...(model as ToyModel).rows] as number[][],
  )
}

/**
 * Every text of `length` tokens.
 * @example [...textsOf(2, 2)] // [[0, 0], [0, 1], [1, 0], [1, 1]]
 */
export function* textsOf(vocabSize: number, length: number): Generator<number[]> {
  if (length === 0) yield []
  else
    for (const head of textsOf(vocabSize, length - 1)) for (let t = 0; t < vocabSize; t++) yield [...head, t]
}
