/** Theorem 1 in a small world, exactly: how many queries of one step it takes to tell a method from no watermark. */
import { queryBudget } from '../../theory/index.ts'
import { defineStep } from '../cells/step.ts'
import type { Resources } from './resources.ts'

export interface BudgetInputs {
  readonly watermark: string
  /** The step's distribution. */
  readonly p: readonly number[]
  /** Total variation to reach. */
  readonly distance: number
}

/** Null: no number of queries suffices, or none that could be computed. */
export interface Budget {
  readonly informed: number | null
  readonly blind: number | null
  /** True if both are exact, rather than from a sample of keys. */
  readonly exact: boolean
  readonly affected: number
}

export const budgetStep = defineStep<BudgetInputs, [], Budget, Resources>({
  module: import.meta.url,
  cost: () => 500,
  async run({ watermark: id, p, distance }, _, resources) {
    const watermark = await resources.watermark(id)
    const ask = (observer: 'informed' | 'blind') =>
      queryBudget(watermark, Float64Array.from(p), { observer, distance })
    const [informed, blind] = [ask('informed'), ask('blind')]
    const number = (x: number) => (Number.isFinite(x) ? x : null)
    return {
      informed: number(informed.high),
      blind: number(blind.high),
      exact: informed.exact && blind.exact,
      affected: informed.affected,
    }
  },
})
