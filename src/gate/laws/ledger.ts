/** The division of the false-alarm rate of a run: equally over its sampled laws, fixed before anything is drawn. */
import { list, number, wrongType } from '../../input.ts'
import type { Law } from './law.ts'

/** A law and its share of the false-alarm rate. */
export interface LedgerEntry {
  readonly law: string
  /** 0 for laws that are checked exactly. */
  readonly falseAlarm: number
}

/**
 * The share of each law. By the union bound a correct watermark fails any of them with probability at most `falseAlarm`,
 * whichever of them are run.
 * @example ledger(allLaws, 1e-9).reduce((sum, { falseAlarm }) => sum + falseAlarm, 0) // 1e-9
 */
export function ledger(laws: readonly Law[], falseAlarm: number): LedgerEntry[] {
  number('falseAlarm', falseAlarm, 0, 1)
  const all = Array.from(list<Law>('laws', laws, 'a list of laws such as allLaws'))
  for (const [i, law] of all.entries())
    if (typeof law?.name !== 'string' || typeof law.sampled !== 'boolean')
      throw wrongType(`laws[${i}]`, 'a law of allLaws', law)
  const sampled = all.filter((law) => law.sampled).length
  return all.map(({ name, sampled: draws }) => ({ law: name, falseAlarm: draws ? falseAlarm / sampled : 0 }))
}
