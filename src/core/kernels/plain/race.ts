/** The first token at or after `from` with word < p best 2^32: all others arrive after `best`. p.length if there is none. */
export function nextRunner(p: Float64Array, words: Uint32Array, from: number, best: number): number {
  const bound = best * 2 ** 32 * (1 + 1e-14)
  let i = from
  while (i < p.length && !(words[i]! < p[i]! * bound)) i++
  return i
}
