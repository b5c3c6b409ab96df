import { expect, test } from 'vitest'
import { siphash128 } from '../../src/core/kernels/siphash.ts'

/** `vectors_sip128` of the SipHash reference implementation: key 00..0f, message 00 01 02 ..., lengths 0, 4, 8, ..., 60. */
const published = [
  'a3817f04ba25a8e66df67214c7550293',
  'f88164c12d9c8faf7d0f6e7c7bcd5579',
  '3b62a9ba6258f5610f83e264f31497b4',
  'd626b266905ef35882634df68532c125',
  '6ee2a4ca67b054bbfd3315bf85230577',
  '9e25fc833f2290733e9344a5e83839eb',
  '2db479ae78bd50d8882a8a178a6132ad',
  '0664da1668574b88b935f3027358aef4',
  '7c3956ca5eeafc3e363e9d556546eb68',
  '3dc47d1f29c448461e9e76ed904f6711',
  'df6a301e95c95dad97ae0cc8c6913bd8',
  '89237d9ded9c5e78d8b1c9b166cc7342',
  'f7e5aef549f782cf379055a608269b16',
  '2c97325cbd06b36eb2133dd08b3a017c',
  '1938f2cf72d54ee97e94166fa91d2a36',
  'e3040c00eb28f15366ca73cbd872e740',
]

const counting = (words: number): Uint32Array =>
  new Uint32Array(Uint8Array.from({ length: 4 * words }, (_, i) => i).buffer)

test('SipHash-2-4-128 gives the published vectors', () => {
  for (const [length, expected] of published.entries()) {
    const out = siphash128(counting(4), counting(length), new Uint32Array(4))
    expect(Buffer.from(out.buffer).toString('hex'), `${4 * length} bytes`).toBe(expected)
  }
})
