/**
 * `UWBENCH_SHARD=i/n` (1-based) computes one shard of the cells; merge the results by copying the stores together. Shards are
 * assigned by digest, so machines need no coordination. A cell is in the shard of its first dependency: a text is generated and
 * scored on the same machine.
 */
import { wrongType } from '../input.ts'
import type { Cell } from './cell.ts'

/** One share of the cells: the `index`-th of `count`, from 1. */
export interface Shard {
  readonly index: number
  readonly count: number
}

/** Parses `i/n`; an empty or missing text means everything. */
export function parseShard(text: string | undefined): Shard {
  if (!text) return { index: 1, count: 1 }
  const match = /^(\d+)\/(\d+)$/.exec(text)
  const [index, count] = [Number(match?.[1]), Number(match?.[2])]
  if (!match || index < 1 || index > count)
    throw wrongType('UWBENCH_SHARD', "'i/n' with 1 <= i <= n, such as 2/3", text)
  return { index, count }
}

const anchor = (cell: Cell): Cell => (cell.needs[0] ? anchor(cell.needs[0]) : cell)

/** Whether a cell belongs to a shard. */
export const inShard = (cell: Cell, { index, count }: Shard): boolean =>
  Number.parseInt(anchor(cell).digest.slice(0, 12), 16) % count === index - 1
