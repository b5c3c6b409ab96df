/** One method under several names, or one parameter under several letters. */
import { type Row, rows } from '../methods.ts'
import type { Tables } from '../tables/index.ts'

export interface NameDifference {
  readonly method: Row
  /** Spelling -> the tables that use it. */
  readonly names: Readonly<Record<string, readonly number[]>>
}

/** Every row that is not printed the same everywhere. */
export const auditNames = (tables: Tables): NameDifference[] =>
  rows.flatMap((method): NameDifference[] => {
    const names: Record<string, number[]> = {}
    for (const table of Object.values(tables))
      for (const row of table.rows)
        if (row.method === method) names[row.name] = [...(names[row.name] ?? []), table.number]
    return Object.keys(names).length > 1 ? [{ method, names }] : []
  })

/** Parameters that the setup section of the text gives otherwise than the tables do; transcribed. */
export const setupDifferences: readonly string[] = [
  'MCmark: the setup writes the number of lists as l, the tables as n.',
  'DiPmark: the setup lists alpha 0.3 and 0.4; table 7 has a row alpha = 0.5, which the other tables call γ-reweight.',
  'SynthID: the setup gives m = 20 layers; no table names the parameter.',
  'STA: the setup gives no parameter; tables 1 to 3 say STA-1, tables 4 to 7 STA(γ=0.5).',
  'EXP-Edit, ITS-Edit: no key length or block length is given anywhere; table 7 drops "-Edit".',
]
