/**
 * ITS-Edit (Kuditipudi et al. 2023): inverse sampling with one secret order per key and a key list of uniforms, and a detector
 * that aligns text and key list. Pair cost |u - v|, v the token's place in the order as a fraction; the score is 1 - |u - v|.
 * Unbiased for texts up to the list's length.
 */
import { alignmentDetector, MAX_KEY_LENGTH } from '../core/detect/index.ts'
import { OWN, sequence } from '../core/keys/index.ts'
import { defineMethod, type MethodParts, parameter } from '../core/method/index.ts'
import { centredUniform, landing, type Place, placeOrbit } from './mechanisms/inverse.ts'
import { placeCodes } from './published/codes/places.ts'
import { withPublished } from './published/published.ts'

/**
 * ITS-Edit (Kuditipudi et al., 2023): a list of keys, inverse transform sampling, detection by alignment.
 * @example itsEdit({ keyLength: 128 }).id // 'itsEdit(keyLength=128)'
 */
export const itsEdit = withPublished(
  defineMethod('itsEdit', {
    parameters: {
      /** Entries of the key list. */
      keyLength: parameter.integer(1, MAX_KEY_LENGTH, { default: 256, shown: true }),
      /** Length of the aligned blocks of text. Default: the whole text. */
      block: parameter.integer(1, Number.POSITIVE_INFINITY, { default: undefined }),
      /** Cost of an edit in the alignment, beyond the cost 1 of losing a pair's best score. */
      penalty: parameter.number(0, Number.POSITIVE_INFINITY, { default: 0 }),
      /**
       * The source of p-values below what permutations reach. 'shift': stretches of the text without insertions and deletions. 'edits': also
       * alignments with them. 'published': none, permutations alone. All read the same text.
       */
      detector: parameter.oneOf(['shift', 'edits', 'published']),
    },
    small: { keyLength: 12 },
    make: ({ keyLength, block, penalty, detector }): MethodParts<Place> => ({
      unbiased: true,
      context: sequence({ length: keyLength }),
      draw: (random, _, { shared }) => ({ u: random.uniform(OWN), random: shared }),
      choose: landing,
      score: (token, { u, random }) => 1 - Math.abs(u - (random.uint32(token) + 0.5) * 2 ** -32),
      detector: alignmentDetector({
        keyLength,
        block,
        penalty,
        ...(detector === 'published' ? {} : { shiftLaw: centredUniform }),
        edits: detector === 'edits',
      }),
      orbit: placeOrbit,
    }),
  }),
  placeCodes,
)
