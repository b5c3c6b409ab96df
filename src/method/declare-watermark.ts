import { refuseUnknown, wrongType } from '../input.ts'
import { type Declaration, defineWatermark, type Watermark } from '../watermark.ts'

const FIELDS = [
  'id',
  'domain',
  'unbiased',
  'unbiasedUpTo',
  'needsKey',
  'context',
  'draw',
  'reweight',
  'choose',
  'score',
  'detector',
  'orbit',
  'enumerate',
  'markedScore',
]

/**
 * Declares a watermark.
 * @example
 * const isGreen = (token, random) => random.uint32(token) >>> 31
 * const mine = defineWatermark({
 *   id: 'mine',
 *   unbiased: true,
 *   context: ngram(2),
 *   draw: (random) => random,
 *   reweight(p, random, q) {
 *     const green = p.reduce((sum, mass, i) => sum + mass * isGreen(i, random), 0)
 *     for (let i = 0; i < p.length; i++) q[i] = p[i] * (isGreen(i, random) + 1 - green)
 *   },
 *   score: isGreen,
 *   detector: sumDetector({ nullLaw: binomial(1 / 2), bound: 1 }),
 * })
 * mine.domain // 'mine': separates its randomness from that of other methods
 */
export function declareWatermark<Code>(declaration: Declaration<Code>): Watermark<Code> {
  if (typeof declaration !== 'object' || declaration === null)
    throw wrongType('defineWatermark', 'a declaration', declaration)
  refuseUnknown('defineWatermark', declaration, FIELDS)
  return defineWatermark(declaration)
}
