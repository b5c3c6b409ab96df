/** False positives on human-written text: shares of keys, text by text. */

import type { Plan } from '../plan/plan.ts'
import type { Results } from '../plan/results.ts'
import type { Value } from '../report/report.ts'
import { clusteredShare } from '../report/values.ts'
import { HUMAN_RATES, type HumanHits, type HumanInputs } from '../steps/human.ts'
import type { Method } from '../study/methods.ts'

/** Passages as they are, or several of one source joined, or the texts of a second corpus. */
export type HumanTexts = 'whole' | 'joined' | 'corpus'

interface Pairs {
  /** The share of keys that each text sets off. */
  readonly shares: readonly number[]
  /** (text, key) pairs. */
  readonly pairs: number
  /** Median length of a text, in tokens. */
  readonly lengths: readonly number[]
}

/** All pairs of a test at one rate; undefined where it was not tried. */
export function humanPairs(
  plan: Plan,
  results: Results,
  method: Method,
  kind: HumanTexts,
  rate: number,
): Pairs | undefined {
  const cells = plan.human(method, kind)
  const at = (HUMAN_RATES as readonly number[]).indexOf(rate)
  const found = cells.map((cell) => {
    const { hits, lengths } = results.of<HumanHits>(cell)
    const { keys } = cell.inputs as unknown as HumanInputs
    return { keys, lengths, hits: hits[at]! }
  })
  const shares = found.flatMap(({ hits, keys }) => hits.map((count) => count / keys))
  if (shares.length === 0) return undefined
  const pairs = found.reduce((sum, { hits, keys }) => sum + hits.length * keys, 0)
  return { shares, pairs, lengths: found.flatMap(({ lengths }) => lengths) }
}

/** The share of pairs with a p-value of at most the rate, with an interval over texts. */
export function humanFalsePositives(
  plan: Plan,
  results: Results,
  method: Method,
  kind: HumanTexts,
  rate: number,
): Value | null {
  const found = humanPairs(plan, results, method, kind, rate)
  return found ? clusteredShare(found.shares, { note: `${found.pairs} pairs of a text and a key` }) : null
}
