/** The law of one watermarked token's score: what power, and the length a text needs, are computed from. */
import { outOfRange } from '../input.ts'
import { closedForm, type MarkedScore, type Watermark, type Weighted, weightedOrbit } from '../watermark.ts'
import { checkSteps, requireListed } from './checked.ts'
import { drawCode, keysToDraw, listCodes } from './step-law.ts'

/** The law of one watermarked score. */
export interface ScoreLaw {
  readonly mean: number
  /** P(score / step, rounded down, = i); with `high`, rounded up. The same two where scores are multiples of `step`. */
  readonly low: Float64Array
  readonly high: Float64Array
  readonly step: number
  /** False where the law is an average over sampled keys. */
  readonly exact: boolean
}

export interface ScoreLawOptions {
  /** Keys to draw where codes cannot be listed, over all distributions; default 1000. */
  readonly keys?: number
  readonly seed?: number | string
}

/** The grid for scores that lie on none. */
const STEP = 1 / 32
/** Scores beyond this are counted as this (rounded down) or left out of no sum (rounded up): e^-60 of the null law. */
const TOP = 60

/** Collects masses at scores. */
class Masses {
  readonly #at = new Map<number, number>()

  add(score: number, mass: number): void {
    if (mass > 0) this.#at.set(score, (this.#at.get(score) ?? 0) + mass)
  }

  law(exact: boolean): ScoreLaw {
    const scores = [...this.#at.keys()]
    if (scores.some((s) => !(s >= 0))) throw outOfRange('score', 'scores of at least 0', Math.min(...scores))
    const step = scores.every(Number.isInteger) ? 1 : STEP
    const top = Math.ceil(Math.max(...scores) / step)
    const low = new Float64Array(top + 1)
    const high = step === 1 ? low : new Float64Array(top + 1)
    let mean = 0
    for (const [score, mass] of this.#at) {
      mean += score * mass
      low[Math.floor(score / step)]! += mass
      if (high !== low) high[Math.ceil(score / step)]! += mass
    }
    return { mean, low, high, step, exact }
  }
}

/** Returns the law that a declaration gives in closed form, on the grid of its scores. */
function closedLaw({ mean, tail, most }: MarkedScore, steps: readonly Float64Array[]): ScoreLaw {
  const step = most === undefined ? STEP : 1
  const cells = most ?? TOP / STEP
  const average = (f: (p: Float64Array) => number): number =>
    steps.reduce((sum, p) => sum + f(p), 0) / steps.length
  const reach = Float64Array.from({ length: cells + 1 }, (_, i) => average((p) => tail(p, i * step)))
  const low = reach.map((x, i) => x - (i === cells ? 0 : reach[i + 1]!))
  const high = most === undefined ? Float64Array.of(0, ...low) : low
  return { mean: average(mean), low, high, step, exact: true }
}

/** Orbits of larger vocabularies cost more than the keys they stand for. */
const MAX_TOKENS_OF_ORBITS = 32

/**
 * Returns the law of one watermarked token's score when the model's distribution is p: token and code together. Exact where the
 * declaration gives a closed form (`markedScore`) or the codes can be listed; else an average over sampled keys, each with its
 * orbit.
 *
 * With a list, each of its distributions is as likely at every position: the law of a score along texts of a model.
 *
 * @example scoreLaw(sta1(), Float64Array.of(0.5, 0.5)).mean // 0.625
 */
export function scoreLaw<Code>(
  watermark: Watermark<Code>,
  p: Float64Array | readonly Float64Array[],
  options: ScoreLawOptions = {},
): ScoreLaw {
  requireListed(watermark)
  const steps = checkSteps('p', p)
  const { keys, seed } = keysToDraw('scoreLaw', options, 1000)
  const closed = closedForm(watermark)
  if (closed) return closedLaw(closed, steps)
  const vocabSize = steps[0]!.length
  const q = new Float64Array(vocabSize)
  const masses = new Masses()
  const add = (step: Float64Array, { code, weight }: Weighted<Code>): void => {
    watermark.reweight(step, code, q)
    for (let x = 0; x < vocabSize; x++) if (q[x]! > 0) masses.add(watermark.score(x, code), weight * q[x]!)
  }
  const listed = vocabSize <= 8 ? listCodes(watermark, vocabSize) : undefined
  if (listed) {
    for (const step of steps)
      for (const { code, weight } of listed) add(step, { code, weight: weight / steps.length })
    return masses.law(true)
  }
  // every distribution has as many keys
  const draws = steps.length * Math.ceil(keys / steps.length)
  for (let i = 0; i < draws; i++) {
    const step = steps[i % steps.length]!
    const code = drawCode(watermark, `${seed}/${i}`, vocabSize)
    const orbit = vocabSize <= MAX_TOKENS_OF_ORBITS ? weightedOrbit(watermark, code, step) : undefined
    const members = orbit ?? [{ code, weight: 1 }]
    for (const member of members) add(step, { code: member.code, weight: member.weight / draws })
  }
  return masses.law(false)
}
