/**
 * What the likelihood-ratio test needs where all positions share one code, as under the green set of Unigram. The code has the same law with and without the mark, so the likelihood ratio of a text and its code
 * is the product of q(x)/p(x) over positions, as for other methods. Positions are not independent, but given the code they are, so texts are quick to write. Both error rates come from marked texts:
 * with L the logarithm of the ratio, P(L >= c) for the power, and E exp(-L) 1(L >= c), which is what unmarked texts and fresh codes reach, for the level.
 */
import { seededRandom } from '../../src/core/keys/stream.ts'
import { drawCode } from '../../src/theory/step-law.ts'
import type { AnyWatermark } from '../../src/watermark.ts'

/** What a token adds to the logarithm of the ratio at one position, and how likely it is up to there. */
interface MarkedStep {
  readonly reached: Float64Array
  readonly gains: Float64Array
}

function markedStep(watermark: AnyWatermark, p: Float64Array, code: unknown, q: Float64Array): MarkedStep {
  watermark.reweight(p, code, q)
  const [reached, gains]: [number[], number[]] = [[], []]
  let sum = 0
  for (const [x, mass] of q.entries()) {
    if (mass === 0) continue
    sum += mass
    reached.push(sum)
    gains.push(Math.log(mass / p[x]!))
  }
  return { reached: Float64Array.from(reached), gains: Float64Array.from(gains) }
}

/** ln of the ratio after 1, 2, ... tokens of one marked text. */
function ratios(
  watermark: AnyWatermark,
  steps: readonly Float64Array[],
  text: number,
  n: number,
): Float64Array {
  const random = seededRandom('fixed bound', text)
  const code = drawCode(watermark, `fixed bound/${text}`, steps[0]!.length)
  const q = new Float64Array(steps[0]!.length)
  const known = steps.map((p) => markedStep(watermark, p, code, q))
  let sum = 0
  return Float64Array.from({ length: n }, () => {
    const { reached, gains } = known[Math.floor(random.uniform() * known.length)]!
    const place = random.uniform() * reached.at(-1)!
    let [from, to] = [0, reached.length - 1]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (reached[middle]! > place) to = middle
      else from = middle + 1
    }
    sum += gains[from]!
    return sum
  })
}

export interface FixedBoundOptions {
  readonly alpha: number
  readonly power: number
  readonly texts: number
  readonly longest: number
}

/** The fewest tokens at which the test of level alpha has the power; Infinity beyond `longest`. */
export function fixedBound(
  watermark: AnyWatermark,
  steps: readonly Float64Array[],
  { alpha, power, texts, longest }: FixedBoundOptions,
): number {
  const walks = Array.from({ length: texts }, (_, text) => ratios(watermark, steps, text, longest))
  /** The level at which the power is reached. */
  const levelAt = (n: number): number => {
    const logs = walks.map((walk) => walk[n - 1]!).sort((a, b) => b - a)
    return logs.slice(0, Math.ceil(power * texts)).reduce((sum, log) => sum + Math.exp(-log), 0) / texts
  }
  if (levelAt(longest) > alpha) return Number.POSITIVE_INFINITY
  let [no, yes] = [0, longest]
  while (yes - no > 1) {
    const middle = (no + yes) >>> 1
    if (levelAt(middle) <= alpha) yes = middle
    else no = middle
  }
  return yes
}
