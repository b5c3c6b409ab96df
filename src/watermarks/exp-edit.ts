/**
 * EXP-Edit (Kuditipudi et al. 2023): the Gumbel choice with a row of the key list instead of a context, and a detector that
 * aligns text and key list. Unbiased for texts up to the list's length.
 */
import { alignmentDetector } from '../detect/alignment-detector.ts'
import { exponential } from '../detect/null-laws.ts'
import { integer, number } from '../input.ts'
import { sequence } from '../keys/sequence.ts'
import { rowCodes } from '../reference/codes/rows.ts'
import { defineWatermark, type Watermark } from '../watermark.ts'
import { drawExponentials, type Exponentials, gumbelOrbit, gumbelScore, winner } from './gumbel-max.ts'
import { type Codes, checkCodes, domainOf, idOf } from './name.ts'

export interface ExpEditOptions {
  /** Entries of the key list. Default 256. */
  readonly keyLength?: number
  /** Length of the aligned blocks of text. Default: the whole text. */
  readonly block?: number
  /** Cost of an edit in the alignment, in nats of score. Default 1. */
  readonly penalty?: number
  /** 'reference': the key list of the demo of Kuditipudi et al.; the key is its 32-bit seed. */
  readonly codes?: Codes
}

/** @example expEdit({ keyLength: 256 }) */
export function expEdit(options: ExpEditOptions = {}): Watermark<Exponentials> {
  const keyLength = integer('keyLength', options.keyLength ?? 256, 1)
  const penalty = number('penalty', options.penalty ?? 1, 0, Number.POSITIVE_INFINITY)
  const codes = checkCodes(options.codes)
  const context = sequence({ length: keyLength })
  return defineWatermark<Exponentials>({
    id: idOf('expEdit', [
      ['keyLength', keyLength],
      ['block', options.block ?? 'text', 'text'],
      ['penalty', penalty, 1],
      ['codes', codes, 'own'],
    ]),
    domain: domainOf('expEdit', context, [['codes', codes, 'own']]),
    unbiased: true,
    unbiasedUpTo: context.freshUpTo,
    context,
    draw: codes === 'reference' ? rowCodes() : drawExponentials,
    choose: winner,
    score: gumbelScore,
    detector: alignmentDetector({ keyLength, block: options.block, penalty, shiftLaw: exponential() }),
    orbit: gumbelOrbit,
  })
}
