/**
 * EXP-Edit (Kuditipudi et al. 2023): the Gumbel choice with a row of the key list instead of a context, and a detector that
 * aligns text and key list. Unbiased for texts up to the list's length.
 */
import { alignmentDetector, exponential, MAX_KEY_LENGTH } from '../core/detect/index.ts'
import { sequence } from '../core/keys/index.ts'
import { defineMethod, type MethodParts, parameter } from '../core/method/index.ts'
import { type Exponentials, gumbelMax } from './mechanisms/gumbel-max.ts'
import { rowCodes } from './published/codes/rows.ts'
import { withPublished } from './published/published.ts'

/**
 * EXP-Edit (Kuditipudi et al., 2023): a list of keys, exponential sampling, detection by alignment.
 * @example expEdit({ keyLength: 128 }).id // 'expEdit(keyLength=128)'
 */
export const expEdit = withPublished(
  defineMethod('expEdit', {
    parameters: {
      /** Entries of the key list. */
      keyLength: parameter.integer(1, MAX_KEY_LENGTH, { default: 256, shown: true }),
      /** Length of the aligned blocks of text. Default: the whole text. */
      block: parameter.integer(1, Number.POSITIVE_INFINITY, { default: undefined }),
      /** Cost of an edit in the alignment, in nats of score. */
      penalty: parameter.number(0, Number.POSITIVE_INFINITY, { default: 1 }),
      /**
       * The source of p-values below what permutations reach. 'shift': stretches of the text without insertions and deletions. 'edits': also
       * alignments with them. 'published': none, permutations alone. All read the same text.
       */
      detector: parameter.oneOf(['shift', 'edits', 'published']),
    },
    small: { keyLength: 12 },
    make: ({ keyLength, block, penalty, detector }): MethodParts<Exponentials> => ({
      ...gumbelMax,
      context: sequence({ length: keyLength }),
      detector: alignmentDetector({
        keyLength,
        block,
        penalty,
        ...(detector === 'published' ? {} : { shiftLaw: exponential() }),
        edits: detector === 'edits',
      }),
    }),
  }),
  rowCodes,
)
