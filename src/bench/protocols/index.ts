/** All protocols, by the names that declarations use. */
import { agreement } from './agreement.ts'
import { audit } from './audit.ts'
import { detectability } from './detectability.ts'
import { falsePositives } from './false-positives.ts'
import { oneShot } from './one-shot.ts'
import type { Protocol } from './protocol.ts'
import { repeated } from './repeated.ts'
import { robustness } from './robustness.ts'
import { samples } from './samples.ts'
import { scores, threeAxes } from './scores.ts'
import { spread } from './spread.ts'

export const protocols = {
  'one-shot': oneShot,
  repeated,
  detectability,
  robustness,
  spread,
  scores,
  'three-axes': threeAxes,
  agreement,
  'false-positives': falsePositives,
  audit,
  samples,
} satisfies Record<string, Protocol>

export type ProtocolName = keyof typeof protocols
export * from './rows.ts'
