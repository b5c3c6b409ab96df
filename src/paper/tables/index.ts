/** The paper's seven tables, every figure as printed. */
import { detection } from './detection.ts'
import { attackedAt1, attackedAt5, attackedAt01 } from './robustness.ts'
import { scores } from './scores.ts'
import { oneShot, repeated } from './unbiasedness.ts'

/**
 * By number: 1, 2 unbiasedness; 3 detectability; 4, 5, 6 TPR under attack at FPR 1%, 0.1%, 5%; 7 the scores.
 * @example publishedTables.detection.rows.length // 19
 */
export const publishedTables = {
  oneShot,
  repeated,
  detection,
  attackedAt1,
  attackedAt01,
  attackedAt5,
  scores,
} as const

/** What the audit works on: the published tables, or altered ones to see what it finds. */
export type Tables = typeof publishedTables
