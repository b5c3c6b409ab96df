/** numpy's default_rng, as numpy 2.4 prints it. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { Pcg64 } from '../../src/watermarks/published/pcg64.ts'

test.each([
  [0, 'a30febcfd9c2825f', '4510bdf882d9d721', '1010111100100010'],
  [42, 'c621fbcd16d92688', '705a5661a791ffc1', '1000011101110100'],
  [123456789, '07182e9ce6a6f13c', 'e81d7ead95d3cecd', '0010111101110000'],
  [4294967295, '407f5fa930d8fd9f', '3814b22eb9684802', '1110110000101100'],
])('default_rng(%i): words and a shuffled mask', (seed, first, second, shuffled) => {
  const generator = new Pcg64(seed)
  const words = Array.from({ length: 4 }, () => generator.uint32().toString(16).padStart(8, '0'))
  expect([words[1]! + words[0]!, words[3]! + words[2]!]).toEqual([first, second])
  const mask = new Uint8Array(16).fill(1, 0, 8)
  new Pcg64(seed).shuffle(mask)
  expect(mask.join('')).toBe(shuffled)
})

test('a mask of a large vocabulary: the digest of what numpy shuffles', () => {
  const mask = new Uint8Array(152_001).fill(1, 0, 76_000)
  new Pcg64(7).shuffle(mask)
  expect(createHash('sha256').update(mask).digest('hex')).toBe(
    '57665984d438ad19efeb9c5dd4c8734e424d8c93fc56b14ded448b77261cf510',
  )
})
