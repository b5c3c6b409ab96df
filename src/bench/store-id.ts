/** The identity of a store, by which a worker knows that its folder is the submitter's. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const fileOf = (path: string): string => join(path, 'store-id')

/** The identity of the store in a folder, which gets one if it has none. */
export function storeId(path: string): string {
  mkdirSync(path, { recursive: true })
  try {
    writeFileSync(fileOf(path), randomUUID(), { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(fileOf(path), 'utf8')
}
