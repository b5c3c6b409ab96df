/**
 * ITS-Edit (Kuditipudi et al. 2023): inverse sampling with one secret order per key and a key list of uniforms, and a detector
 * that aligns text and key list. Pair cost |u - v|, v the token's place in the order as a fraction; the score is 1 - |u - v|.
 * Unbiased for texts up to the list's length.
 */
import { alignmentDetector } from '../detect/alignment-detector.ts'
import type { NullLaw } from '../detect/detector.ts'
import { integer, number } from '../input.ts'
import { OWN } from '../keys/random.ts'
import { sequence } from '../keys/sequence.ts'
import { defineWatermark, type Watermark } from '../watermark.ts'
import { landing, type Place, placeOrbit } from './inverse.ts'
import { domainOf, idOf } from './name.ts'

export interface ItsEditOptions {
  /** Entries of the key list. Default 256. */
  readonly keyLength?: number
  /** Length of the aligned blocks of text. Default: the whole text. */
  readonly block?: number
  /** Cost of an edit in the alignment, beyond the cost 1 of losing a pair's best score. Default 0. */
  readonly penalty?: number
}

/**
 * A law that dominates the scores, whatever the tokens: |u - v| is smallest in law for v = 1/2, where the score is
 * 1 - U/2, so P(sum of n scores >= s) <= P(U_1 + ... + U_n >= 2s - n), bounded by Chernoff's
 * min over h of n ln((e^h - 1) / h) - h (2s - n).
 */
export const centredUniform: NullLaw = {
  name: 'centredUniform',
  exact: false,
  mean: 3 / 4,
  logTail(sum, n) {
    const mean = (2 * sum - n) / n
    if (mean <= 1 / 2) return 0
    if (mean >= 1) return Number.NEGATIVE_INFINITY
    // the derivative 1 + 1/(e^h - 1) - 1/h - mean vanishes at the best h; it grows from 1/2 - mean to 1 - mean
    let [low, high] = [1e-9, 2 / (1 - mean)]
    for (let i = 0; i < 100; i++) {
      const h = (low + high) / 2
      if (1 + 1 / Math.expm1(h) - 1 / h < mean) low = h
      else high = h
    }
    const h = (low + high) / 2
    return n * (Math.log(Math.expm1(h) / h) - h * mean)
  },
}

/** @example itsEdit({ keyLength: 256 }) */
export function itsEdit(options: ItsEditOptions = {}): Watermark<Place> {
  const keyLength = integer('keyLength', options.keyLength ?? 256, 1)
  const penalty = number('penalty', options.penalty ?? 0, 0, Number.POSITIVE_INFINITY)
  const context = sequence({ length: keyLength })
  return defineWatermark<Place>({
    id: idOf('itsEdit', [
      ['keyLength', keyLength],
      ['block', options.block ?? 'text', 'text'],
      ['penalty', penalty, 0],
    ]),
    domain: domainOf('itsEdit', context),
    unbiased: true,
    unbiasedUpTo: context.freshUpTo,
    context,
    draw: (random, _, { shared }) => ({ u: random.uniform(OWN), random: shared }),
    choose: landing,
    score: (token, { u, random }) => 1 - Math.abs(u - (random.uint32(token) + 0.5) * 2 ** -32),
    detector: alignmentDetector({ keyLength, block: options.block, penalty, shiftLaw: centredUniform }),
    orbit: placeOrbit,
  })
}
