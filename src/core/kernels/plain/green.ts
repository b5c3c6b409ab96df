/** The mass of the green tokens, those with (word + shift) mod 2^32 < threshold. */
export function greenMass(p: Float64Array, words: Uint32Array, shift: number, threshold: number): number {
  let sum = 0
  for (let i = 0; i < p.length; i++) if ((words[i]! + shift) >>> 0 < threshold) sum += p[i]!
  return sum
}

/** q = p times `green` for green tokens, times `red` for the others. */
export function greenScale(
  p: Float64Array,
  words: Uint32Array,
  shift: number,
  threshold: number,
  green: number,
  red: number,
  q: Float64Array,
): void {
  for (let i = 0; i < p.length; i++) q[i] = p[i]! * ((words[i]! + shift) >>> 0 < threshold ? green : red)
}
