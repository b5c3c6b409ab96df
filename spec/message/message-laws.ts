/** What the laws say of a watermark with a message. */
import { expect } from 'vitest'
import { checkWatermark } from '../../src/gate/laws/entry.ts'
import { withMessage } from '../../src/index.ts'
import type { AnyWatermark } from '../../src/watermark.ts'

export const laws = [
  'equal pairs',
  'unbiased for every message',
  'a message is decoded',
  'no message in unmarked text',
]

/** Every law holds or does not apply, and those about messages apply. */
export async function expectEveryLaw(base: AnyWatermark): Promise<void> {
  const results = await checkWatermark(withMessage<never>(base as never, { bits: 8 }), { effort: 'quick' })
  expect(results.filter(({ verdict }) => verdict === 'fails')).toEqual([])
  const applied = results.filter(({ verdict }) => verdict === 'holds').map(({ law }) => law)
  expect(applied).toEqual(expect.arrayContaining(laws))
}
