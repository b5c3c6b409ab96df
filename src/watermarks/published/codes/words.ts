/**
 * Methods read a position's randomness as one 32-bit word per token. A published code that draws a permutation is given
 * the same shape: words in the order of the ranks, so that reweighting and scoring need not know where they come from.
 */

/**
 * Words that rise with the rank: those of the `size` lowest of n ranks are spread over [0, threshold), the others over the rest.
 * So "the word lies below the threshold" is "the rank lies below size".
 */
export function splitAt(n: number, size: number, threshold: number): (rank: number) => number {
  const above = 2 ** 32 - threshold
  return (rank) =>
    rank < size
      ? Math.floor((rank / size) * threshold)
      : threshold + Math.floor(((rank - size) / (n - size)) * above)
}

/** All orders of n tokens. */
export function permutations(n: number): Int32Array[] {
  if (n === 0) return [new Int32Array(0)]
  return permutations(n - 1).flatMap((shorter) =>
    Array.from({ length: n }, (_, at) => Int32Array.of(...shorter.slice(0, at), n - 1, ...shorter.slice(at))),
  )
}
