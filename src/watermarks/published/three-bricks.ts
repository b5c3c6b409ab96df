const SALT = 35317n
const MODULUS = 2n ** 64n - 1n

/** The seed of a position in three_bricks: h = seed, then h <- (h salt + token) mod (2^64 - 1) for each token of the context. */
export function threeBricksSeed(seed: bigint, context: readonly number[]): bigint {
  let hash = seed
  for (const token of context) hash = (hash * SALT + BigInt(token)) % MODULUS
  return hash
}
