/** Scores that are compiled for detectMany have the bits of their plain twins, or are not used. */
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type TextWords, textWords } from '../../src/core/kernels/text-words.ts'
import { gumbelFast } from '../../src/watermarks/mechanisms/gumbel-max.ts'

const { score: plain } = gumbelFast.words!

/** Words whose numbers lie around the borders of the logarithm: powers of two, sqrt(1/2), where its three ways to add up meet, and both ends. */
const border = fc
  .tuple(
    fc.constantFrom(0, 0x6147a, 0x6a09c, 0x6b851, 0x6b852, 0xffffe, 0xfffff),
    fc.integer({ min: -2, max: 2 }),
    fc.nat(2047),
    fc.nat(31),
  )
  .map(([mantissa, near, low, shift]) => ((0x80000000 + (mantissa + near) * 2048 + low) % 2 ** 32) >>> shift)
const word = fc.oneof(
  fc.nat(0xffffffff),
  border,
  fc.constantFrom(0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff),
)
const pairs = fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 300, size: 'max' })

/** The first pair whose score has other bits than the plain one. */
function differs(
  { first, second, scores }: TextWords,
  run: (count: number) => void,
  words: [number, number][],
) {
  for (const [i, [high, low]] of words.entries()) {
    first[i] = high
    second[i] = low
  }
  run(words.length)
  return words.find(([high, low], i) => !Object.is(scores[i], plain(high, low)))
}

describe('evidence', () => {
  const kernel = textWords()!
  const evidence = kernel.compiled.evidence!
  const isSame = (run: (count: number) => void) =>
    fc.property(pairs, (words) => differs(kernel, run, words) === undefined)

  test('has the bits of the plain score', () => {
    fc.assert(isSame(evidence), { numRuns: 500 })
  })

  test('a logarithm that is right to one unit in the last place is refused', () => {
    const correct = (count: number): void => {
      evidence(count)
      // another of the usual roundings: through the logarithm to base 2
      for (let i = 0; i < count; i++) kernel.scores[i] = kernel.scores[i]! * Math.LOG2E * Math.LN2
    }
    expect(fc.check(isSame(correct), { numRuns: 500 }).failed).toBe(true)
  })
})

describe('on an engine with another logarithm', () => {
  afterEach(() => {
    vi.restoreAllMocks()
    vi.resetModules()
  })

  test('scores are not compiled', async () => {
    const { log } = Math
    // the next number up, once in ten
    vi.spyOn(Math, 'log').mockImplementation((x) => log(x) * ((x * 2 ** 30) % 10 < 1 ? 1 + 2 ** -52 : 1))
    vi.resetModules()
    const { textWords: loaded } = await import('../../src/core/kernels/text-words.ts')
    expect(loaded()!.compiled.evidence).toBeUndefined()
  })
})
