/**
 * EXP-Edit (Kuditipudi et al. 2023): the Gumbel choice with a row of the key list instead of a context, and a detector that
 * aligns text and key list. Unbiased for texts up to the list's length.
 */
import { alignmentDetector, MAX_KEY_LENGTH } from '../detect/alignment-detector.ts'
import { exponential } from '../detect/null-laws.ts'
import { sequence } from '../keys/sequence.ts'
import { defineMethod, type MethodParts } from '../method/define-method.ts'
import { parameter } from '../method/parameters.ts'
import { drawExponentials, type Exponentials, gumbelOrbit, gumbelScore, winner } from './gumbel-max.ts'

/**
 * EXP-Edit (Kuditipudi et al., 2023): a list of keys, exponential sampling, detection by alignment.
 * @example expEdit({ keyLength: 128 }).id // 'expEdit(keyLength=128)'
 */
export const expEdit = defineMethod('expEdit', {
  parameters: {
    /** Entries of the key list. */
    keyLength: parameter.integer(1, MAX_KEY_LENGTH, { default: 256, shown: true }),
    /** Length of the aligned blocks of text. Default: the whole text. */
    block: parameter.integer(1, Number.POSITIVE_INFINITY, { default: undefined }),
    /** Cost of an edit in the alignment, in nats of score. */
    penalty: parameter.number(0, Number.POSITIVE_INFINITY, { default: 1 }),
    /**
     * Where p-values below what permutations reach come from. 'shift': stretches of the text without insertions and deletions. 'edits': also
     * alignments with them. Both read the same text.
     */
    detector: parameter.oneOf(['shift', 'edits']),
  },
  small: { keyLength: 12 },
  make: ({ keyLength, block, penalty, detector }): MethodParts<Exponentials> => ({
    unbiased: true,
    context: sequence({ length: keyLength }),
    draw: drawExponentials,
    choose: winner,
    score: gumbelScore,
    detector: alignmentDetector({
      keyLength,
      block,
      penalty,
      shiftLaw: exponential(),
      edits: detector === 'edits',
    }),
    orbit: gumbelOrbit,
  }),
})
