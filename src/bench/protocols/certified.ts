/** Certified against attacked radius: what no edit can undo, and what random edits did undo. */

import { quantile } from '../../core/stats/index.ts'
import type { Cell } from '../cells/cell.ts'
import type { Plan } from '../plan/plan.ts'
import type { Results } from '../plan/results.ts'
import type { ChartOf, Point, Row, Table } from '../report/report.ts'
import { medianValue, proportion, text } from '../report/values.ts'
import type { Certified } from '../steps/certify.ts'
import { type Method, none } from '../study/methods.ts'
import { methodRow } from './rows.ts'

export const certifyCells = (plan: Plan, method: Method, alpha: number): Cell[] =>
  plan.openSources().flatMap(({ model, data }) => plan.certify(method, plan.open(method, model, data), alpha))

interface Radii {
  readonly certified: readonly number[]
  readonly attacked: readonly number[]
  readonly reason: string | null
}

/** Texts that were not detected to begin with have no radius; a text that survived everything counts with its length. */
function radiiOf(plan: Plan, results: Results, method: Method, alpha: number): Radii {
  const parts = certifyCells(plan, method, alpha).map((c) => results.of<Certified>(c))
  const reason = method.alignment
    ? 'no certificate is given for the alignment detector'
    : (parts[0]?.reason ?? null)
  return {
    certified: parts.flatMap((part) => part.certified.flatMap((x) => (x === null ? [] : [x]))),
    attacked: parts.flatMap((part) => part.attacked.map((x) => x ?? plan.study.open.tokens)),
    reason,
  }
}

/** -1 stands for a text that was not detected: a code, which must not be averaged. */
const radius = (found: number): number => Math.max(0, found)

export function certifiedTable(plan: Plan, results: Results, alpha: number): Table {
  const range = [0, plan.study.open.tokens] as const
  const rows = plan.methods.map((method): Row => {
    const { certified, attacked, reason } = radiiOf(plan, results, method, alpha)
    const has = certified.length > 0
    const cells = {
      detected: has ? proportion(certified.filter((x) => x >= 0).length, certified.length) : null,
      any: has ? proportion(certified.filter((x) => x >= 1).length, certified.length) : null,
      certified: has ? medianValue(certified.map(radius), range) : null,
      attacked: attacked.length > 0 ? medianValue(attacked.map(radius), range) : null,
      remark: reason === null ? null : text(reason),
    }
    return methodRow(method, cells)
  })
  const empty = {
    detected: null,
    any: null,
    certified: null,
    attacked: null,
    remark: text('nothing to certify'),
  }
  return {
    id: 'certified',
    title: 'Certified and attacked radius',
    caption: `Certified: edits of any kind, by somebody who knows the key, that cannot undo the detection at ${100 * alpha}% (0 also where the text was not detected). Attacked: random replacements after which the text was first not detected.`,
    columns: [
      { id: 'detected', label: 'detected', unit: 'percent' },
      { id: 'any', label: 'certified for an edit or more', unit: 'percent', better: 'higher' },
      { id: 'certified', label: 'certified radius, median', unit: 'count', better: 'higher' },
      { id: 'attacked', label: 'attacked radius, median', unit: 'count', better: 'higher' },
      { id: 'remark', label: 'remark', unit: 'text' },
    ],
    rows: [methodRow(none, empty), ...rows],
  }
}

export function certifiedChart(plan: Plan, results: Results, alpha: number): ChartOf<'scatter'> {
  const quartiles = (values: readonly number[]) => [0.25, 0.5, 0.75].map((level) => quantile(values, level))
  const points = plan.methods.flatMap((method): Point[] => {
    const { certified, attacked } = radiiOf(plan, results, method, alpha)
    if (certified.length === 0) return []
    const [x, y] = [quartiles(certified.map(radius)), quartiles(attacked.map(radius))]
    const { label, family } = method
    return [{ label, family, x: x[1]!, y: y[1]!, xRange: [x[0]!, x[2]!], yRange: [y[0]!, y[2]!] }]
  })
  return {
    id: 'radius',
    kind: 'scatter',
    title: 'Certified against attacked radius',
    caption:
      'Medians over texts, with quartiles; 0 also where the text was not detected. Random edits need many more replacements than the certificate allows: it holds against an adversary with the key.',
    x: { label: 'certified radius (edits)' },
    y: { label: 'random replacements that undo the detection' },
    points,
  }
}
