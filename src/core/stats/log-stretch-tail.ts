import { integer, number, outOfRange } from '../../input.ts'
import { bisect } from './bisect.ts'

/** Steps of the chain times its states, and a few for each step: beyond, a bound takes its place. */
const [MAX_WORK, STEP_WORK] = [2 ** 27, 8]

/** Returns whether the tail is exact. */
export const stretchTailIsExact = (height: number, n: number): boolean => n * (height + STEP_WORK) <= MAX_WORK

/** The tilt t > 0 with rate e^(up t) + (1 - rate) e^(-down t) = 1: under it steps are a martingale. */
function tiltOf(up: number, down: number, rate: number): number {
  const excess = (t: number): number => rate * Math.expm1(up * t) + (1 - rate) * Math.expm1(-down * t)
  // convex, 0 at 0 and falling there: beyond its second root it is positive
  const high = -Math.log(rate) / up
  let low = high
  while (excess(low) > 0) low /= 2
  return bisect((t) => excess(t) < 0, low, high)
}

/**
 * ln P(max over stretches of their sum >= height) for n independent steps of +up with probability `rate` and -down otherwise, where the mean step is negative. The largest sum of a stretch that ends
 * at t is W_t = max(0, W_(t-1) + step), a Markov chain (Page's CUSUM): what reaches `height` is taken out and added up. Masses are kept times e^(t w), the tilt that makes steps a
 * martingale: they stay near 1 however far the height is, all terms are positive, and nothing cancels or vanishes. Where n (height + 8) is above 2^27: the bound n e^(-t height), by
 * Ville's inequality for each beginning.
 *
 * @example logStretchTail(2, 1, 2, 1 / 2, 3) // two in a row among three fair coins: ln 3/8 = -0.98
 */
export function logStretchTail(height: number, up: number, down: number, rate: number, n: number): number {
  integer('height', height, Number.MIN_SAFE_INTEGER)
  integer('up', up, 1, 2 ** 16)
  integer('down', down, 1, 2 ** 16)
  integer('n', n, 0, 2 ** 27)
  number('rate', rate, 0, 1, true)
  if (!(up * rate < down * (1 - rate)))
    throw outOfRange('rate', `below ${down / (up + down)}, so that the mean step is negative`, rate)
  if (height <= 0) return 0
  if (n * up < height) return Number.NEGATIVE_INFINITY
  const tilt = tiltOf(up, down, rate)
  if (!stretchTailIsExact(height, n)) return Math.min(0, Math.log(n) - tilt * height)
  return Math.min(0, Math.log(reached(height, up, down, rate, n, tilt)) - tilt * height)
}

/** P(height is reached) times e^(tilt height). */
function reached(height: number, up: number, down: number, rate: number, n: number, tilt: number): number {
  const rise = rate * Math.exp(up * tilt)
  const fall = (1 - rate) * Math.exp(-down * tilt)
  // from w <= down the walk falls to 0, whose mass has no factor
  const toZero = Float64Array.from(
    { length: Math.min(down + 1, height) },
    (_, w) => (1 - rate) * Math.exp(-tilt * w),
  )
  const beyond = Float64Array.from({ length: up }, (_, over) => rise * Math.exp(-tilt * over))
  let [masses, next] = [new Float64Array(height), new Float64Array(height)]
  masses[0] = 1
  let sum = 0
  for (let step = 0; step < n; step++) {
    let zero = 0
    for (let w = 0; w < toZero.length; w++) zero += masses[w]! * toZero[w]!
    for (let w = Math.max(0, height - up); w < height; w++) sum += masses[w]! * beyond[w + up - height]!
    for (let w = 0; w < height; w++)
      next[w] = (w >= up ? masses[w - up]! * rise : 0) + (w + down < height ? masses[w + down]! * fall : 0)
    next[0] = zero
    ;[masses, next] = [next, masses]
  }
  return sum
}
