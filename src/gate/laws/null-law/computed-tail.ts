/**
 * The tail of many scores, computed: the detector is given scores that the declared law of one score could have made, and its
 * p-value is held against the convolution of that law: equal where it is declared exact, never below it otherwise. Sampling sees a
 * tail down to 1e-3 or so; this goes down to 1e-300.
 */
import type { NullLaw, Outcome } from '../../../core/detect/index.ts'
import { lawFor } from '../../../core/detect/index.ts'
import { seededRandom } from '../../../core/keys/index.ts'
import type { Watermark } from '../../../watermark.ts'
import { convolvedTail, roomFor, type Term, tiltedSum } from '../engine/convolved-tail.ts'
import { type Found, forAll, Violation } from '../for-all.ts'
import type { Effort, Trial } from '../law.ts'
import { evidenceOf, type GivenScores, termsOf } from './evidence.ts'
import { sampledScores } from './sampled-scores.ts'
import { type OneScoreLaw, oneScoreLaw } from './score-laws.ts'
import {
  DRAWN,
  showTail,
  type TailCase,
  tailCase,
  tailExamples,
  timesOf,
  VOCABULARIES,
} from './tail-cases.ts'
import { tiltedScores } from './tilted-scores.ts'

/** ln of a p-value may be off by this much, and by as much again for each unit of it. */
const TOLERANCE = 1e-6
/**
 * The share of what the finest of three grids changed, after the error of second order is taken out, that may be left: 1/15 of it if
 * the error is of fourth order, 1/7 if it is of third order, as where the law bends within a cell.
 */
const LEFT = 0.2
/** Sums that a transform may tell apart; beyond, a case is made shorter. */
const ROOM: Record<Effort, number> = { quick: 2 ** 18, usual: 2 ** 19, thorough: 2 ** 20 }
/** Sample sizes: to see whether scores are integers, and to make a law where none is declared exactly. */
const EXACT_SAMPLE = 300
const BOUND_SAMPLE = 20_000
/** `runs` of a trial at which all cases are tried. */
const USUAL_RUNS = 100
const SHRINKS = 100

/** ln of the tail of the sum, and how far it may be off. */
function computed(
  { grids, slack }: OneScoreLaw,
  terms: readonly Term[],
  sum: number,
  theta: number,
): { log: number; off: number } {
  // scores are not negative; a grid has half of its first cell below 0
  if (sum <= 0) return { log: 0, off: TOLERANCE + slack }
  const logs = grids.map((grid, i) => convolvedTail(grid, terms, sum * 2 ** i, theta / 2 ** i))
  const [log, finer, finest] = logs as [number, number | undefined, number | undefined]
  const off = TOLERANCE * (1 + Math.abs(log)) + slack
  if (finer === undefined || finest === undefined) return { log, off }
  // the error is of second order in the step
  const [before, after] = [finer + (finer - log) / 3, finest + (finest - finer) / 3]
  return { log: after, off: off + LEFT * Math.abs(after - before) }
}

const digits = (log: number): string => (log > -600 ? Math.exp(log).toPrecision(6) : `e^${log.toFixed(3)}`)

/** Throws where the detector's answer is not what the law of one score says. */
function compare(
  { logPValue, exact, statistic, scored }: Outcome,
  { scores, times }: GivenScores,
  tail: { log: number; off: number; lower: boolean },
): void {
  const sum = scores.reduce((total, score, i) => total + score * times[i]!, 0)
  const count = times.reduce((total, n) => total + n, 0)
  const what = `${count} scores with a sum of ${+sum.toPrecision(9)}`
  if (scored !== count) throw new Violation(`${what}: the detector counts ${scored}`)
  if (!(Math.abs(statistic - sum) <= 1e-9 * (1 + sum)))
    throw new Violation(`${what}: the detector adds them up to ${statistic}`)
  if (!(logPValue <= 0)) throw new Violation(`${what}: ln of the p-value is ${logPValue}`)
  const says = `${what}: p = ${digits(logPValue)}, but sums as large have probability`
  if (!(logPValue >= tail.log - tail.off))
    throw new Violation(`${says} ${tail.lower ? 'at least ' : ''}${digits(tail.log)}`)
  if (exact && !tail.lower && !(logPValue <= tail.log + tail.off))
    throw new Violation(`${says} ${digits(tail.log)}, and p is declared exact`)
}

/** Checks that the mean that certificates rely on is the mean of the law. */
function checkMean({ name, mean }: NullLaw, { grids, lower }: OneScoreLaw): void {
  if (lower) return
  const one = tiltedSum(grids[0]!, [{ times: 1, copies: 1 }], 0).mean * grids[0]!.step
  if (!(Math.abs(mean - one) <= 1e-3 * (one + grids[0]!.step / 1e3)))
    throw new Violation(
      `${name}: declares a mean of ${mean}, but its tail of one score has ${one.toPrecision(6)}`,
    )
}

/** Returns whether the detector sums scores: then its p-value is a matter of the declared law alone. */
export function isSum<Code>(watermark: Watermark<Code>): boolean {
  const { detector, context } = watermark
  if (detector?.nullLaw === undefined) return false
  const most = Number.isFinite(detector.bound) ? detector.bound : 1
  const scores = Float64Array.from([1, 0, 1, 1, 0], (x) => x * most)
  const times = new Int32Array(scores.length).fill(1)
  try {
    const { statistic } = detector.test(evidenceOf({ scores, times }, context, 64))
    const sum = scores.reduce((a, b) => a + b, 0)
    return Math.abs(statistic - sum) <= 1e-3 * sum
  } catch {
    return detector.id === 'sum'
  }
}

export interface ComputedTails {
  readonly found: Found
  /** Why nothing was computed; undefined where something was. */
  readonly reason?: string
  /** The most scores of a case. */
  readonly most: number
}

/** The scores of a case that a transform has room for: a wide lattice and many scores, and it is fewer of them. */
function affordable(law: OneScoreLaw, times: Int32Array, room: number): Int32Array {
  const terms = termsOf(times)
  const { size } = roomFor(terms, tiltedSum(law.grids[0]!, terms, 0))
  // the finest of three grids has four times as many
  return size <= (law.grids.length > 1 ? room / 2 : room) || times.length === 1
    ? times
    : affordable(law, times.subarray(0, times.length >> 1), room)
}

/** Holds p-values of given scores against the convolution of the declared law of one. */
export async function computedTails<Code>(
  watermark: Watermark<Code>,
  trial: Trial,
  falseAlarm: number,
): Promise<ComputedTails> {
  const { detector, context: rule } = watermark
  const laws = new Map<number, OneScoreLaw | undefined>()
  let most = 0
  const lawOf = (vocabSize: number): OneScoreLaw | undefined => {
    if (!laws.has(vocabSize)) {
      const declared = lawFor(detector!.nullLaw!, vocabSize)
      const sample = declared.exact ? EXACT_SAMPLE : BOUND_SAMPLE
      const scores = sampledScores(watermark, vocabSize, sample, trial.seed)
      const law = oneScoreLaw(declared, detector!.bound, scores, falseAlarm / VOCABULARIES.length)
      if (law !== undefined) checkMean(declared, law)
      laws.set(vocabSize, law)
    }
    return laws.get(vocabSize)
  }
  const check = async (one: TailCase): Promise<void> => {
    const law = lawOf(one.vocabSize)
    if (law === undefined) return
    const stream = seededRandom(one.keys, 'scores')
    const times = affordable(law, timesOf(one, stream), ROOM[trial.effort])
    most = Math.max(most, times.length)
    const { steps, sum, theta, terms } = tiltedScores(law, times, one.depth, stream)
    await trial.breathe()
    const scores = steps.map((k) => k * law.grids[0]!.step)
    const outcome = detector!.test(evidenceOf({ scores, times }, rule, one.vocabSize))
    compare(outcome, { scores, times }, { ...computed(law, terms, sum, theta), lower: law.lower })
  }
  const share = Math.min(1, trial.runs / USUAL_RUNS)
  const all = tailExamples(trial.effort, trial.seed, rule.recurs)
  const examples = all.slice(0, Math.ceil(share * all.length))
  const runs = examples.length + Math.floor(share * DRAWN[trial.effort])
  const found = await forAll(
    trial,
    { part: 'tail', arbitrary: tailCase(rule.recurs), examples, runs, shrinks: SHRINKS, show: showTail },
    check,
  )
  const known = [...laws.values()]
  if (known.length > 0 && known.every((law) => law === undefined))
    return { found, most, reason: 'scores are neither multiples of one number nor continuous' }
  return { found, most }
}
