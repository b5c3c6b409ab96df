import { number, outOfRange } from '../../../input.ts'

/** P(X = low + step x) = masses[x]. */
export interface LatticeForm {
  readonly masses: Float64Array
  readonly low: number
  readonly step: number
}

/**
 * Checks a mass function and brings it to the form low + step · {0, ..., top}, both ends taken, no common divisor.
 */
export function latticeForm(pmf: ArrayLike<number>): LatticeForm {
  let total = 0
  let low = -1
  let high = -1
  let step = 0
  for (let x = 0; x < pmf.length; x++) {
    // the name is only made where it is needed: this is called once per text
    if (!(pmf[x]! >= 0 && pmf[x]! <= 1)) number(`pmf[${x}]`, pmf[x], 0, 1)
    total += pmf[x]!
    if (pmf[x]! === 0) continue
    if (low < 0) low = x
    high = x
    if (step !== 1) step = divisor(step, x - low)
  }
  if (!(Math.abs(total - 1) <= 1e-9)) throw outOfRange('pmf', 'masses that sum to 1', total)
  if (step === 0) step = 1
  const masses = new Float64Array((high - low) / step + 1)
  for (let i = 0; i < masses.length; i++) masses[i] = pmf[low + i * step]! / total
  return { masses, low, step }
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b)
}
