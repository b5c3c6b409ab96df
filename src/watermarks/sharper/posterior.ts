/**
 * The probability that a text is marked. By Bayes the odds are the prior odds times the likelihood ratio. The ratio comes from a model of marked texts that is not exact (every position has the same rates, though entropies differ),
 * so the probability carries no guarantee of its own. Held-out texts say how far it can be trusted: among texts with ratios in a bin, how many times as often marked ones fall there as unmarked ones, with an exact interval.
 */
import type { Detection } from '../../core/detect/index.ts'
import { clopperPearson, type Interval } from '../../core/stats/index.ts'
import { integer, iterable, list, number, outOfRange, requireOptions } from '../../input.ts'
import {
  type BitTraining,
  type Calibration,
  type CalibrationBin,
  logRatioOf,
  mostOf,
  requireTraining,
} from './bit-training.ts'

/** The lower ends of the bins of the likelihood ratio. */
const BINS = [0, 0.01, 0.1, 1, 10, 100, 10_000]

export interface PosteriorOptions {
  /** The probability that a text is marked, before looking at it. Default 1/2. */
  readonly prior?: number
  /** Confidence of the interval. Default 0.95. */
  readonly confidence?: number
}

/** The probability that a text is marked. */
export interface Posterior {
  /** ln of the likelihood ratio. */
  readonly logRatio: number
  /** By Bayes, if the trained rates were the truth. */
  readonly probability: number
  /**
   * The calibrated share of marked texts among texts with these ratios: an interval that holds the share of marked texts among them with the confidence asked for, for texts like those held out. From 0 to 1 where there is no
   * calibration.
   */
  readonly low: number
  readonly high: number
}

/** The part of a detection that is used. */
export type ScoredDetection = Pick<Detection, 'statistic' | 'scored'>

/** ln of the likelihood ratio of a detection by the detector that was trained so. */
function logRatio(name: string, training: BitTraining, { statistic, scored }: ScoredDetection): number {
  integer(`${name}.scored`, scored, 0)
  const most = scored * mostOf(training)
  if (!(Number.isInteger(statistic) && statistic >= 0 && statistic <= most))
    throw outOfRange(
      `${name}.statistic`,
      `an integer from 0 to ${most}, as a detector with this training gives it`,
      statistic,
    )
  return logRatioOf(training, statistic, scored)
}

const binOf = (log: number): number => BINS.findLastIndex((from) => log >= Math.log(from))

function countBins(name: string, training: BitTraining, detections: unknown): number[] {
  const counts = new Array<number>(BINS.length).fill(0)
  let index = 0
  for (const one of iterable<ScoredDetection>(name, detections, 'a list of detections'))
    counts[binOf(logRatio(`${name}[${index++}]`, training, one ?? {}))]!++
  integer(`${name}.length`, index, 1)
  return counts
}

/**
 * Counts likelihood ratios of texts that were held out from training: marked ones, and unmarked ones of the same lengths. Put the result into the training: `{ ...training, calibration }`.
 * @example
 * const detections = [{ statistic: 0, scored: 10 }]
 * calibrate(embeddedTrainings['uwbench-lm'], detections, detections).bins[0] // { from: 0, marked: 1, unmarked: 1 }
 */
export function calibrate(
  training: BitTraining,
  marked: Iterable<ScoredDetection>,
  unmarked: Iterable<ScoredDetection>,
): Calibration {
  requireTraining(training)
  const [ones, others] = [countBins('marked', training, marked), countBins('unmarked', training, unmarked)]
  const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)
  return {
    bins: BINS.map((from, i) => ({ from, marked: ones[i]!, unmarked: others[i]! })),
    marked: total(ones),
    unmarked: total(others),
  }
}

const share = (odds: number): number => (odds === Number.POSITIVE_INFINITY ? 1 : odds / (1 + odds))

/** The share of marked texts in a bin, if the prior odds are `odds`: each rate is outside of its interval with half of the error. */
function shareIn(bin: CalibrationBin, calibration: Calibration, odds: number, confidence: number): Interval {
  const half = 1 - (1 - confidence) / 2
  const marked = clopperPearson(bin.marked, calibration.marked, half)
  const unmarked = clopperPearson(bin.unmarked, calibration.unmarked, half)
  return { low: share((odds * marked.low) / unmarked.high), high: share((odds * marked.high) / unmarked.low) }
}

/** A calibration, checked. */
function requireCalibration(calibration: Calibration): void {
  requireOptions('training.calibration', calibration, ['bins', 'marked', 'unmarked'])
  const bins = list<CalibrationBin>('training.calibration.bins', calibration.bins, 'a list of bins')
  integer('training.calibration.marked', calibration.marked, 1)
  integer('training.calibration.unmarked', calibration.unmarked, 1)
  integer('training.calibration.bins.length', bins.length, BINS.length, BINS.length)
  for (const [i, from] of BINS.entries()) {
    const name = `training.calibration.bins[${i}]`
    requireOptions(name, bins[i]!, ['from', 'marked', 'unmarked'])
    number(`${name}.from`, bins[i]!.from, from, from)
    integer(`${name}.marked`, bins[i]!.marked, 0, calibration.marked)
    integer(`${name}.unmarked`, bins[i]!.unmarked, 0, calibration.unmarked)
  }
}

/** One bin of a reliability table, for a prior of 1/2. */
interface CalibratedBin extends CalibrationBin, Interval {
  readonly to: number
  /** The probabilities by Bayes at its ends. */
  readonly least: number
  readonly most: number
}

/** Compares the probabilities of a training with held-out texts. */
export const calibrationTable = ({ calibration }: BitTraining): CalibratedBin[] =>
  calibration!.bins.map((bin, i) => {
    const to = BINS[i + 1] ?? Number.POSITIVE_INFINITY
    return { ...bin, to, least: share(bin.from), most: share(to), ...shareIn(bin, calibration!, 1, 0.95) }
  })

/**
 * The probability that a text is marked, from what `detect` says of it under `withTrainedScore` with the same training. Only the p-value of the detection is guaranteed; this says what a ratio means among texts
 * like those of the calibration.
 * @example posterior(embeddedTrainings['uwbench-lm'], { statistic: 9000, scored: 40 }, { prior: 0.1 }).probability // 0.0245
 */
export function posterior(
  training: BitTraining,
  detection: ScoredDetection,
  options: PosteriorOptions = {},
): Posterior {
  requireTraining(training)
  requireOptions('posterior', options, ['prior', 'confidence'])
  const prior = number('prior', options.prior ?? 1 / 2, 0, 1, true)
  const confidence = number('confidence', options.confidence ?? 0.95, 0, 1, true)
  const log = logRatio('detection', training, detection ?? {})
  const odds = prior / (1 - prior)
  const probability = share(odds * Math.exp(log))
  if (training.calibration === undefined) return { logRatio: log, probability, low: 0, high: 1 }
  requireCalibration(training.calibration)
  const bin = training.calibration.bins[binOf(log)]!
  return { logRatio: log, probability, ...shareIn(bin, training.calibration, odds, confidence) }
}
