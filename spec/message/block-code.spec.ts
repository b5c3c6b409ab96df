/** Codes over blocks: any k of the n blocks of a codeword give the others, and lost blocks of a text are recovered. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bestCodeword,
  codeGroups,
  codeword,
  messageLayout,
  protectedValues,
} from '../../src/core/keys/index.ts'
import { superUniform } from '../../src/core/stats/entry.ts'
import { decode, gumbel, kgw, withMessage } from '../../src/index.ts'
import { nullText, nullVocabulary } from '../detect/null-texts.ts'
import { writeText } from './texts.ts'

const key = 'a secret of sixteen bytes'

/** A width, the number of blocks, and values for them. */
const layouts = fc
  .record({ width: fc.integer({ min: 3, max: 12 }), blocks: fc.integer({ min: 1, max: 24 }) })
  .chain(({ width, blocks }) =>
    fc.record({
      width: fc.constant(width),
      values: fc.array(fc.nat(2 ** width - 1), { minLength: blocks, maxLength: blocks }),
      order: fc.infiniteStream(fc.nat()),
    }),
  )

describe('a codeword', () => {
  test('begins with the blocks of the message, and any k of its blocks give all of it', () => {
    fc.assert(
      fc.property(layouts, ({ width, values, order }) => {
        const groups = codeGroups('bch', values.length, width)
        const all = protectedValues(values, groups, width)
        expect(all.slice(0, values.length)).toEqual(values)
        expect(new Set(groups.flatMap(({ members }) => members)).size).toBe(all.length)
        for (const group of groups) {
          expect(group.members.length).toBeLessThanOrEqual(2 ** width)
          expect(group.members.length - group.size).toBeGreaterThanOrEqual(2)
          const word = group.members.map((block) => all[block]!)
          const places = word.map((_, place) => place)
          places.sort(() => (order.next().value % 3) - 1)
          const known = places.slice(0, group.size)
          const given = known.map((place) => word[place]!)
          expect(codeword(group, known, given, width)).toEqual(word)
        }
      }),
    )
  })

  test('is found with as many blocks lost as there are checks', () => {
    const group = codeGroups('bch', 8, 4)[0]!
    expect([group.size, group.members.length]).toEqual([8, 12])
    fc.assert(
      fc.property(
        fc.array(fc.nat(15), { minLength: 8, maxLength: 8 }),
        fc.uniqueArray(fc.nat(11), { maxLength: 4 }),
        fc.array(fc.nat(15), { minLength: 12, maxLength: 12 }),
        (values, lost, instead) => {
          const word = protectedValues(values, [group], 4)
          // a lost block prefers another value, by a little
          const sums = word.map((value, place) => {
            const own = new Float64Array(16)
            own[value] = lost.includes(place) ? 0 : 10
            if (lost.includes(place)) own[instead[place]!] = 1
            return own
          })
          expect(bestCodeword(group, sums, 4)).toEqual(word)
        },
      ),
    )
  })

  test('narrow blocks have no such code; repetition takes any', () => {
    expect(() => withMessage(gumbel(), { bits: 8, blocks: 4, code: 'bch' })).toThrow(/at least 3 bits/)
    expect(withMessage(gumbel(), { bits: 8, blocks: 8, code: 'repeat' }).messages.carried).toBe(24)
    expect(() => withMessage(gumbel(), { bits: 8, code: 'turbo' as 'bch' })).toThrow(/^code: expected/)
    expect(messageLayout(64, undefined, 'bch')).toMatchObject({ blocks: 16, carried: 24 })
  })
})

describe.each(['repeat', 'bch'] as const)('%s', (code) => {
  const named = withMessage(gumbel(), { bits: 32, code })

  test('a text tells its message', () => {
    const tokens = writeText(named, { key, vocabSize: 128, length: 500, message: 'v1.2', seed: 1 })
    const { text, detected, blocks } = decode(named, tokens, { key, vocabSize: 128 })
    expect([text, detected, blocks.length]).toEqual(['v1.2', true, 8])
    for (const { pValue } of blocks) expect(pValue).toBeLessThan(1e-3)
  })

  test('on unmarked text P(pValue <= a) <= a, for the message and every block', () => {
    const watermark = withMessage(kgw({ delta: 2 }), { bits: 9, blocks: 3, code })
    const decoded = Array.from({ length: 1500 }, (_, i) =>
      decode(watermark, nullText('repetitive', 'codes', i, 60), {
        key: `an unmarked secret ${i}`,
        vocabSize: nullVocabulary,
      }),
    )
    expect(superUniform(decoded.map(({ pValue }) => pValue)).holds).toBe(true)
    for (const block of [0, 1, 2])
      expect(superUniform(decoded.map(({ blocks }) => blocks[block]!.pValue)).holds).toBe(true)
  })

  test('a wrong value is named with a p-value of at most a with probability at most a', () => {
    const watermark = withMessage(kgw({ delta: 1 }), { bits: 9, blocks: 3, code })
    const wrong = Array.from({ length: 1500 }, (_, i) => {
      const secret = `a secret of message ${i}`
      const tokens = writeText(watermark, { key: secret, vocabSize: 8, length: 60, message: 0x0e5n, seed: i })
      const { value, pValue } = decode(watermark, tokens, { key: secret, vocabSize: 8 }).blocks[2]!
      return value === 5 ? 1 : pValue
    })
    expect(wrong.filter((p) => p < 1).length).toBeGreaterThan(10)
    expect(superUniform(wrong).holds).toBe(true)
  })
})

test('blocks that lost all their tokens are recovered, and say so', () => {
  const named = withMessage(kgw({ delta: 4 }), { bits: 32, code: 'bch' })
  const vocabSize = 64
  const tokens = writeText(named, { key, vocabSize, length: 900, message: 0xdeadbeefn, seed: 5 })
  const whole = decode(named, tokens, { key, vocabSize })
  expect(whole.message).toEqual(Uint8Array.of(0xde, 0xad, 0xbe, 0xef))
  expect(whole.blocks.some(({ corrected }) => corrected)).toBe(false)
  // short texts: eleven tokens for each block, and one of them is often wrong on its own
  let [alone, together] = [0, 0]
  for (let i = 0; i < 60; i++) {
    const short = writeText(named, {
      key: `${key} ${i}`,
      vocabSize,
      length: 130,
      message: 0xdeadbeefn,
      seed: i,
    })
    const { message, blocks } = decode(named, short, { key: `${key} ${i}`, vocabSize })
    if (message.join() === whole.message.join()) together++
    if (blocks.every(({ corrected }) => !corrected) && message.join() === whole.message.join()) alone++
  }
  expect(together).toBeGreaterThan(alone + 10)
})

test('the certificate of a block: as many edits as it says leave its value', () => {
  const named = withMessage(kgw({ delta: 6 }), { bits: 2, blocks: 1 })
  const vocabSize = 64
  const tokens = writeText(named, { key, vocabSize, length: 400, message: 2n, seed: 1 })
  const [block] = decode(named, tokens, { key, vocabSize }).blocks
  expect(block).toMatchObject({ value: 2 })
  expect(block!.edits).toBeGreaterThan(5)
  fc.assert(
    fc.property(
      fc.array(fc.record({ at: fc.nat(399), to: fc.nat(63), kind: fc.nat(2) }), {
        minLength: block!.edits,
        maxLength: block!.edits,
      }),
      (edits) => {
        const edited = [...tokens]
        for (const { at, to, kind } of edits)
          edited.splice(at, kind === 0 ? 0 : 1, ...(kind === 1 ? [] : [to]))
        expect(decode(named, edited, { key, vocabSize }).blocks[0]!.value).toBe(2)
      },
    ),
    { numRuns: 30 },
  )
  expect(decode(withMessage(gumbel(), { bits: 2 }), tokens, { key, vocabSize }).blocks[0]!.edits).toBe(0)
})
