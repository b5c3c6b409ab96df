import { describe, expect, test } from 'vitest'
import type { Stream } from '../../src/core/keys/stream.ts'
import { distinctPositions, evenly, separateSpans } from '../../src/text/attacks/positions.ts'

/**
 * Runs a procedure once for every sequence of answers its stream could give and counts the outcomes: exact, nothing is sampled. Each
 * `below(n)` branches n ways; a path's probability is the product of 1/n.
 */
function distribution(procedure: (stream: Stream) => string): Map<string, number> {
  const outcomes = new Map<string, number>()
  const path: { answer: number; of: number }[] = []
  do {
    let depth = 0
    const below = (n: number) => {
      if (depth === path.length) path.push({ answer: 0, of: n })
      return path[depth++]!.answer
    }
    const outcome = procedure({ below } as Stream)
    const probability = path.reduce((p, { of }) => p / of, 1)
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + probability)
    while (path.length > 0 && path.at(-1)!.answer === path.at(-1)!.of - 1) path.pop()
    if (path.length > 0) path.at(-1)!.answer++
  } while (path.length > 0)
  return outcomes
}

const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k)
const uniform = (outcomes: Map<string, number>) =>
  [...outcomes.values()].every((p) => Math.abs(p - 1 / outcomes.size) < 1e-12)

describe('distinct positions', () => {
  for (const [count, length] of [
    [0, 3],
    [1, 4],
    [2, 5],
    [3, 5],
    [4, 4],
  ] as const)
    test(`every set of ${count} out of ${length} is equally likely`, () => {
      const sets = distribution((stream) => distinctPositions(stream, count, length).join())
      expect(sets.size).toBe(choose(length, count))
      expect(uniform(sets)).toBe(true)
    })

  test('a biased choice is noticed: positions drawn one after the other, moved on when taken', () => {
    const sets = distribution((stream) => {
      const first = stream.below(4)
      const second = stream.below(4)
      return [first, second === first ? (first + 1) % 4 : second].sort().join()
    })
    expect(sets.size).toBe(6)
    expect(uniform(sets)).toBe(false)
  })
})

describe('separate spans', () => {
  test('every placement of sizes 2 and 1 in 6 positions is equally likely, in order and apart', () => {
    const placements = distribution((stream) => {
      const [a, b] = separateSpans(stream, [2, 1], 6)
      expect(a!.end - a!.start).toBe(2)
      expect(b!.end - b!.start).toBe(1)
      expect(0 <= a!.start && a!.end <= b!.start && b!.end <= 6).toBe(true)
      return `${a!.start} ${b!.start}`
    })
    expect(placements.size).toBe(10) // 3 free positions around 2 spans: 5 choose 2
    expect(uniform(placements)).toBe(true)
  })

  test('spans that fill everything, and none', () => {
    expect(separateSpans({ below: () => 0 } as unknown as Stream, [], 4)).toEqual([])
    const whole = distribution((stream) => JSON.stringify(separateSpans(stream, [2, 2], 4)))
    expect([...whole.keys()].map((key) => JSON.parse(key))).toEqual([
      [
        { start: 0, end: 2 },
        { start: 2, end: 4 },
      ],
    ])
  })
})

test('evenly: sums up, differs by at most one', () => {
  expect(evenly(10, 3)).toEqual([4, 3, 3])
  expect(evenly(2, 2)).toEqual([1, 1])
  expect(evenly(0, 0)).toEqual([])
})
