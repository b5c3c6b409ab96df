/**
 * ITS-Edit (Kuditipudi et al. 2023): inverse sampling with one secret order per key and a key list of uniforms, and a detector
 * that aligns text and key list. Pair cost |u - v|, v the token's place in the order as a fraction; the score is 1 - |u - v|.
 * Unbiased for texts up to the list's length.
 */
import { alignmentDetector, MAX_KEY_LENGTH } from '../detect/alignment-detector.ts'
import type { NullLaw } from '../detect/detector.ts'
import { OWN } from '../keys/random.ts'
import { sequence } from '../keys/sequence.ts'
import { defineMethod, type MethodParts } from '../method/define-method.ts'
import { parameter } from '../method/parameters.ts'
import { landing, type Place, placeOrbit } from './inverse.ts'

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
  // E e^(h (1 - U/2)) = e^h (1 - e^(-h/2)) / (h/2)
  logMgf: (h) => (h === 0 ? 0 : h + Math.log((-2 * Math.expm1(-h / 2)) / h)),
}

/**
 * ITS-Edit (Kuditipudi et al., 2023): a list of keys, inverse transform sampling, detection by alignment.
 * @example itsEdit({ keyLength: 128 }).id // 'itsEdit(keyLength=128)'
 */
export const itsEdit = defineMethod('itsEdit', {
  parameters: {
    /** Entries of the key list. */
    keyLength: parameter.integer(1, MAX_KEY_LENGTH, { default: 256, shown: true }),
    /** Length of the aligned blocks of text. Default: the whole text. */
    block: parameter.integer(1, Number.POSITIVE_INFINITY, { default: undefined }),
    /** Cost of an edit in the alignment, beyond the cost 1 of losing a pair's best score. */
    penalty: parameter.number(0, Number.POSITIVE_INFINITY, { default: 0 }),
    /**
     * Where p-values below what permutations reach come from. 'shift': stretches of the text without insertions and deletions. 'edits': also
     * alignments with them. Both read the same text.
     */
    detector: parameter.oneOf(['shift', 'edits']),
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
      shiftLaw: centredUniform,
      edits: detector === 'edits',
    }),
    orbit: placeOrbit,
  }),
})
