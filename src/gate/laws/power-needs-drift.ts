/**
 * A detector with power b at level a tells P_k from P_M, so
 *
 *   b - a <= E_k TV(P_k, P_M) <= E_k sqrt(1 - BC_k^2) <= sqrt(1 - z^2),   z = E_k BC_k.
 *
 * Each tangent of the curve makes that linear, `b + c z <= a + sqrt(1 + c^2)`, and with D whether a text is detected and Z in
 * [0, 1] an unbiased estimate of BC_k, `prod_n (1 + l (D_n + c Z_n - a - sqrt(1 + c^2)))` is a bet that nobody can win against a
 * watermark whose detector sees no more than there is.
 */
import { seededRandom } from '../../core/keys/index.ts'
import { logSumExp } from '../../core/stats/index.ts'
import { draw } from '../../text/decode/index.ts'
import type { Watermark } from '../../watermark.ts'
import { secretKey } from './codes.ts'
import { generated } from './iid-texts.ts'
import type { Trial } from './law.ts'
import { ALPHA, detects, type World } from './power.ts'
import { beginTexts } from './texts-in-step.ts'

const SLOPES = [0.5, 2, 8] as const
/** Shares of what can be lost at most. */
const STAKES = [0.3, 0.9] as const

/**
 * An estimate of BC between the texts of the model and those under one key, in [0, 1]: `sum sqrt(P Q)` over all texts is the mean
 * of the product of `sum sqrt(p q)` along a text drawn in proportion to sqrt(p q).
 */
export function bhattacharyyaSample<Code>(
  watermark: Watermark<Code>,
  { vocabSize, length }: World,
  key: string,
): number {
  const stream = seededRandom(key, 'bhattacharyya')
  const texts = beginTexts(watermark, [key])
  const p = new Float64Array(vocabSize).fill(1 / vocabSize)
  let product = 1
  for (let t = 0; t < length; t++) {
    const q = texts.step([p])[0]!
    if (q !== p) {
      let z = 0
      for (let i = 0; i < vocabSize; i++) z += q[i] = Math.sqrt(q[i]! / vocabSize)
      for (let i = 0; i < vocabSize; i++) q[i]! /= z
      // the sum of roots of equal masses is 1 but for rounding
      if (z < 1 - 1e-12) product *= z
    }
    const token = draw(q, stream.uniform())
    texts.drew(0, token, 1 / vocabSize)
  }
  return product
}

export interface Explained {
  readonly keys: number
  readonly power: number
  /** Mean of BC over keys, and the share of keys under which it was seen to be below 1. */
  readonly coefficient: number
  readonly affected: number
  /** True if the detector sees more than there is. */
  readonly contradiction: boolean
}

/** Samples detections and BC in a world, each under a key of its own, and bets on a contradiction. */
export async function explained<Code>(
  watermark: Watermark<Code>,
  world: World,
  keys: number,
  level: number,
  trial: Trial,
): Promise<Explained> {
  const logs = new Float64Array(SLOPES.length * STAKES.length)
  let [taken, detected, sum, affected] = [0, 0, 0, 0]
  let contradiction = false
  while (taken < keys && !contradiction) {
    const key = secretKey(trial.seed, 1_000_000 + taken++)
    const d = detects(
      watermark,
      generated(watermark, world.vocabSize, world.length, key),
      key,
      world.vocabSize,
    )
    const z = bhattacharyyaSample(watermark, world, `${key} again`)
    detected += d ? 1 : 0
    sum += z
    affected += z < 1 ? 1 : 0
    for (const [i, slope] of SLOPES.entries()) {
      const most = ALPHA + Math.sqrt(1 + slope * slope)
      const gain = (d ? 1 : 0) + slope * z - most
      for (const [j, stake] of STAKES.entries())
        logs[i * STAKES.length + j]! += Math.log1p((stake / most) * gain)
    }
    contradiction = logSumExp(logs) - Math.log(logs.length) >= -Math.log(level)
    await trial.breathe()
  }
  return {
    keys: taken,
    power: detected / taken,
    coefficient: sum / taken,
    affected: affected / taken,
    contradiction,
  }
}
