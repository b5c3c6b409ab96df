/**
 * `UWBENCH_SHARD=i/n` (1-based) computes one share of the cells; copying the stores together merges them. Shares go by digest,
 * so every machine agrees without talking. A cell follows the first cell it builds on: a text is generated and
 * scored in one place.
 */
import { wrongType } from '../input.ts'
import type { Cell } from './cell.ts'

/** One share of the cells: the `index`-th of `count`, from 1. */
export interface Shard {
  readonly index: number
  readonly count: number
}

/** Reads `i/n`; the whole work for an empty or missing text. */
export function parseShard(text: string | undefined): Shard {
  if (!text) return { index: 1, count: 1 }
  const match = /^(\d+)\/(\d+)$/.exec(text)
  const [index, count] = [Number(match?.[1]), Number(match?.[2])]
  if (!match || index < 1 || index > count)
    throw wrongType('UWBENCH_SHARD', "'i/n' with 1 <= i <= n, such as 2/3", text)
  return { index, count }
}

const anchor = (cell: Cell): Cell => (cell.needs[0] ? anchor(cell.needs[0]) : cell)

/** Whether a cell belongs to a share. */
export const inShard = (cell: Cell, { index, count }: Shard): boolean =>
  Number.parseInt(anchor(cell).digest.slice(0, 12), 16) % count === index - 1
