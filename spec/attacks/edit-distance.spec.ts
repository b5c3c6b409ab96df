import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editDistance } from '../../src/text/attacks/edit-distance.ts'

/** The textbook table, as the oracle. */
function plainDistance(a: readonly number[], b: readonly number[]): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (const [i, x] of a.entries()) {
    const next = [i + 1]
    for (const [j, y] of b.entries())
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (x === y ? 0 : 1)))
    row = next
  }
  return row.at(-1)!
}

const tokens = (maxLength: number, ids: number) =>
  fc.array(fc.integer({ min: 0, max: ids }), { maxLength, size: 'max' })

describe('agrees with the plain table', () => {
  test('on short texts over few tokens', () => {
    fc.assert(
      fc.property(tokens(12, 2), tokens(12, 2), (a, b) => {
        expect(editDistance(a, b)).toBe(plainDistance(a, b))
      }),
      { numRuns: 2000 },
    )
  })

  test('across block borders of 32 rows', () => {
    fc.assert(
      fc.property(tokens(140, 3), tokens(140, 3), (a, b) => {
        expect(editDistance(a, b)).toBe(plainDistance(a, b))
      }),
    )
  })

  test.each([31, 32, 33, 63, 64, 65, 96, 500])('%i tokens with a few edits', (length) => {
    const a = Array.from({ length }, (_, i) => (i * i) % 7)
    const b = a.filter((_, i) => i % 11 !== 3).map((token, i) => (i % 13 === 5 ? token + 100 : token))
    expect(editDistance(a, b)).toBe(plainDistance(a, b))
    expect(editDistance(b, a)).toBe(plainDistance(a, b))
  })
})

test('is a metric', () => {
  fc.assert(
    fc.property(tokens(40, 2), tokens(40, 2), tokens(40, 2), (a, b, c) => {
      expect(editDistance(a, a)).toBe(0)
      expect(editDistance(a, b)).toBe(editDistance(b, a))
      expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c))
    }),
  )
})

test('takes typed arrays, empty texts and large ids', () => {
  expect(editDistance(new Int32Array([1, 2]), [1, 2])).toBe(0)
  expect([editDistance([], []), editDistance([], [1, 2]), editDistance([1, 2, 3], [])]).toEqual([0, 2, 3])
  expect(editDistance([2 ** 31, 5], [2 ** 31, 6])).toBe(1)
})
