/** The edit methods' claim has a limit, and the limit is shown: a text longer than the key list reads the list again. */
import { expect, test } from 'vitest'
import { checkWatermark } from '../../src/gate/laws/entry.ts'
import { expEdit, itsEdit } from '../../src/watermarks/entry.ts'

/** The law's texts have four tokens. Its exact part enumerates orbits, so neither verdict is a matter of chance. */
const overTexts = async (watermark: Parameters<typeof checkWatermark>[0]) =>
  (await checkWatermark(watermark, { laws: ['unbiased over texts'] }))[0]!

test.each([
  ['expEdit', expEdit],
  ['itsEdit', itsEdit],
] as const)('%s is unbiased up to the length of its key list, and not beyond', async (_, method) => {
  expect((await overTexts(method({ keyLength: 4 }))).verdict).toBe('holds')
  const short = method({ keyLength: 3 })
  expect(short.unbiasedUpTo).toBe(3)
  const beyond = await overTexts({ ...short, unbiasedUpTo: undefined })
  expect(beyond.verdict).toBe('fails')
  expect(beyond.detail).toMatch(/averaged over keys, is 0\.\d+ away/)
})
