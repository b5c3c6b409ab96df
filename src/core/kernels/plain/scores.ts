import { LOW, mix, toUniform } from '../mix.ts'

/** out[i] = -ln(v + 2^-65), v the uniform number of tokens[i] under four round keys: the scores of the Gumbel watermark. */
export function exponentialScores(
  tokens: Int32Array,
  k0: number,
  k1: number,
  k2: number,
  k3: number,
  out: Float64Array,
): void {
  for (let i = 0; i < out.length; i++) {
    const v = toUniform(mix(tokens[i]!, k0, k1, k2, k3), mix(tokens[i]! + LOW, k0, k1, k2, k3))
    out[i] = -Math.log(Math.min(1, v + 2 ** -65))
  }
}

/**
 * out[i] = -ln of the chance of the bits of tokens[i] under its own round keys, keys[4 i ..]: the scores of Christ et al.'s watermark.
 * Bit j, from the highest, is 1 with chance u_j; it is free if some id of the vocabulary has the same bits before it and a 1 there.
 */
export function bitScores(tokens: Int32Array, keys: Int32Array, vocabSize: number, out: Float64Array): void {
  const width = Math.ceil(Math.log2(vocabSize))
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    const [k0, k1, k2, k3] = [keys[4 * i]!, keys[4 * i + 1]!, keys[4 * i + 2]!, keys[4 * i + 3]!]
    // two products of no more than 12 chances of at least 2^-65: normal numbers
    let even = 1
    let odd = 1
    for (let j = 0; j < width; j++) {
      const bit = 1 << (width - 1 - j)
      const least = (token & -bit) | bit // the first id with a 1 there
      if (least >= vocabSize) continue
      const u = toUniform(mix(j, k0, k1, k2, k3), mix(j + LOW, k0, k1, k2, k3))
      const chance = token & bit ? Math.min(1, u + 2 ** -65) : 1 - u
      if (j % 2 === 0) even *= chance
      else odd *= chance
    }
    out[i] = -(Math.log(even) + Math.log(odd))
  }
}
