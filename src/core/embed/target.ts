/**
 * Decoders other than sampling. A declaration may name one as its `target`: the mean of q over keys is then the law of that decoder
 * instead of p, and positions without a mark are decoded by it too.
 *
 * Permute-and-flip takes the token with the least r_i / p_i, r_i uniform on (0, 1). With x the least value, which is at most
 * 1 / max p, token i wins at x with density p_i times the chance that every other token has more:
 *
 *   T(p)_i = integral over x from 0 to 1 / max p of p_i prod_{j != i} (1 - p_j x)
 */
import type { Watermark } from '../../watermark.ts'

/** Beyond this the integrand is below e^-80 of its start wherever 1 / max p is that large. */
const FURTHEST = 90
/** Widths of panels, and nodes of Gauss's rule in each: products of thousands of factors are smooth on this scale. */
const PANEL = 3
const NODES = 24

/** Nodes and weights of the Gauss-Legendre rule on [-1, 1], by Newton's method on the Legendre polynomial. */
function gaussRule(n: number): readonly (readonly [number, number])[] {
  return Array.from({ length: n }, (_, i) => {
    let x = Math.cos((Math.PI * (i + 0.75)) / (n + 0.5))
    let slope = 0
    for (let step = 0; step < 12; step++) {
      let [before, value] = [1, x]
      for (let k = 2; k <= n; k++) [before, value] = [value, ((2 * k - 1) * x * value - (k - 1) * before) / k]
      slope = (n * (x * value - before)) / (x * x - 1)
      x -= value / slope
    }
    return [x, 2 / ((1 - x * x) * slope * slope)] as const
  })
}

let rule: ReturnType<typeof gaussRule> | undefined

/**
 * Returns the law of permute-and-flip at a distribution p.
 * @example permuteAndFlipLaw(Float64Array.of(2 / 3, 1 / 3)) // (3/4, 1/4)
 */
export function permuteAndFlipLaw(p: Float64Array): Float64Array {
  const kept = [...p.keys()].filter((i) => p[i]! > 0)
  const mass = Float64Array.from(kept, (i) => p[i]!)
  const top = mass.indexOf(mass.reduce((a, b) => Math.max(a, b), 0))
  if (mass.every((one) => one === mass[top])) return p.slice()
  const end = Math.min(1 / mass[top]!, FURTHEST)
  const panels = Math.ceil(end / PANEL)
  const law = new Float64Array(mass.length)
  rule ??= gaussRule(NODES)
  for (let panel = 0; panel < panels; panel++)
    for (const [node, weight] of rule) {
      const x = ((panel + (1 + node) / 2) * end) / panels
      // the factor of the most probable token may be 0 but for rounding: no quotient by it is taken
      let others = (weight * end) / (2 * panels)
      for (let j = 0; j < mass.length; j++) if (j !== top) others *= 1 - mass[j]! * x
      const all = others * (1 - mass[top]! * x)
      for (let j = 0; j < mass.length; j++)
        law[j]! += mass[j]! * (j === top ? others : all / (1 - mass[j]! * x))
    }
  const out = new Float64Array(p.length)
  // equal tokens are equally likely, to the last bit
  for (const [k, i] of kept.entries()) out[i] = law[mass[k] === mass[top] ? top : k]!
  return out
}

/** Returns the law that the mean of q over keys must have at p: p itself, unless the declaration names another decoder. */
export const targetLaw = ({ target }: Pick<Watermark, 'target'>, p: Float64Array): Float64Array =>
  target === undefined ? p : permuteAndFlipLaw(p)
