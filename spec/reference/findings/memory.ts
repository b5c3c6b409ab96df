/** A finite memory of used contexts, in a world small enough to list every text. */

import { totalVariation } from '../../../src/core/stats/entry.ts'
import { sequenceLaw } from '../../../src/gate/laws/sequence-law.ts'
import { modelLaw, openingOf } from '../../../src/gate/laws/toy-world.ts'
import { synthid } from '../../../src/watermarks/entry.ts'
import { synthidContextMask, synthidContexts } from '../../../src/watermarks/published/index.ts'

/**
 * Total variation between the law of texts of `length` tokens over keys and the model's: two tokens of probability 1/2,
 * contexts of one token, two layers of ideal bits, and a memory of `history` positions.
 */
export function biasOfMemory(history: number, length: number): number {
  const context = synthidContexts({ ngramLength: 2, history })
  // without its orbit the average is over all codes, not over those that go with one key's
  const watermark = { ...synthid({ layers: 2, context }), orbit: undefined }
  const model = { vocabSize: 2, rows: [[1, 1]] }
  const law = sequenceLaw(watermark, model, length, openingOf(watermark)!, 'any')
  return totalVariation(law, modelLaw(model, length))
}

/** Whether the context of n-gram 0 counts as new when it comes back `distance` positions later. */
export function comesBack(distance: number): boolean {
  const tokens = Array.from({ length: distance + 5 }, (_, t) => 10 + t)
  for (let i = 0; i < 4; i++) tokens[distance + i] = tokens[i]!
  const mask = synthidContextMask({ flavor: 'google', keys: [1], ngramLength: 5, tokens })
  return mask[distance] === 1
}
