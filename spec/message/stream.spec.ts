/** A message that is read while the text is being written. */
import { describe, expect, test } from 'vitest'
import { superUniform } from '../../src/core/stats/entry.ts'
import { decode, gumbel, kgw, stream, withMessage } from '../../src/index.ts'
import { nullText, nullVocabulary } from '../detect/null-texts.ts'
import { writeText } from './texts.ts'

const key = 'a secret of sixteen bytes'
const vocabSize = 128

test.each(['none', 'repeat', 'bch'] as const)('code %s: the message appears, and stays', (code) => {
  const named = withMessage(gumbel(), { bits: 16, code })
  const tokens = writeText(named, { key, vocabSize, length: 400, message: 'v2', seed: 2 })
  const text = stream(named, { key, vocabSize })
  const seen = tokens.map((token) => text.push(token))
  const last = seen.at(-1)!
  expect([last.text, last.message]).toEqual(['v2', Uint8Array.of(0x76, 0x32)])
  expect(last.pValue).toBeLessThan(1e-20)
  for (const { pValue } of last.blocks!) expect(pValue).toBeLessThan(0.01)
  // once found at 1e-6, it is not lost again
  const first = seen.findIndex(({ pValue }) => pValue < 1e-6)
  expect(first).toBeGreaterThan(5)
  expect(first).toBeLessThan(200)
  expect(last.scored).toBe(decode(named, tokens, { key, vocabSize }).scored)
})

describe('at any moment', () => {
  const KEYS = 1500
  const named = withMessage(kgw({ delta: 2 }), { bits: 4, blocks: 2 })

  test('an unmarked text has a p-value of at most a, ever, with probability at most a', () => {
    for (const kind of ['random', 'repetitive'] as const) {
      const smallest = Array.from({ length: KEYS }, (_, i) => {
        const text = stream(named, { key: `an unmarked secret ${i}`, vocabSize: nullVocabulary })
        return Math.min(...nullText(kind, 'message stream', i, 40).map((token) => text.push(token).pValue))
      })
      expect(superUniform(smallest).holds).toBe(true)
    }
  })

  test('a wrong value has a p-value of at most a, ever, with probability at most a', () => {
    const weak = withMessage(kgw({ delta: 1 }), { bits: 4, blocks: 2 })
    const smallest = Array.from({ length: KEYS }, (_, i) => {
      const secret = `a secret of message ${i}`
      const tokens = writeText(weak, { key: secret, vocabSize: 8, length: 40, message: 0b1001n, seed: i })
      const text = stream(weak, { key: secret, vocabSize: 8 })
      return Math.min(
        ...tokens.map((token) => {
          const [, { value, pValue } = { value: 1, pValue: 1 }] = text.push(token).blocks!
          return value === 1 ? 1 : pValue
        }),
      )
    })
    expect(smallest.filter((p) => p < 1).length).toBeGreaterThan(20)
    expect(superUniform(smallest).holds).toBe(true)
  })
})
