/**
 * The exact law of DetWmk when the metric is +A or -A: each prompt's means are binomial, DetWmk is 2A/(mn) times a whole
 * number, and that number's law is a convolution over prompts. An oracle for Theorem 2 that owes nothing to src/.
 */

/** P(sum = i - offset). */
export interface WholeLaw {
  readonly mass: Float64Array
  readonly offset: number
}

function binomialMass(m: number, theta: number): Float64Array {
  const logs = new Float64Array(m + 1)
  for (let k = 1; k <= m; k++) logs[k] = logs[k - 1]! + Math.log((m - k + 1) / k)
  return logs.map((log, k) => Math.exp(log + k * Math.log(theta) + (m - k) * Math.log1p(-theta)))
}

function convolve(a: WholeLaw, b: WholeLaw): WholeLaw {
  const mass = new Float64Array(a.mass.length + b.mass.length - 1)
  for (const [i, x] of a.mass.entries())
    if (x > 1e-30) for (const [j, y] of b.mass.entries()) mass[i + j]! += x * y
  return { mass, offset: a.offset + b.offset }
}

/**
 * The law of mn DetWmk / 2A for n prompts, m generations, P(+A) = theta.
 * Outcomes of probability below 1e-18 are left out.
 */
export function detWmkLaw(m: number, n: number, theta: number): WholeLaw {
  const p = binomialMass(m, theta)
  const likely = [...p.keys()].filter((k) => p[k]! > 1e-18)
  const width = likely.at(-1)! - likely[0]!
  const mass = new Float64Array(2 * width + 1)
  for (const a of likely) {
    const distance = new Float64Array(width + 1) // law of |a - b| given a
    for (const b of likely) distance[Math.abs(a - b)]! += p[b]!
    distance.forEach((x, i) => {
      if (x > 0) for (let j = 0; j <= width; j++) mass[i - j + width]! += p[a]! * x * distance[j]!
    })
  }
  const one: WholeLaw = { mass, offset: width }
  let law = one
  for (let i = 1; i < n; i++) law = convolve(law, one)
  return law
}

/** P(DetWmk >= t), for a metric of +-A. */
export function tailAt(law: WholeLaw, t: number, m: number, n: number, bound: number): number {
  const least = Math.ceil((t * m * n) / (2 * bound) - 1e-9)
  let sum = 0
  for (let i = law.mass.length - 1; i >= Math.max(0, least + law.offset); i--) sum += law.mass[i]!
  return sum
}
