import { allLaws } from '../../src/laws/all-laws.ts'
import { type CheckOptions, checkLaw, settingsOf, trialOf } from '../../src/laws/check.ts'
import type { LawResult } from '../../src/laws/law.ts'
import { warpingOrder } from '../../src/laws/warping-order.ts'
import { type Mutant, law as names } from './mutant.ts'

/** What a law says about a mutant; a mutant that is a decoder is checked with that decoder. */
export async function verdictOn(
  { watermark, decoder }: Pick<Mutant, 'watermark' | 'decoder'>,
  name: string,
  options: CheckOptions = {},
): Promise<LawResult> {
  // a bias of the promised size is missed with probability at most 1e-9: no mutant test fails by chance
  const settings = settingsOf({ miss: 1e-9, ...options })
  const law = allLaws.find((one) => one.name === name)!
  if (decoder !== undefined && name === names.warping)
    return warpingOrder(watermark, trialOf(law, settings), decoder)
  return checkLaw(law, watermark, settings)
}
