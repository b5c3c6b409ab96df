import { LOW, mix, toUniform } from '../../keys/mix.ts'

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
