import { allLaws } from '../../src/gate/laws/all-laws.ts'
import { type CheckOptions, checkLaw, settingsOf } from '../../src/gate/laws/check.ts'
import type { LawResult } from '../../src/gate/laws/law.ts'
import { messageIsDecoded, noMessageInUnmarkedText } from '../../src/gate/laws/messages.ts'
import { warpingOrder } from '../../src/gate/laws/warping-order.ts'
import { type Mutant, law as names } from './mutant.ts'

/** What a law says about a mutant; a mutant that is a decoder is checked with that decoder. */
export async function verdictOn(
  { watermark, decoder, reader }: Pick<Mutant, 'watermark' | 'decoder' | 'reader'>,
  name: string,
  options: CheckOptions = {},
): Promise<LawResult> {
  // a bias of the promised size is missed with probability at most 1e-9: no mutant test fails by chance
  const settings = settingsOf({ miss: 1e-9, ...options })
  const own = decoder !== undefined && name === names.warping
  if (reader !== undefined && name === names.decoded)
    return checkLaw(messageIsDecoded(reader), watermark, settings)
  if (reader !== undefined && name === names.noMessage)
    return checkLaw(noMessageInUnmarkedText(reader), watermark, settings)
  const law = own ? warpingOrder(decoder) : allLaws.find((one) => one.name === name)!
  return checkLaw(law, watermark, settings)
}
