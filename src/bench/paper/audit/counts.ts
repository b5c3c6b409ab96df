/**
 * The number of texts behind a rate. A percentage printed with two decimals is k/n for an integer k, which few n
 * can give (the GRIM test of Brown and Heathers, 2017). Tables 4 to 6 share their texts, so the three rates of
 * one method under one attack share n.
 */
import type { Figure } from '../figure.ts'
import { type Method, methods } from '../methods.ts'
import { type Attack, attacks } from '../scores.ts'
import { rowFor } from '../table.ts'
import type { Tables } from '../tables/index.ts'

interface CountCell {
  readonly method: Method
  readonly attack: Attack
  /** Numbers of texts up to 1000 that can give all three rates. */
  readonly possible: readonly number[]
}

export interface CountAudit {
  readonly cells: readonly CountCell[]
  /** Cells that 1000 texts, the number the text gives for its experiments, can explain. */
  readonly with1000: number
  /** The number of texts that explains most cells, and how many. */
  readonly best: { readonly texts: number; readonly cells: number }
}

/** Tells whether some k/n is printed as this figure. */
export function canBe(figure: Figure, n: number): boolean {
  const k = Math.round(figure.value * n)
  return Math.abs(k / n - figure.value) <= figure.halfUnit * (1 + 1e-9)
}

const most = 1000
/** Below this many texts some two-decimal percentages fit by accident too often to say anything. */
const fewest = 500

/** The numbers of texts that each method's rates under each attack allow. */
export function auditCounts({ attackedAt5, attackedAt1, attackedAt01 }: Tables): CountAudit {
  const sizes = Array.from({ length: most - fewest + 1 }, (_, i) => fewest + i)
  const cells = methods.flatMap((method) =>
    attacks.map((attack): CountCell => {
      const rates = [attackedAt5, attackedAt1, attackedAt01].map(
        (table) => rowFor(table, method).figures[attack],
      )
      return { method, attack, possible: sizes.filter((n) => rates.every((rate) => canBe(rate, n))) }
    }),
  )
  const explained = (n: number): number => cells.filter((cell) => cell.possible.includes(n)).length
  const texts = sizes.reduce((best, n) => (explained(n) > explained(best) ? n : best), fewest)
  return { cells, with1000: explained(1000), best: { texts, cells: explained(texts) } }
}
