/**
 * Key-value caches. `ConcatCache` serves graphs as exported, `AppendCache` graphs rewritten by `append-only-graph.ts`, both in memory that we
 * own; `DeviceCache` leaves the cache in the memory of a device.
 */
import type { Slot } from './graph.ts'
import type { Ort, OrtTensor } from './runtime.ts'
import { type Floats, type FloatType, floats, floatTensor } from './tensor.ts'

/** Inputs and outputs of a run besides tokens and logits. */
export interface CacheRun {
  readonly feeds: Record<string, OrtTensor>
  /** Memory for outputs; null where the runtime chooses it. */
  readonly fetches: Record<string, OrtTensor | null>
  /** 1 for each column to attend to, row-major: first the columns of the past, then the new ones. */
  readonly mask: BigInt64Array
  /** Columns of the past as the graph sees them. */
  readonly past: number
}

export interface Cache {
  /** Prepares a run that appends `count` columns, of which the first `pads[row]` are padding. */
  prepare(count: number, pads: ArrayLike<number>): CacheRun | Promise<CacheRun>
  /** Keeps what the run returned. */
  commit(outputs: Readonly<Record<string, OrtTensor>>): void
  /** See `Session.select`. */
  select(rows: readonly number[]): void
  /** See `Session.join`; absent where the memory of two caches cannot be put together. */
  join?(other: Cache): void
}

/** Tells whether rows can be moved within one buffer from front to back without overwriting one that is still needed. */
const movesDown = (rows: readonly number[]): boolean => rows.every((from, to) => from >= to)

/** Selects rows of `stride` numbers, in place where possible. */
export function selectRows(buffer: Floats, rows: readonly number[], stride: number, type: FloatType): Floats {
  if (rows.length === 0) return floats(type, 0)
  const target = movesDown(rows) ? buffer : floats(type, rows.length * stride)
  for (const [to, from] of rows.entries())
    if (target !== buffer || from !== to)
      target.set(buffer.subarray(from * stride, (from + 1) * stride), to * stride)
  return target
}

/** Columns of a row that are copied: `columns` of them, from one place of the old memory to one of the new. */
interface Move {
  readonly values: Floats
  /** Columns of each plane of `values`. */
  readonly length: number
  readonly row: number
  readonly from: number
  readonly to: number
  readonly columns: number
}

/** Returns memory of `length` columns for each plane, with one row for each move. */
export function gathered({ heads, size, type }: Slot, moves: readonly Move[], length: number): Floats {
  const wide = floats(type, moves.length * heads * length * size)
  for (const [row, move] of moves.entries())
    for (let head = 0; head < heads; head++) {
      const start = ((move.row * heads + head) * move.length + move.from) * size
      const columns = move.values.subarray(start, start + move.columns * size)
      wide.set(columns, ((row * heads + head) * length + move.to) * size)
    }
  return wide
}

/** Columns of the past that a graph concatenates with the new ones: padding at the start of a row stays, and is masked. */
export class PaddedColumns {
  rows: number
  length = 0
  #count = 0
  #pads: number[]

  constructor(rows: number) {
    this.rows = rows
    this.#pads = Array(rows).fill(0)
  }

  /** Returns the mask of a run that appends `count` columns. */
  mask(count: number, pads: ArrayLike<number>): BigInt64Array {
    const total = this.length + count
    this.#count = count
    const mask = new BigInt64Array(this.rows * total)
    for (let row = 0; row < this.rows; row++) {
      this.#pads[row]! += pads[row]!
      mask.fill(1n, row * total + this.#pads[row]!, (row + 1) * total)
    }
    return mask
  }

  commit(): void {
    this.length += this.#count
  }

  select(rows: readonly number[]): void {
    this.#pads = rows.map((row) => this.#pads[row]!)
    this.rows = rows.length
    if (rows.length === 0) this.length = 0
  }

  /** Returns the columns of each row that are not padding. */
  used(): number[] {
    return this.#pads.map((pad) => this.length - pad)
  }

  /** Starts again with rows of these lengths, aligned on the right. */
  reset(used: readonly number[]): void {
    this.length = Math.max(0, ...used)
    this.rows = used.length
    this.#pads = used.map((columns) => this.length - columns)
  }
}

/**
 * The cache of a graph as exported: the whole past goes in, `Concat(past, new)` comes out. Two sets of buffers take turns so that
 * steps do not allocate, but the graph copies the past in every step.
 */
export class ConcatCache implements Cache {
  readonly #ort: Ort
  readonly #slots: readonly Slot[]
  readonly #columns: PaddedColumns
  #past: Floats[]
  #present: Floats[]

  constructor(ort: Ort, slots: readonly Slot[], rows: number) {
    this.#ort = ort
    this.#slots = slots
    this.#columns = new PaddedColumns(rows)
    this.#past = slots.map(({ type }) => floats(type, 0))
    this.#present = slots.map(({ type }) => floats(type, 0))
  }

  prepare(count: number, pads: ArrayLike<number>): CacheRun {
    const { rows, length } = this.#columns
    const feeds: Record<string, OrtTensor> = {}
    const fetches: Record<string, OrtTensor> = {}
    for (const [i, { input, output, heads, size, type }] of this.#slots.entries()) {
      const needed = rows * heads * (length + count) * size
      // half as much again: a cache that grows by one column is given new memory now and then, not every time
      if (this.#present[i]!.length < needed) this.#present[i] = floats(type, needed + (needed >> 1))
      feeds[input] = floatTensor(this.#ort, type, this.#past[i]!, [rows, heads, length, size])
      fetches[output] = floatTensor(this.#ort, type, this.#present[i]!, [rows, heads, length + count, size])
    }
    return { feeds, fetches, mask: this.#columns.mask(count, pads), past: length }
  }

  commit(): void {
    const past = this.#past
    this.#past = this.#present
    this.#present = past
    this.#columns.commit()
  }

  select(rows: readonly number[]): void {
    const { length } = this.#columns
    for (const [i, { heads, size, type }] of this.#slots.entries())
      this.#past[i] = selectRows(this.#past[i]!, rows, heads * length * size, type)
    this.#columns.select(rows)
  }
  /** Padding that no row needs is dropped, so a batch that texts join and leave for ever does not grow. */
  join(other: ConcatCache): void {
    const parts = [this, other].map((cache) => ({ cache, used: cache.#columns.used() }))
    const all = parts.flatMap(({ used }) => used)
    const length = Math.max(0, ...all)
    this.#past = this.#slots.map((slot, i) =>
      gathered(
        slot,
        parts.flatMap(({ cache, used }) =>
          used.map((columns, row) => ({
            values: cache.#past[i]!,
            length: cache.#columns.length,
            row,
            from: cache.#columns.length - columns,
            to: length - columns,
            columns,
          })),
        ),
        length,
      ),
    )
    this.#columns.reset(all)
    other.select([])
  }
}
