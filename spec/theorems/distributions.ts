/** Random distributions from integer weights, so that a counterexample shrinks to one that a person can read. */
import fc from 'fast-check'

/** A distribution over `size` tokens, zeros included. */
export const distribution = (size: number): fc.Arbitrary<Float64Array> =>
  fc
    .array(fc.integer({ min: 0, max: 20 }), { minLength: size, maxLength: size })
    .filter((weights) => weights.some((w) => w > 0))
    .map((weights) => {
      const total = weights.reduce((a, b) => a + b, 0)
      return Float64Array.from(weights, (w) => w / total)
    })

/** Two distributions over the same few tokens. */
export const pair = (most = 4): fc.Arbitrary<[Float64Array, Float64Array]> =>
  fc.integer({ min: 2, max: most }).chain((size) => fc.tuple(distribution(size), distribution(size)))
