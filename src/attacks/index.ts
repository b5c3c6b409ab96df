/** Attacks on tokens that need neither a model nor files: part of the entry `uwbench`. */
export {
  type Attack,
  type Attacked,
  type AttackOptions,
  noAttack,
  type TextAttack,
  type TextAttackOptions,
  throughText,
} from './attack.ts'
export { editDistance } from './edit-distance.ts'
export { copyPaste, truncate } from './excerpts.ts'
export { parseAttack } from './parse.ts'
export { insert, remove, replace } from './random-edits.ts'
