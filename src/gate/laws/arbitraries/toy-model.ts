import { integer, list, number, outOfRange, requireOptions } from '../../../input.ts'
import { fc } from '../fast-check.ts'
import { probabilities } from '../fractions.ts'
import type { Arbitrary } from './arbitrary.ts'
import { weights } from './weights.ts'

/** A language model small enough to enumerate: each prefix picks one of a few rows of integer weights. */
export interface ToyModel {
  readonly vocabSize: number
  readonly rows: readonly (readonly number[])[]
}

/**
 * The next-token distribution after the generated tokens. One row: the same at every position.
 * @example nextToken({ vocabSize: 2, rows: [[1, 3]] }, [0, 1]) // Float64Array [0.25, 0.75]
 */
export function nextToken(model: ToyModel, generated: readonly number[]): Float64Array {
  requireOptions('model', model, ['vocabSize', 'rows'])
  integer('model.vocabSize', model.vocabSize, 1)
  list('model.rows', model.rows, 'a list of rows of weights')
  if (model.rows.length === 0) throw outOfRange('model.rows', 'at least one row of weights', model.rows)
  list('generated', generated, 'a list of token ids')
  let at = 0
  for (let i = 0; i < generated.length; i++) {
    const token = generated[i]!
    if (typeof token !== 'number' || token >>> 0 !== token) integer(`generated[${i}]`, token, 0)
    at = (at + (i + 1) * (token + 1)) % model.rows.length
  }
  return probabilities(checkRow(`model.rows[${at}]`, model.rows[at]!, model.vocabSize))
}

/** Checks one row: as many integer weights as tokens, not all of them 0. */
function checkRow(name: string, row: readonly number[], vocabSize: number): number[] {
  const weights = Array.from(list<number>(name, row, 'a list of weights'))
  if (weights.length !== vocabSize) throw outOfRange(name, `${vocabSize} weights, one per token`, row)
  let total = 0
  for (let i = 0; i < weights.length; i++) {
    if (typeof weights[i] !== 'number' || !(weights[i]! >= 0 && weights[i]! <= MAX_WEIGHT))
      number(`${name}[${i}]`, weights[i], 0, MAX_WEIGHT)
    total += weights[i]!
  }
  if (!(total > 0)) throw outOfRange(name, 'a weight above 0', row)
  return weights
}

/** The largest weight. */
const MAX_WEIGHT = 2 ** 53

/**
 * Toy models over `vocabSize` tokens with up to three rows; they shrink to one row of small weights.
 * @example fc.assert(fc.property(toyModel(3), (model) => nextToken(model, [0]).length === 3))
 */
export function toyModel(vocabSize: number): Arbitrary<ToyModel> {
  integer('vocabSize', vocabSize, 1, 2 ** 16)
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
export function textsOf(vocabSize: number, length: number): Generator<number[]> {
  integer('vocabSize', vocabSize, 1)
  return textsFrom(vocabSize, integer('length', length, 0, MAX_LENGTH))
}

/** The longest text: there are far too many of that length already. */
const MAX_LENGTH = 64

function* textsFrom(vocabSize: number, length: number): Generator<number[]> {
  if (length === 0) yield []
  else
    for (const head of textsFrom(vocabSize, length - 1))
      for (let t = 0; t < vocabSize; t++) yield [...head, t]
}
