/**
 * The spread of p-values that tables 4 to 6 imply. A table of TPRs at 0.1%, 1% and 5% holds three points of the law of a method's
 * p-values after an attack. The model: the normal score of p is normal, so the probits of the three rates lie on a line; it is fitted
 * by least squares, and the deviation of p follows from it. Three points are few, so the numbers are only as good as the model.
 */
import { logNormalTail, normalQuantile } from '../../../core/stats/index.ts'
import { type Method, methods } from '../methods.ts'
import type { Attack } from '../scores.ts'
import { rowFor } from '../table.ts'
import type { Tables } from '../tables/index.ts'

const normal = (z: number): number => Math.exp(logNormalTail(-z))

/** Nodes of the standard normal law, equally likely. */
const NODES = Array.from({ length: 999 }, (_, i) => normalQuantile((i + 0.5) / 999))

/** Returns the deviation of p where the probits of TPRs at three rates are fitted by a line. */
function impliedDeviation(points: readonly { readonly fpr: number; readonly tpr: number }[]): number {
  // a printed 0% or 100% has no probit: half a unit of the last digit
  const inside = (rate: number) => Math.min(0.9995, Math.max(0.0005, rate))
  const [x, y] = [
    points.map(({ fpr }) => normalQuantile(fpr)),
    points.map(({ tpr }) => normalQuantile(inside(tpr))),
  ]
  const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length
  const [mx, my] = [mean(x), mean(y)]
  const slope =
    x.reduce((sum, value, i) => sum + (value - mx) * (y[i]! - my), 0) /
    x.reduce((sum, value) => sum + (value - mx) ** 2, 0)
  // TPR = normal(slope z + level), so the normal score of p is (node - level) / slope
  const level = my - slope * mx
  const p = NODES.map((node) => normal((node - level) / Math.max(1e-3, slope)))
  const middle = mean(p)
  return Math.sqrt(mean(p.map((value) => (value - middle) ** 2)))
}

export interface ImpliedSpread {
  readonly attack: Attack
  /** Mean over the 19 methods. */
  readonly deviation: number
}

/** Returns the mean deviation over methods for the two attacks that the paper compares. */
export function impliedSpread({ attackedAt5, attackedAt1, attackedAt01 }: Tables): ImpliedSpread[] {
  const attacks: readonly Attack[] = ['DIPPER', 'Random 30%']
  return attacks.map((attack) => {
    const each = methods.map((method: Method) =>
      impliedDeviation([
        { fpr: 0.001, tpr: rowFor(attackedAt01, method).figures[attack].value },
        { fpr: 0.01, tpr: rowFor(attackedAt1, method).figures[attack].value },
        { fpr: 0.05, tpr: rowFor(attackedAt5, method).figures[attack].value },
      ]),
    )
    return { attack, deviation: each.reduce((sum, value) => sum + value, 0) / each.length }
  })
}
