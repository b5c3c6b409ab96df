/**
 * The three scores of the paper's last table ("A three-axis evaluation"), with its weights. Each formula is
 * written once, over intervals; the functions on numbers evaluate it at points. All scores are on [0, 1]; the
 * text multiplies by 100, the table does not.
 */
import { list, number, outOfRange, requireOptions, wrongType } from '../../input.ts'
import { absolute, decreasing, type Interval, increasing, point, ratio, sum, times } from './interval.ts'

/** The five task metrics of one method in one configuration, in the order of the tables. */
type Metrics<T> = readonly T[]

/** The input of the unbiasedness score. */
export interface UnbiasednessInput<T> {
  /** One generation per prompt: the metric itself. */
  readonly oneShot: Metrics<T>
  /** Many generations per prompt: the SPMG gap to the unwatermarked model. */
  readonly repeated: Metrics<T>
  /** The same two for the unwatermarked model. */
  readonly none: { readonly oneShot: Metrics<T>; readonly repeated: Metrics<T> }
}

/** The input of the detectability score. */
export interface DetectabilityInput<T> {
  readonly tpr5: T
  readonly tpr1: T
  readonly tpr01: T
  readonly medianP: T
  readonly auroc: T
}

/** TPR under one attack at the three false-positive rates. */
export interface AttackedRates<T> {
  readonly at5: T
  readonly at1: T
  readonly at01: T
}

export const attacks = ['DIPPER', 'Random 30%', 'Random 20%', 'Random 10%'] as const
export type Attack = (typeof attacks)[number]
/** The input of the robustness score: rates under each attack. */
export type RobustnessInput<T> = Readonly<Record<Attack, AttackedRates<T>>>

const lambda = 0.6
const weights = { tpr: 0.6, auroc: 0.25, p: 0.15 }
const attackWeights: Record<Attack, number> = {
  DIPPER: 0.2,
  'Random 30%': 0.4,
  'Random 20%': 4 / 15,
  'Random 10%': 2 / 15,
}
const mean = (terms: readonly Interval[]): Interval => times(1 / terms.length, sum(terms))
const operatingPoints = (at5: Interval, at1: Interval, at01: Interval): Interval =>
  sum([times(0.2, at5), times(0.3, at1), times(0.5, at01)])

/** s_p = min(1, -log10(max(p, 1e-22)) / 22), the significance score of a median p-value. */
export const significance = (p: number): number => Math.min(1, -Math.log10(Math.max(p, 1e-22)) / 22)

/** U = 1 - (lambda D1 + (1 - lambda) D2), lambda = 0.6, over intervals. */
export function unbiasednessRange({ oneShot, repeated, none }: UnbiasednessInput<Interval>): Interval {
  // |x - x0| / x0 = |x / x0 - 1|
  const d1 = oneShot.map((x, i) => absolute(increasing((r) => r - 1, ratio(x, none.oneShot[i]!))))
  const d2 = repeated.map((delta, i) => {
    const excess = sum([delta, times(-1, none.repeated[i]!)])
    return ratio(
      increasing((e) => Math.max(0, e), excess),
      none.oneShot[i]!,
    )
  })
  return sum([point(1), times(-lambda, mean(d1)), times(lambda - 1, mean(d2))])
}

/** 0.6 s_tpr + 0.25 AUROC + 0.15 s_p, over intervals. */
export const detectabilityRange = (x: DetectabilityInput<Interval>): Interval =>
  sum([
    times(weights.tpr, operatingPoints(x.tpr5, x.tpr1, x.tpr01)),
    times(weights.auroc, x.auroc),
    times(weights.p, decreasing(significance, x.medianP)),
  ])

/** R = sum over attacks of v_a (0.5 t_0.1% + 0.3 t_1% + 0.2 t_5%), over intervals. */
export const robustnessRange = (x: RobustnessInput<Interval>): Interval =>
  sum(attacks.map((a) => times(attackWeights[a], operatingPoints(x[a].at5, x[a].at1, x[a].at01))))

/** A rate, between 0 and 1. */
const rate = (name: string, value: number): Interval => point(number(name, value, 0, 1))

/** Metrics: as many as there are, each a number of at least `low`. */
function points(name: string, values: Metrics<number>, count: number, low: number): Metrics<Interval> {
  const metrics = Array.from(list<number>(name, values, 'a list of metrics'))
  if (metrics.length !== count || count === 0)
    throw outOfRange(name, count === 0 ? 'at least one metric' : `${count} metrics, as in oneShot`, values)
  return metrics.map((x, i) => point(number(`${name}[${i}]`, x, low, MAX_METRIC)))
}

/** The range of metrics: relative deviations must not overflow. */
const MAX_METRIC = 1e100
const MIN_BASE = 1e-100

/**
 * The paper's unbiasedness score: 1 minus the mean relative deviation from no watermark, one-shot (0.6) and
 * repeated (0.4).
 * @example
 * const none = { oneShot: [0.5], repeated: [0.01] }
 * unbiasednessScore({ oneShot: [0.45], repeated: [0.02], none }) // 1 - (0.6 * 0.1 + 0.4 * 0.02) = 0.932
 */
export function unbiasednessScore(input: UnbiasednessInput<number>): number {
  requireOptions('unbiasednessScore', input, ['oneShot', 'repeated', 'none'])
  const { oneShot, repeated, none } = input
  requireOptions('none', none, ['oneShot', 'repeated'])
  const { length } = list('oneShot', oneShot, 'a list of metrics')
  return unbiasednessRange({
    oneShot: points('oneShot', oneShot, length, 0),
    repeated: points('repeated', repeated, length, 0),
    none: {
      oneShot: points('none.oneShot', none.oneShot, length, MIN_BASE),
      repeated: points('none.repeated', none.repeated, length, 0),
    },
  })[0]
}

/**
 * The paper's detectability score. TPR and AUROC are fractions.
 *
 * @example detectabilityScore({ tpr5: 1, tpr1: 1, tpr01: 1, medianP: 1e-30, auroc: 1 }) // 1
 */
export function detectabilityScore(x: DetectabilityInput<number>): number {
  requireOptions('detectabilityScore', x, ['tpr5', 'tpr1', 'tpr01', 'medianP', 'auroc'])
  return detectabilityRange({
    tpr5: rate('tpr5', x.tpr5),
    tpr1: rate('tpr1', x.tpr1),
    tpr01: rate('tpr01', x.tpr01),
    medianP: rate('medianP', x.medianP),
    auroc: rate('auroc', x.auroc),
  })[0]
}

/**
 * The paper's robustness score: low false-positive rates and random replacement weigh most.
 * @example
 * const rates = { at5: 1, at1: 1, at01: 1 }
 * robustnessScore({ DIPPER: rates, 'Random 30%': rates, 'Random 20%': rates, 'Random 10%': rates }) // 1.0
 */
export function robustnessScore(x: RobustnessInput<number>): number {
  requireOptions('robustnessScore', x, attacks)
  const rates = attacks.map((a): [Attack, AttackedRates<Interval>] => {
    if (typeof x[a] !== 'object' || x[a] === null) throw wrongType(a, 'rates { at5, at1, at01 }', x[a])
    const of = (name: keyof AttackedRates<number>): Interval => rate(`${a}.${name}`, x[a][name])
    return [a, { at5: of('at5'), at1: of('at1'), at01: of('at01') }]
  })
  return robustnessRange(Object.fromEntries(rates) as RobustnessInput<Interval>)[0]
}

/**
 * The median p-value that a detectability score asks for, given the other four figures; above 1 when the score is
 * too low for any, and meaningless below 1e-22, where the formula clips.
 */
export function impliedMedianP(score: number, x: Omit<DetectabilityInput<number>, 'medianP'>): number {
  const rest = detectabilityScore({ ...x, medianP: 1 })
  return 10 ** (-22 * ((score - rest) / weights.p))
}
