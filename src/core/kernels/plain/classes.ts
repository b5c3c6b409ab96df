/** mass[c] = the mass of class c. Token i is in class (word >>> shift) & (mass.length - 1); mass.length is a power of 2. */
export function classMass(p: Float64Array, words: Uint32Array, shift: number, mass: Float64Array): void {
  mass.fill(0)
  for (let i = 0; i < p.length; i++) mass[(words[i]! >>> shift) & (mass.length - 1)]! += p[i]!
}

/** q = p times the factor of the token's class; factor.length is a power of 2. */
export function classScale(
  p: Float64Array,
  words: Uint32Array,
  shift: number,
  factor: Float64Array,
  q: Float64Array,
): void {
  for (let i = 0; i < p.length; i++) q[i] = p[i]! * factor[(words[i]! >>> shift) & (factor.length - 1)]!
}

/** out = words mod l, l at least 2. Returns how many words lie past the last full multiple of l below 2^32. */
export function remainders(words: Uint32Array, l: number, out: Uint32Array): number {
  const limit = 2 ** 32 - (2 ** 32 % l)
  let over = 0
  for (let i = 0; i < words.length; i++) {
    out[i] = words[i]! % l
    if (words[i]! >= limit) over++
  }
  return over
}
