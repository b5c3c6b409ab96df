import { expect, test } from 'vitest'
import { checkWatermark } from '../../src/gate/laws/entry.ts'
import { gumbel, synthid, withMessage } from '../../src/index.ts'

const laws = [
  'equal pairs',
  'unbiased for every message',
  'a message is decoded',
  'no message in unmarked text',
]

test.each([gumbel(), synthid({ layers: 2 })])(
  '%# a watermark with a message obeys every law',
  async (base) => {
    const results = await checkWatermark(withMessage<never>(base as never, { bits: 8 }), { effort: 'quick' })
    expect(results.filter(({ verdict }) => verdict === 'fails')).toEqual([])
    const applied = results.filter(({ verdict }) => verdict === 'holds').map(({ law }) => law)
    expect(applied).toEqual(expect.arrayContaining(laws))
  },
)

test('without a message these laws do not apply', async () => {
  const results = await checkWatermark(gumbel(), { laws: laws.slice(1) })
  expect(results.map(({ verdict }) => verdict)).toEqual(laws.slice(1).map(() => 'not applicable'))
})
