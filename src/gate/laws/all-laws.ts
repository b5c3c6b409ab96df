/** Every law, in the order in which they are checked and printed. A new law is one line here and one file beside. */
import { certificateHoldsLaw } from './certificate-holds.ts'
import { detectableLaw } from './detectable.ts'
import { driftLaw } from './drift.ts'
import { editsReachLaw } from './edits-reach.ts'
import { equalPairsLaw } from './equal-pairs.ts'
import { givesDistributionLaw } from './gives-distribution.ts'
import type { Law } from './law.ts'
import { messageIsDecodedLaw, noMessageInUnmarkedTextLaw, unbiasedForMessagesLaw } from './messages.ts'
import { nullLawIsRightLaw } from './null-law-is-right.ts'
import { orbitIsHonestLaw } from './orbit-is-honest.ts'
import { sameKeySameResultLaw } from './same-key-same-result.ts'
import { shownBiasedLaw } from './shown-biased.ts'
import { speculationLaw } from './speculation.ts'
import { unbiasedOverKeysLaw } from './unbiased-over-keys.ts'
import { unbiasedOverOrbitLaw } from './unbiased-over-orbit.ts'
import { unbiasedSequencesLaw } from './unbiased-sequences.ts'
import { warpingOrderLaw } from './warping-order.ts'

/**
 * Every law, in the order in which they are checked and printed.
 * @example allLaws.some(({ name }) => name === 'unbiased over keys') // true
 */
export const allLaws: readonly Law[] = [
  givesDistributionLaw,
  sameKeySameResultLaw,
  unbiasedOverOrbitLaw,
  orbitIsHonestLaw,
  unbiasedOverKeysLaw,
  unbiasedSequencesLaw,
  equalPairsLaw,
  warpingOrderLaw,
  nullLawIsRightLaw,
  detectableLaw,
  driftLaw,
  editsReachLaw,
  certificateHoldsLaw,
  shownBiasedLaw,
  unbiasedForMessagesLaw,
  messageIsDecodedLaw,
  noMessageInUnmarkedTextLaw,
  speculationLaw,
]
