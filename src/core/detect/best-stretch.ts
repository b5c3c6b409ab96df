/** The stretch of a text whose bits exceed a drift the most, with the exact law of that maximum (stats/log-stretch-tail.ts). */
import { outOfRange } from '../../input.ts'
import { logStretchTail, stretchTailIsExact } from '../stats/log-stretch-tail.ts'

/** The distance of each drift from the rate, in standard deviations of a bit. At a rate of 1/2 they are 9/16, 5/8 and 3/4, best for marked rates of about 0.62, 0.73 and 0.89. */
const DRIFTS = [1 / 8, 1 / 4, 1 / 2]

/** Drifts are multiples of 1/PARTS, or of a finer part near 0 and 1. */
const [PARTS, MAX_PARTS] = [16, 2 ** 16]

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b))

/** Returns what a one adds and a zero takes, integers in the ratio 1 - drift to drift; undefined where no drift of this form lies between the rate and 1. */
function stepsOf(rate: number, drift: number): [up: number, down: number] | undefined {
  for (let parts = PARTS; parts <= MAX_PARTS; parts *= 2) {
    const down = Math.max(Math.round(drift * parts), Math.floor(rate * parts) + 1)
    const up = parts - down
    if (Math.min(drift, 1 - drift) * parts < 2 || up < 1 || !(up * rate < down * (1 - rate))) continue
    const common = gcd(up, down)
    return [up / common, down / common]
  }
  return undefined
}

/** The largest sum of a stretch, of bits that are given by their running sums. */
function largest(sums: readonly number[], up: number, down: number): number {
  let [sum, most] = [0, 0]
  for (let i = 1; i < sums.length; i++) {
    sum = Math.max(0, sum + (sums[i]! > sums[i - 1]! ? up : -down))
    most = Math.max(most, sum)
  }
  return most
}

/** The tail of the best stretch. */
interface BestStretch {
  readonly logTail: number
  readonly exact: boolean
}

function tailOf(sums: readonly number[], rate: number, [up, down]: [number, number]): BestStretch {
  const [height, n] = [largest(sums, up, down), sums.length - 1]
  return { logTail: logStretchTail(height, up, down, rate, n), exact: stretchTailIsExact(height, n) }
}

/** The tail of the best stretch under one drift. */
export function bestStretch(sums: readonly number[], rate: number, drift: number): BestStretch {
  const steps = drift > rate ? stepsOf(rate, drift) : undefined
  if (steps === undefined) throw outOfRange('drift', `above the rate ${rate} and below 1`, drift)
  return tailOf(sums, rate, steps)
}

/** ln of the smallest tail over all drifts, times how many there are. */
export function logStretches(sums: readonly number[], rate: number): number {
  const spread = Math.sqrt(rate * (1 - rate))
  const steps = DRIFTS.map((by) => stepsOf(rate, Math.min(rate + by * spread, (1 + rate) / 2)))
  let least = 0
  for (const step of steps) if (step !== undefined) least = Math.min(least, tailOf(sums, rate, step).logTail)
  return Math.log(DRIFTS.length) + least
}
