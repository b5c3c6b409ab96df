/**
 * A finished cell as it is kept, in a folder or in a bucket: a digest of its address and content, a line break, the content. The digest
 * binds the content to the address, so that an entry that is corrupt, or in the place of another, is noticed.
 */
import { type Cell, digestOf } from './cell.ts'

const sealOf = (cell: Cell, body: string): string => digestOf(`${cell.digest}\n${body}`)

export const sealed = (cell: Cell, body: string): string => `${sealOf(cell, body)}\n${body}`

/** Returns the content of an entry; undefined where it is corrupt. */
export function unsealed(cell: Cell, entry: string): string | undefined {
  const body = entry.slice(65)
  return entry.charAt(64) === '\n' && sealOf(cell, body) === entry.slice(0, 64) ? body : undefined
}

/** Returns the place of a cell's entry, from the root of a folder or bucket. */
export const entryName = ({ digest }: Pick<Cell, 'digest'>): string => `cells/${digest.slice(0, 2)}/${digest}`
