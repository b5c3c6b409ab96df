/**
 * Orders that the rates must obey: TPR rises with the false-positive rate allowed; an attack does not help
 * detection; replacing fewer tokens does not hurt it.
 */
import type { Figure } from '../figure.ts'
import { type Method, methods } from '../methods.ts'
import { type Attack, attacks } from '../scores.ts'
import { rowFor } from '../table.ts'
import type { Tables } from '../tables/index.ts'

interface OrderViolation {
  readonly method: Method
  /** The rate that should be at most `large`. */
  readonly small: { readonly what: string; readonly printed: string }
  readonly large: { readonly what: string; readonly printed: string }
  /** small - large as a fraction. */
  readonly excess: number
  /**
   * Hoeffding: the chance of this excess, or a larger one, if the two rates were equal and each was measured
   * on 960 independent texts; exp(-960 excess^2).
   */
  readonly chance: number
}

export interface OrderCheck {
  readonly statement: string
  readonly comparisons: number
  readonly violations: readonly OrderViolation[]
}

interface Rate {
  readonly what: string
  readonly figure: Figure
}

type Pair = readonly [Method, small: Rate, large: Rate]

/** Texts behind a rate of tables 4 to 6, where one number can be found that fits a whole row. */
const texts = 960

function compare(statement: string, pairs: readonly Pair[]): OrderCheck {
  const violations = pairs.flatMap(([method, small, large]): OrderViolation[] => {
    const excess = small.figure.value - large.figure.value
    // two printed rates that round to the same digit may be in either order
    if (excess <= small.figure.halfUnit + large.figure.halfUnit) return []
    const show = ({ what, figure }: Rate) => ({ what, printed: figure.printed })
    const chance = Math.exp(-texts * excess ** 2)
    return [{ method, small: show(small), large: show(large), excess, chance }]
  })
  return { statement, comparisons: pairs.length, violations }
}

const steps = <T>(list: readonly T[]): [T, T][] => list.slice(1).map((next, i) => [list[i]!, next])

/** All order checks over tables 3 to 6. */
export function auditOrders({ detection, attackedAt01, attackedAt1, attackedAt5 }: Tables): OrderCheck[] {
  const levels = [
    { fpr: '0.1%', table: attackedAt01 },
    { fpr: '1%', table: attackedAt1 },
    { fpr: '5%', table: attackedAt5 },
  ] as const
  type Level = (typeof levels)[number]
  const clean = (method: Method, { fpr }: Level): Rate => ({
    what: `no attack at ${fpr}`,
    figure: rowFor(detection, method).figures[`TPR at ${fpr}`],
  })
  const attacked = (method: Method, { fpr, table }: Level, attack: Attack): Rate => ({
    what: `${attack} at ${fpr}`,
    figure: rowFor(table, method).figures[attack],
  })
  const overAttacks = (pair: (m: Method, attack: Attack) => Pair[]): Pair[] =>
    methods.flatMap((m) => attacks.flatMap((attack) => pair(m, attack)))
  const overLevels = (pair: (m: Method, level: Level) => Pair[]): Pair[] =>
    methods.flatMap((m) => levels.flatMap((level) => pair(m, level)))
  return [
    compare(
      'TPR without attack rises with the false-positive rate (table 3)',
      methods.flatMap((m) => steps(levels).map(([a, b]): Pair => [m, clean(m, a), clean(m, b)])),
    ),
    compare(
      'TPR under attack rises with the false-positive rate (tables 4 to 6)',
      overAttacks((m, attack) =>
        steps(levels).map(([a, b]) => [m, attacked(m, a, attack), attacked(m, b, attack)]),
      ),
    ),
    compare(
      'TPR rises from DIPPER to Random 30%, 20%, 10% (tables 4 to 6)',
      overLevels((m, level) =>
        steps(attacks).map(([a, b]) => [m, attacked(m, level, a), attacked(m, level, b)]),
      ),
    ),
    compare(
      'TPR under attack is at most TPR without (tables 4 to 6 against table 3)',
      overLevels((m, level) => attacks.map((attack) => [m, attacked(m, level, attack), clean(m, level)])),
    ),
  ]
}
