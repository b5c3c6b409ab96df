/** The most that all variables together may be: beyond it a bound takes the place of the convolution. */
const MAX_CONVOLVED = 2 ** 13
/** No tilt is larger: under it only the largest values are left. */
const MAX_TILT = 700

/** A tail, and whether it is one or only a bound. */
interface Tail {
  readonly logTail: number
  readonly exact: boolean
}

/** ln E e^(tilt X), and the mean of X under the tilt. */
function tilted(law: Float64Array, tilt: number): { log: number; mean: number } {
  const top = law.length - 1
  let mass = 0
  let mean = 0
  // relative to the largest value, so that nothing overflows
  for (let x = 0; x <= top; x++) {
    const share = law[x]! * Math.exp(tilt * (x - top))
    mass += share
    mean += share * x
  }
  return { log: Math.log(mass) + tilt * top, mean: mean / mass }
}

function multiply(a: Float64Array, b: Float64Array): Float64Array<ArrayBuffer> {
  const out = new Float64Array(a.length + b.length - 1)
  for (let j = 0; j < b.length; j++) for (let i = 0; i < a.length; i++) out[i + j]! += a[i]! * b[j]!
  return out
}

/**
 * ln P(X1 + X2 + ... >= sum) for independent variables on 0, 1, 2, ... with laws of their own: `laws[i][x]` is P(Xi = x). Tilted so that `sum` is the
 * mean, then convolved: positive terms only, exact in the far tail too. Sums of more than 8,192 get Chernoff's bound, the closed form alone.
 *
 * @param laws each one's last mass is not 0
 * @example logLawsTail(2, [Float64Array.of(0.5, 0.5), Float64Array.of(0.9, 0.1)]) // { logTail: -2.996, exact: true }: ln 0.05
 */
export function logLawsTail(sum: number, laws: readonly Float64Array[]): Tail {
  const top = laws.reduce((total, law) => total + law.length - 1, 0)
  if (sum <= 0) return { logTail: 0, exact: true }
  if (sum > top) return { logTail: Number.NEGATIVE_INFINITY, exact: true }
  // no finite tilt has the largest sum as its mean
  const target = Math.min(sum, top - 1 / 2)
  const meanAt = (tilt: number) => laws.reduce((total, law) => total + tilted(law, tilt).mean, 0)
  let [low, high] = [0, 1]
  while (high < MAX_TILT && meanAt(high) < target) high *= 2
  // any tilt gives the same tail; one near the best keeps the terms of ordinary size
  for (let i = 0; i < 12; i++) {
    const middle = (low + high) / 2
    if (meanAt(middle) < target) low = middle
    else high = middle
  }
  const logs = laws.map((law) => tilted(law, low).log)
  const logScale = logs.reduce((total, log) => total + log, -low * sum)
  if (top > MAX_CONVOLVED) return { logTail: Math.min(0, logScale), exact: false }
  let masses = Float64Array.of(1)
  for (const [i, law] of laws.entries())
    masses = multiply(
      masses,
      law.map((mass, x) => mass * Math.exp(low * x - logs[i]!)),
    )
  let tail = 0
  for (let x = masses.length - 1; x >= sum; x--) tail += Math.exp(-low * (x - sum)) * masses[x]!
  return { logTail: Math.min(0, logScale + Math.log(tail)), exact: true }
}
