import { number, requireOptions } from '../../input.ts'
import { type Attack, tokenAttack } from './attack.ts'
import { distinctPositions, vocabulary } from './positions.ts'

/**
 * Random edits at a rate. The number of edits of n tokens is exactly round(rate n), not random itself, so that two texts of one
 * length are attacked equally; where they fall is uniform over all choices.
 */

/**
 * Replaces round(rate n) tokens, each by another id drawn uniformly; a replacement always differs from the original.
 * @example
 * const tokens = Array.from({ length: 200 }, (_, t) => t)
 * const { distance } = await replace({ rate: 0.3 }).apply(tokens, { seed: 1, vocabSize: 50257 })
 * distance // 60
 */
export function replace(options: { readonly rate: number }): Attack {
  requireOptions('replace', options, ['rate'])
  const { rate } = options
  number('rate', rate, 0, 1)
  return tokenAttack(`replace(rate=${rate})`, (tokens, stream, options) => {
    const draw = vocabulary(stream, options)
    const result = Array.from(tokens)
    for (const position of distinctPositions(stream, Math.round(rate * tokens.length), tokens.length))
      result[position] = draw(result[position])
    return result
  })
}

/**
 * Inserts round(rate n) tokens drawn uniformly; every way to interleave them with the text is equally likely.
 *
 * @example insert({ rate: 0.1 }).id // 'insert(rate=0.1)'
 */
export function insert(options: { readonly rate: number }): Attack {
  requireOptions('insert', options, ['rate'])
  const { rate } = options
  number('rate', rate, 0, 10)
  return tokenAttack(`insert(rate=${rate})`, (tokens, stream, options) => {
    const draw = vocabulary(stream, options)
    const count = Math.round(rate * tokens.length)
    const length = tokens.length + count
    const inserted = new Set(distinctPositions(stream, count, length))
    let next = 0
    return Array.from({ length }, (_, i) => (inserted.has(i) ? draw() : tokens[next++]!))
  })
}

/**
 * Deletes round(rate n) tokens.
 *
 * @example remove({ rate: 0.1 }).id // 'delete(rate=0.1)'
 */
export function remove(options: { readonly rate: number }): Attack {
  requireOptions('remove', options, ['rate'])
  const { rate } = options
  number('rate', rate, 0, 1)
  return tokenAttack(`delete(rate=${rate})`, (tokens, stream) => {
    const gone = new Set(distinctPositions(stream, Math.round(rate * tokens.length), tokens.length))
    return Array.from(tokens).filter((_, i) => !gone.has(i))
  })
}
