import { expect, test } from 'vitest'
import { OWN } from '../../src/core/keys/random.ts'
import { ens, parseWatermark } from '../../src/watermarks/entry.ts'
import type { Channels } from '../../src/watermarks/mechanisms/channels.ts'

test('channels have a name and randomness of their own; orders keep theirs', () => {
  expect(ens({ marks: 5 }).domain).toBe('ens(marks=5)/ngram(2)')
  const watermark = ens({ marks: 3, channels: 20 })
  expect([watermark.id, watermark.domain]).toEqual([
    'ens(marks=3,channels=20)',
    'ens(marks=3,channels=20)/ngram(2)',
  ])
  expect(parseWatermark(watermark.id).domain).toBe(watermark.domain)
  expect(() => ens({ marks: 3, channels: 20, alpha: 0.3 })).toThrow(/alpha: expected none with channels/)
})

test('no two marks read the same word, also where words are thrown away', () => {
  const stride = 2 * OWN
  const read: number[] = []
  // 2^32 is no multiple of 3: the last word is thrown away, and so is every first word of a token here
  const random = {
    uint32(i: number) {
      read.push(i)
      return i < 3 * stride ? 2 ** 32 - 1 : 0
    },
    uniform: () => 0,
    fill: (out: Uint32Array) => out,
  }
  const { draw, score } = ens({ marks: 3, channels: 3 })
  const codes = draw(random, 10, { shared: random, context: [1], key: new Uint8Array() }) as Channels[]
  for (const token of [0, 7]) expect(score(token, codes)).toBe(3)
  expect(read.length).toBe(18)
  expect(new Set(read).size).toBe(18)
})
