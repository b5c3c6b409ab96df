import { describe, expect, test } from 'vitest'
import {
  expEditStatistic,
  mersennePermutation,
  mersenneUniforms,
} from '../../src/watermarks/published/index.ts'
import { vectors } from './vectors.ts'

describe.each(vectors.exp_edit)('the demo of Kuditipudi et al., key $key, gamma $gamma', (vector) => {
  const { key, key_length: keyLength, vocab: vocabSize, tokens, block, gamma } = vector
  test('uniforms', () => expect(mersenneUniforms(key, 8)).toEqual(vector.first_uniforms))
  test('edit statistic', () => {
    const { statistic, costs } = expEditStatistic({ key, keyLength, vocabSize, tokens, block, gamma })
    expect(costs.length).toBe(vector.alignment_costs.length)
    costs.forEach((row, i) => {
      row.forEach((cost, j) => {
        expect(Math.abs(cost - vector.alignment_costs[i]![j]!)).toBeLessThan(1e-9)
      })
    })
    expect(Math.abs(statistic - vector.statistic)).toBeLessThan(1e-9)
  })
  test('generation: the largest u^(1/p) of row offset + t', () => {
    const uniforms = mersenneUniforms(key, keyLength * vocabSize)
    const generated = vector.probs.map((p, t) => {
      const row = ((vector.offset + t) % keyLength) * vocabSize
      const race = p.map((mass, x) => Math.log(uniforms[row + x]!) / mass)
      return race.indexOf(Math.max(...race))
    })
    expect(generated).toEqual(tokens.slice(0, generated.length))
  })
})

test('the permutation of the demo is one cycle', () => {
  for (let key = 0; key < 50; key++) {
    const order = mersennePermutation(key, 12)
    const visited = new Set<number>()
    for (let place = 0; !visited.has(place); place = order[place]!) visited.add(place)
    expect(visited.size).toBe(12)
  }
})

test('names a wrong argument', () => {
  const good = { key: 1, keyLength: 4, vocabSize: 5, tokens: [0, 1, 2], block: 2, gamma: 0 }
  expect(() => expEditStatistic({ ...good, block: 4 })).toThrow(/block/)
  expect(() => expEditStatistic({ ...good, tokens: [0, 5] })).toThrow(/tokens\[1\]/)
  expect(() => expEditStatistic({ ...good, gamma: Number.NaN })).toThrow(/gamma/)
  expect(() => mersenneUniforms(2 ** 32, 1)).toThrow(/key/)
})
