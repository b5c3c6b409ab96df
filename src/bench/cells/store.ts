/**
 * Finished cells on disk, one file each, named by the cell's digest. Files are written whole or not at all. Several processes can
 * share a store: if two compute the same cell, the second replaces the file with identical bytes. Each file begins with a digest
 * of its cell's address and its content: an entry that is corrupt, or in the place of another, is reported and recomputed.
 * To merge two stores, copy one over the other.
 *
 * A value that cannot be written (a full disk, a folder that became read-only) is kept in memory, for the cells that build on it
 * and for the report, and written as soon as that is possible.
 *
 * A bucket (`s3://bucket/prefix`) is a second level behind such a folder; see shared-cells.ts.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { callable, text as checkText, refuseUnknown, wrongType } from '../../input.ts'
import { cannotWrite, isSpecial, list, put, sweepDrafts } from '../report/put.ts'
import { counted } from '../report/sentence.ts'
import { isBucketUrl } from './bucket/address.ts'
import { openBucket } from './bucket/bucket.ts'
import { type Cell, canonical, type Json } from './cell.ts'
import { entryName, sealed, unsealed } from './entry.ts'
import { inBucket, type SharedCells } from './shared-cells.ts'

/** Finished cells, on disk. */
export interface Store {
  /** The folder. */
  readonly path: string
  /** The cells of the bucket behind the folder, where there is one. */
  readonly bucket?: SharedCells
  /** The value of a finished cell; undefined if it is missing or corrupt. `warn` hears of corrupt entries. */
  read(cell: Cell): Json | undefined
  /** Stores a value. If it cannot be written it is kept in memory, and `warn` hears of it. */
  write(cell: Cell, value: Json): void
  has(cell: Cell): boolean
  /** Returns the place where the value of a cell is, or would be. */
  place?(cell: Cell): string
  /** Tries once more to write what could not be written; warns if that fails. */
  flush(): void
}

export interface StoreOptions {
  readonly warn?: (message: string) => void
  /** The folder in front of a bucket: by default `UWBENCH_STORE` where that is a folder, or `.uwbench`. */
  readonly folder?: string
}

/**
 * Returns the default store: the environment variable `UWBENCH_STORE`, or `.uwbench` in the working directory.
 * @example storePath({}) // '.uwbench'
 */
export function storePath(env: Readonly<Record<string, string | undefined>> = process.env): string {
  if (typeof env !== 'object' || env === null) throw wrongType('env', 'variables such as process.env', env)
  return checkText('UWBENCH_STORE', env.UWBENCH_STORE || '.uwbench')
}

function folderOf(given: string | undefined): string {
  const named = storePath()
  return given ?? (isBucketUrl(named) ? '.uwbench' : named)
}

/**
 * Opens a store and creates its folder if needed.
 * @param path a folder, or a bucket: `s3://bucket/prefix`, with the variables of AWS (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`)
 * @example
 * const store = openStore('./store')
 * const double = cell('double', { n: 3 })
 * store.write(double, 6)
 * store.read(double) // 6
 */
export function openStore(path: string = storePath(), options: StoreOptions = {}): Store {
  checkText('path', path)
  refuseUnknown('openStore', options, ['warn', 'folder'])
  const warn = options.warn ?? ((message: string) => console.warn(message))
  callable('warn', warn, 'a function of a message')
  if (isBucketUrl(path)) {
    const bucket = openBucket(path)
    const folder = openStore(checkText('folder', folderOf(options.folder)), { warn })
    return { ...folder, bucket: inBucket(folder, bucket, warn) }
  }
  const fileOf = (cell: Cell) => join(path, entryName(cell))
  // Entries known to be intact. Values are not cached: at the paper scale they take gigabytes.
  const good = new Set<string>()
  const unwritten = new Unwritten(warn)
  sweepStore(path)

  const read = (cell: Cell): Json | undefined => {
    const body = unwritten.bodyOf(cell) ?? bodyIn(fileOf(cell), cell, warn)
    if (body === undefined) return undefined
    good.add(cell.digest)
    return JSON.parse(body) as Json
  }
  const save = (cell: Cell, body: string): void => {
    try {
      mkdirSync(dirname(fileOf(cell)), { recursive: true })
    } catch (error) {
      throw cannotWrite(fileOf(cell), error)
    }
    // a FIFO in the place of an entry would take the value and keep nothing
    if (isSpecial(fileOf(cell))) rmSync(fileOf(cell))
    put(fileOf(cell), sealed(cell, body))
  }

  return {
    path,
    read,
    has: (cell) => good.has(cell.digest) || read(cell) !== undefined,
    write(cell, value) {
      unwritten.save([[cell, canonical(value, cell.label)]], save)
      good.add(cell.digest)
    },
    place: fileOf,
    flush: () => unwritten.save([], save),
  }
}

/** Reads the content of an entry; undefined where it is missing or corrupt. */
function bodyIn(file: string, cell: Cell, warn: (message: string) => void): string | undefined {
  let text: string
  try {
    // reading a FIFO would wait for a writer
    text = isSpecial(file) ? '' : readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new Error(`${file}: cannot read ${cell.label} (${message.split(',')[0]})`, { cause: error })
  }
  const body = unsealed(cell, text)
  if (body === undefined) warn(`store: corrupt entry for ${cell.label} (${file}); recomputing`)
  return body
}

/** Characters of values that are kept in memory while they cannot be written; with more, cells fail. */
const MAX_UNWRITTEN = 2 ** 28

/** Values that could not be written yet. */
class Unwritten {
  readonly #bodies = new Map<string, { cell: Cell; body: string }>()
  readonly #warn: (message: string) => void

  constructor(warn: (message: string) => void) {
    this.#warn = warn
  }

  bodyOf = (cell: Cell): string | undefined => this.#bodies.get(cell.digest)?.body

  /** Saves values, the oldest unwritten ones first; keeps those for which that fails. */
  save(values: readonly (readonly [Cell, string])[], save: (cell: Cell, body: string) => void): void {
    const before = this.#bodies.size
    for (const [cell, body] of values) this.#bodies.set(cell.digest, { cell, body })
    try {
      for (const { cell, body } of [...this.#bodies.values()]) {
        save(cell, body)
        this.#bodies.delete(cell.digest)
      }
    } catch (error) {
      const size = [...this.#bodies.values()].reduce((sum, { body }) => sum + body.length, 0)
      if (size > MAX_UNWRITTEN) {
        for (const [cell] of values) this.#bodies.delete(cell.digest)
        throw error
      }
      if (before === 0) this.#warn(`store: ${(error as Error).message}; results are kept in memory`)
      if (values.length === 0)
        this.#warn(
          `store: ${counted(this.#bodies.size, 'cell')} could not be written and will be computed again by the next run: ${(error as Error).message}`,
        )
    }
  }
}

/** Removes the drafts that killed runs left behind; returns how many. */
export function sweepStore(path: string): number {
  const cells = join(path, 'cells')
  return list(cells).reduce(
    (removed, folder) => removed + sweepDrafts(join(cells, folder)),
    sweepDrafts(path),
  )
}
