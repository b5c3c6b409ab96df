/**
 * Texts of a slow model, kept in the repository: one compressed file per cell, so that what several runs and machines wrote adds up by copying
 * files together. Their addresses leave out the code that wrote them, whose edits would make hours of work worthless: a study names a
 * version instead, which is raised by hand when texts have to be written anew. Everything that is computed from them has ordinary
 * addresses and is kept by the store alone, so the present code always does the detection.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { type Cell, canonical, type Json } from '../cells/cell.ts'
import { rewrites } from '../cells/estimate.ts'
import type { Store } from '../cells/store.ts'
import { put } from '../report/put.ts'
import type { Study } from '../study/study.ts'
import { keyOf } from './data.ts'

const isWritten = (cell: Cell): boolean => cell.step === 'generate' || rewrites(cell)

/** `kgw-delta-2/001-002-0123456789ab.json.br`; a rewritten text has the watermark of its first version. */
function nameOf(cell: Cell): string {
  const { watermark, from, to } = (cell.needs[0] ?? cell).inputs
  const method = String(watermark ?? 'unwatermarked').replace(/[^\w.]+/g, '-')
  const range = [Number(from) + 1, to].map((n) => String(n).padStart(3, '0')).join('-')
  const kind = cell.step === 'generate' ? '' : 'rewritten-'
  return join(method.replace(/-$/, ''), `${range}-${kind}${keyOf(cell).slice(0, 12)}.json.br`)
}

/** Returns the store with the kept texts of a study in front of it; the store itself where the study keeps none. */
export function withKept(store: Store, { kept }: Study, warn: (message: string) => void): Store {
  if (kept === undefined) return store
  const { folder, version } = kept
  const fileOf = (cell: Cell): string => join(folder, nameOf(cell))

  const keptValue = (cell: Cell): Json | undefined => {
    const file = fileOf(cell)
    if (!existsSync(file)) return undefined
    try {
      const line = JSON.parse(brotliDecompressSync(readFileSync(file)).toString('utf8')) as Record<
        string,
        Json
      >
      return line.key === keyOf(cell) && line.version === version ? line.value : undefined
    } catch {
      warn(`corrupt entry for ${cell.label} (${file}); recomputing`)
      return undefined
    }
  }
  const keep = (cell: Cell, value: Json): void => {
    const line = { key: keyOf(cell), version, label: cell.label, inputs: cell.inputs, value }
    mkdirSync(dirname(fileOf(cell)), { recursive: true })
    put(fileOf(cell), brotliCompressSync(canonical(line)))
  }
  const read = (cell: Cell): Json | undefined => {
    if (!isWritten(cell)) return store.read(cell)
    const found = keptValue(cell)
    if (found !== undefined) return found
    const own = store.read(cell)
    if (own !== undefined) keep(cell, own)
    return own
  }
  return {
    ...store,
    read,
    has: (cell) => (isWritten(cell) ? read(cell) !== undefined : store.has(cell)),
    write(cell, value) {
      store.write(cell, value)
      if (isWritten(cell)) keep(cell, value)
    },
  }
}
