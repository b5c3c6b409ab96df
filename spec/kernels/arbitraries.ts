/** Inputs of kernels: vocabularies of every length near the vector width, awkward probabilities, words at the edges. */
import fc from 'fast-check'

const word = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 2 ** 32 - 1 }), weight: 6 },
  { arbitrary: fc.constantFrom(0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1), weight: 1 },
)

const weight = fc.oneof(
  { arbitrary: fc.integer({ min: 0, max: 6 }), weight: 3 },
  { arbitrary: fc.double({ min: 0, max: 1, noNaN: true }), weight: 3 },
  { arbitrary: fc.constantFrom(0, 5e-324, 1e-310, 1e-30, 1), weight: 1 },
)

/** A token's probability (not normalised: kernels do not ask for it) and its word. */
const token = fc.tuple(weight, word)

/** p and words of one length. */
export const vocabulary = fc
  .oneof(
    { arbitrary: fc.array(token, { maxLength: 21 }), weight: 4 },
    { arbitrary: fc.array(token, { minLength: 300, maxLength: 700, size: 'max' }), weight: 1 },
  )
  .map((tokens) => ({
    p: Float64Array.from(tokens, ([mass]) => mass),
    words: Uint32Array.from(tokens, ([, w]) => w),
  }))

export const anyWord = word

/** One of the four round keys of a position. */
export const roundKey = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })

/** How much room a list has. */
export const sizes = fc.integer({ min: 0, max: 40 })
