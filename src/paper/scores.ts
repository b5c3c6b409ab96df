/**
 * The three scores of the paper's last table ("A three-axis evaluation"), with its weights. Each formula is
 * written once, over intervals; the functions on numbers evaluate it at points. All scores are on [0, 1]; the
 * text multiplies by 100, the table does not.
 */
import { absolute, decreasing, type Interval, increasing, point, ratio, sum, times } from './interval.ts'

/** The five task metrics of one method in one configuration, in the order of the tables. */
export type Metrics<T> = readonly T[]

/** What the unbiasedness score is computed from. */
export interface UnbiasednessInput<T> {
  /** One generation per prompt: the metric itself. */
  readonly oneShot: Metrics<T>
  /** Many generations per prompt: the SPMG gap to the unwatermarked model. */
  readonly repeated: Metrics<T>
  /** The same two for the unwatermarked model. */
  readonly none: { readonly oneShot: Metrics<T>; readonly repeated: Metrics<T> }
}

/** What the detectability score is computed from. */
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
/** What the robustness score is computed from: rates under each attack. */
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

const points = (xs: Metrics<number>): Metrics<Interval> => xs.map(point)

/**
 * The paper's unbiasedness score: 1 minus the mean relative deviation from no watermark, one-shot (0.6) and
 * repeated (0.4).
 * @example
 * const none = { oneShot: [0.5], repeated: [0.01] }
 * unbiasednessScore({ oneShot: [0.45], repeated: [0.02], none }) // 1 - (0.6 * 0.1 + 0.4 * 0.02) = 0.932
 */
export const unbiasednessScore = ({ oneShot, repeated, none }: UnbiasednessInput<number>): number =>
  unbiasednessRange({
    oneShot: points(oneShot),
    repeated: points(repeated),
    none: { oneShot: points(none.oneShot), repeated: points(none.repeated) },
  })[0]

/**
 * The paper's detectability score. TPR and AUROC are fractions.
 *
 * @example detectabilityScore({ tpr5: 1, tpr1: 1, tpr01: 1, medianP: 1e-30, auroc: 1 }) // 1
 */
export const detectabilityScore = (x: DetectabilityInput<number>): number =>
  detectabilityRange({
    tpr5: point(x.tpr5),
    tpr1: point(x.tpr1),
    tpr01: point(x.tpr01),
    medianP: point(x.medianP),
    auroc: point(x.auroc),
  })[0]

/**
 * The paper's robustness score: low false-positive rates and random replacement weigh most.
 * @example
 * const rates = { at5: 1, at1: 1, at01: 1 }
 * robustnessScore({ DIPPER: rates, 'Random 30%': rates, 'Random 20%': rates, 'Random 10%': rates }) // 1.0
 */
export function robustnessScore(x: RobustnessInput<number>): number {
  const rates = attacks.map((a): [Attack, AttackedRates<Interval>] => [
    a,
    { at5: point(x[a].at5), at1: point(x[a].at1), at01: point(x[a].at01) },
  ])
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
