/**
 * Finished cells that several machines share: in a folder that all of them see, or in a bucket behind the folder of each. A cell that is
 * missing in the folder is looked for in the bucket, and what is computed is put into both. Entries have the same names and contents in
 * both, so programs that copy a bucket to a folder merge stores.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { counted } from '../report/sentence.ts'
import type { Bucket } from './bucket/bucket.ts'
import { limiter } from './bucket/limiter.ts'
import { type Cell, canonical, type Json } from './cell.ts'
import { entryName, sealed, unsealed } from './entry.ts'
import type { Store } from './store.ts'

/** The name of the file that holds the identity of a store. */
const ID = 'store-id'

/** Returns the identity of the store in a folder, by which a worker knows that its folder is the submitter's; makes one where it is missing. */
function storeId(path: string): string {
  mkdirSync(path, { recursive: true })
  const file = join(path, ID)
  try {
    writeFileSync(file, randomUUID(), { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(file, 'utf8')
}

/** Cells that machines share, in a folder or in a bucket. */
export interface SharedCells {
  /** By which a machine knows that another shares the same cells. Fails where it may not write. */
  id(): Promise<string>
  /** Brings this machine's copies of cells and the shared ones to the same state, before anything is computed. */
  level(cells: readonly Cell[]): Promise<void>
  /** The value of a finished cell; undefined if it is missing or corrupt. */
  read(cell: Cell): Promise<Json | undefined>
  /** Shares a value; this machine keeps it also where that fails. */
  write(cell: Cell, value: Json): Promise<void>
}

/** Returns the cells of a store as others see them. */
export const sharedCells = (store: Store): SharedCells => store.bucket ?? inFolder(store)

const inFolder = (store: Store): SharedCells => ({
  id: async () => storeId(store.path),
  level: async () => {},
  read: async (cell) => store.read(cell),
  write: async (cell, value) => {
    if (!store.has(cell)) store.write(cell, value)
  },
})

/** Cells that are copied at a time. */
const MAX_COPIES = 16

/** Cells in a bucket behind the folder of a store. */
export function inBucket(store: Store, bucket: Bucket, warn: (message: string) => void): SharedCells {
  /** Addresses of cells that are known to be in the bucket. */
  const there = new Set<string>()

  const fetched = async (cell: Cell): Promise<Json | undefined> => {
    const entry = await bucket.get(entryName(cell))
    const body = entry === undefined ? undefined : unsealed(cell, entry)
    if (entry !== undefined && body === undefined)
      warn(`store: corrupt entry for ${cell.label} (${bucket.url}/${entryName(cell)}); recomputing`)
    if (body === undefined) return undefined
    const value = JSON.parse(body) as Json
    store.write(cell, value)
    there.add(cell.digest)
    return value
  }
  const publish = async (cell: Cell, value: Json): Promise<void> => {
    if (there.has(cell.digest)) return
    await bucket.put(entryName(cell), sealed(cell, canonical(value, cell.label)))
    there.add(cell.digest)
  }

  return {
    async id() {
      const known = await bucket.get(ID)
      // written again, it shows before anything is computed whether this machine may write
      await bucket.put(ID, known ?? randomUUID(), { isNew: known === undefined })
      return known ?? (await bucket.get(ID))!
    },
    async level(cells) {
      const names = new Set(await bucket.list('cells/'))
      const turn = limiter(MAX_COPIES)
      const copy = async (cell: Cell): Promise<void> => {
        const isThere = names.has(entryName(cell))
        if (!store.has(cell)) {
          if (isThere) await fetched(cell)
        } else if (isThere) there.add(cell.digest)
        else await publish(cell, store.read(cell)!)
      }
      await Promise.all(cells.map((cell) => turn(() => copy(cell))))
    },
    read: async (cell) => store.read(cell) ?? fetched(cell),
    async write(cell, value) {
      if (!store.has(cell)) store.write(cell, value)
      await publish(cell, value)
    },
  }
}

/** Shares the values of a run as they come. What cannot be shared is tried once more at the end. */
export function sharing(store: Store, warn: (message: string) => void) {
  const shared = sharedCells(store)
  const behind: Cell[] = []
  return {
    async write(cell: Cell, value: Json): Promise<void> {
      try {
        await shared.write(cell, value)
      } catch (error) {
        if (!store.has(cell)) throw error
        if (behind.length === 0) warn(`store: ${(error as Error).message}; results are kept in ${store.path}`)
        behind.push(cell)
      }
    },
    /** Throws where some values are on this machine only. */
    async finish(): Promise<void> {
      for (; behind.length > 0; behind.shift())
        await shared.write(behind[0]!, store.read(behind[0]!)!).catch((error: Error) => {
          const left = counted(behind.length, 'finished cell')
          throw new Error(`${error.message}; ${left} only in ${store.path}: rerun the command to upload`)
        })
    },
  }
}
