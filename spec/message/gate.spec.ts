import { expect, test } from 'vitest'
import { checkWatermark } from '../../src/gate/laws/entry.ts'
import { gumbel, synthid } from '../../src/index.ts'
import { expectEveryLaw, laws } from './message-laws.ts'

test('synthid with a message obeys every law', () => expectEveryLaw(synthid({ layers: 2 })))

test('without a message these laws do not apply', async () => {
  const results = await checkWatermark(gumbel(), { laws: laws.slice(1) })
  expect(results.map(({ verdict }) => verdict)).toEqual(laws.slice(1).map(() => 'not applicable'))
})
