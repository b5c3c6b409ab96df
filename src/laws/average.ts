/** Exact averages of q: over a code's orbit, or over every code. */
import type { Watermark } from '../watermark.ts'
import { type Member, membersOf } from './codes.ts'
import { Violation } from './for-all.ts'

/** Float64 sums of a toy vocabulary stray less than this. */
export const ROUNDING = 1e-12
/** More codes than this are not averaged one by one. */
const MOST_CODES = 2 ** 16

/** The weighted average of q over codes. */
export function averageOf<Code>(
  watermark: Watermark<Code>,
  members: Iterable<Member<Code>>,
  p: Float64Array,
): Float64Array {
  const mean = new Float64Array(p.length)
  const q = new Float64Array(p.length)
  let total = 0
  let count = 0
  for (const { code, weight } of members) {
    if (!(weight >= 0)) throw new Violation(`a weight of ${weight} in the average`)
    if (++count > MOST_CODES) throw new Violation(`more than ${MOST_CODES} codes in the average`)
    watermark.reweight(p, code, q)
    for (let i = 0; i < p.length; i++) mean[i]! += weight * q[i]!
    total += weight
  }
  if (!(Math.abs(total - 1) <= ROUNDING))
    throw new Violation(`the weights of the average sum to ${total}, not 1`)
  return mean
}

/** Total variation between two distributions. */
export function totalVariation(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i]! - b[i]!)
  return sum / 2
}

/** The exact ways to average that a watermark declares. */
export const declaresAverage = <Code>(watermark: Watermark<Code>): boolean =>
  watermark.orbit !== undefined || watermark.enumerate !== undefined

/** The average of q over the orbit of a code, or over every code where no orbit is declared. */
export function exactAverage<Code>(watermark: Watermark<Code>, code: Code, p: Float64Array): Float64Array {
  const members =
    watermark.orbit === undefined ? watermark.enumerate!(p.length) : membersOf(watermark, code, p)
  return averageOf(watermark, members, p)
}

const digits = (x: number): string => `${+x.toPrecision(4)}`

/** Throws where an average is not p. */
export function mustEqual(mean: Float64Array, p: Float64Array, what: string): void {
  const bias = totalVariation(mean, p)
  if (bias <= ROUNDING * Math.max(1, p.length / 8)) return
  throw new Violation(
    `${what} is [${[...mean].map(digits).join(', ')}]: ${bias.toPrecision(3)} away in total variation`,
  )
}
