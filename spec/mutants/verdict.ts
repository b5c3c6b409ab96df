import { allLaws, checkLaw, type LawResult, settingsOf, trialOf, warpingOrder } from '../../src/laws/index.ts'
import { type Mutant, law as names } from './mutant.ts'

/** What a law says about a mutant; a mutant that is a decoder is checked with that decoder. */
export async function verdictOn(
  { watermark, decoder }: Mutant,
  name: string,
  seed?: number,
): Promise<LawResult> {
  // a bias of the promised size is missed with probability at most 1e-9: no mutant test fails by chance
  const settings = settingsOf({ seed, miss: 1e-9 })
  const law = allLaws.find((one) => one.name === name)!
  if (decoder !== undefined && name === names.warping)
    return warpingOrder(watermark, trialOf(law, settings), decoder)
  return checkLaw(law, watermark, settings)
}
