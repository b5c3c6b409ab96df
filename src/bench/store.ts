/**
 * Finished cells on disk, one file each, named by the cell's digest. A file is written under a temporary name and renamed, so
 * readers never see a partial file. Several processes can share a store: if two compute the same cell, the second replaces the
 * file with identical bytes. Each file begins with the digest of its content; a corrupt entry is reported and recomputed.
 * To merge two stores, copy one over the other.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cell, Json } from './cell.ts'
import { canonical, digestOf } from './cell.ts'

/** Finished cells, on disk. */
export interface Store {
  readonly path: string
  /** The value of a finished cell; undefined if it is missing or corrupt. `warn` hears of corrupt entries. */
  read(cell: Cell): Json | undefined
  write(cell: Cell, value: Json): void
  has(cell: Cell): boolean
}

export interface StoreOptions {
  readonly warn?: (message: string) => void
}

/**
 * The default store: the environment variable `UWBENCH_STORE`, or `.uwbench` in the working directory.
 * @example storePath({}) // '.uwbench'
 */
export const storePath = (env: Readonly<Record<string, string | undefined>> = process.env): string =>
  env.UWBENCH_STORE || '.uwbench'

/**
 * Opens a store and creates its folder if needed.
 * @example
 * const store = openStore('./store')
 * const double = cell('double', { n: 3 })
 * store.write(double, 6)
 * store.read(double) // 6
 */
export function openStore(path: string = storePath(), options: StoreOptions = {}): Store {
  const warn = options.warn ?? ((message) => console.warn(message))
  const folder = (digest: string) => join(path, 'cells', digest.slice(0, 2))
  const fileOf = (cell: Cell) => join(folder(cell.digest), cell.digest)
  // Entries known to be intact. Values are not cached: at the paper scale they take gigabytes.
  const good = new Set<string>()

  const read = (cell: Cell): Json | undefined => {
    let text: string
    try {
      text = readFileSync(fileOf(cell), 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
    const body = text.slice(65)
    if (text.charAt(64) !== '\n' || digestOf(body) !== text.slice(0, 64)) {
      warn(`store: corrupt entry for ${cell.label} (${cell.digest.slice(0, 12)}); recomputing`)
      return undefined
    }
    good.add(cell.digest)
    return JSON.parse(body) as Json
  }

  return {
    path,
    read,
    has: (cell) => good.has(cell.digest) || read(cell) !== undefined,
    write(cell, value) {
      const body = canonical(value, cell.label)
      mkdirSync(folder(cell.digest), { recursive: true })
      const draft = `${fileOf(cell)}.${process.pid}-${randomUUID().slice(0, 8)}.tmp`
      writeFileSync(draft, `${digestOf(body)}\n${body}`)
      renameSync(draft, fileOf(cell))
      good.add(cell.digest)
    },
  }
}

/** Removes temporary files left behind by killed runs. */
export function sweepStore(path: string): number {
  let removed = 0
  const cells = join(path, 'cells')
  for (const folder of list(cells))
    for (const name of list(join(cells, folder))) {
      const owner = /\.(\d+)-[0-9a-f]{8}\.tmp$/.exec(name)
      if (!owner || alive(Number(owner[1]))) continue
      rmSync(join(cells, folder, name), { force: true })
      removed++
    }
  return removed
}

function list(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
