/**
 * The mean over green sets of a tilted distribution, in closed form. With b = e^delta - 1 and G the mass of the green tokens, each green with probability g on its own, q_x is
 * p_x (1 + b [x green]) / (1 + b G), and since 1/a is the integral of e^(-s a) over s > 0,
 *
 *   E 1/(1 + b G) = integral of e^-s times the product over tokens of 1 - g + g e^(-s b p_i),
 *
 * with a token's own factor replaced by g (1 + b) e^(-s b p_x) + 1 - g for E q_x / p_x. Over s = e^v the trapezoid rule converges geometrically.
 */
export interface TiltedMean {
  /** E q. */
  readonly mean: Float64Array
  /** The chance that a drawn token is green. */
  readonly green: number
}

const [FIRST, LAST, STEP] = [-30, 4, 1 / 16]

export function tiltedMean(p: Float64Array, delta: number, rate: number): TiltedMean {
  const b = Math.expm1(delta)
  const mean = new Float64Array(p.length)
  const decay = new Float64Array(p.length)
  let inverse = 0
  for (let v = FIRST; v <= LAST; v += STEP) {
    const s = Math.exp(v)
    let product = STEP * s * Math.exp(-s)
    for (let i = 0; i < p.length; i++) {
      decay[i] = Math.exp(-s * b * p[i]!)
      product *= 1 - rate + rate * decay[i]!
    }
    inverse += product
    for (let i = 0; i < p.length; i++)
      mean[i]! += (p[i]! * product * (1 - rate + rate * (1 + b) * decay[i]!)) / (1 - rate + rate * decay[i]!)
  }
  return { mean, green: b === 0 ? rate : ((1 + b) / b) * (1 - inverse) }
}
