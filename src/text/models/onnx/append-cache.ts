/** The cache of a graph rewritten by `append-only-graph.ts`: new columns are appended, the past stays where it is. */
import { type Cache, type CacheRun, gathered, selectRows } from './cache.ts'
import type { Slot } from './graph.ts'
import type { Ort, OrtTensor } from './runtime.ts'
import { type Floats, floats, floatTensor } from './tensor.ts'

/** Columns are allocated in blocks of this many; unused ones are masked. */
const BLOCK = 64

export class AppendCache implements Cache {
  readonly #ort: Ort
  readonly #slots: readonly Slot[]
  #rows: number
  #room = 0
  #count = 0
  /** Columns used in each row; padding is not kept. */
  #used: number[]
  #pads: ArrayLike<number> = []
  #past: Floats[]
  #fresh: Floats[]

  constructor(ort: Ort, slots: readonly Slot[], rows: number) {
    this.#ort = ort
    this.#slots = slots
    this.#rows = rows
    this.#used = Array(rows).fill(0)
    this.#past = slots.map(({ type }) => floats(type, 0))
    this.#fresh = slots.map(({ type }) => floats(type, 0))
  }

  prepare(count: number, pads: ArrayLike<number>): CacheRun {
    this.#count = count
    this.#pads = pads
    const feeds: Record<string, OrtTensor> = {}
    const fetches: Record<string, OrtTensor> = {}
    for (const [i, { input, output, heads, size, type }] of this.#slots.entries()) {
      const needed = this.#rows * heads * count * size
      if (this.#fresh[i]!.length < needed) this.#fresh[i] = floats(type, needed)
      feeds[input] = floatTensor(this.#ort, type, this.#past[i]!, [this.#rows, heads, this.#room, size])
      fetches[output] = floatTensor(this.#ort, type, this.#fresh[i]!, [this.#rows, heads, count, size])
    }
    const total = this.#room + count
    const mask = new BigInt64Array(this.#rows * total)
    for (let row = 0; row < this.#rows; row++) {
      mask.fill(1n, row * total, row * total + this.#used[row]!)
      mask.fill(1n, row * total + this.#room + pads[row]!, (row + 1) * total)
    }
    return { feeds, fetches, mask, past: this.#room }
  }

  commit(): void {
    const longest = this.#used.reduce(
      (most, used, row) => Math.max(most, used + this.#count - this.#pads[row]!),
      0,
    )
    if (longest > this.#room) this.#grow(Math.ceil((longest + 1) / BLOCK) * BLOCK)
    for (const [i, { heads, size }] of this.#slots.entries())
      this.#append(this.#past[i]!, this.#fresh[i]!, heads, size)
    for (let row = 0; row < this.#rows; row++) this.#used[row]! += this.#count - this.#pads[row]!
  }

  /** Copies the new columns of each row behind the used ones. */
  #append(past: Floats, fresh: Floats, heads: number, size: number): void {
    for (let row = 0; row < this.#rows; row++) {
      const pad = this.#pads[row]!
      const used = this.#used[row]!
      for (let plane = row * heads; plane < (row + 1) * heads; plane++) {
        const start = plane * this.#count * size
        const columns = fresh.subarray(start + pad * size, start + this.#count * size)
        past.set(columns, (plane * this.#room + used) * size)
      }
    }
  }

  #grow(room: number): void {
    this.#rebuild([this], room)
    this.#room = room
  }

  /** Copies the used columns of all rows of some caches into memory with room for more. */
  #rebuild(caches: readonly AppendCache[], room: number): void {
    this.#past = this.#slots.map((slot, i) =>
      gathered(
        slot,
        caches.flatMap((cache) =>
          cache.#used.map((columns, row) => ({
            ...{ values: cache.#past[i]!, length: cache.#room, row },
            ...{ from: 0, to: 0, columns },
          })),
        ),
        room,
      ),
    )
  }

  select(rows: readonly number[]): void {
    for (const [i, { heads, size, type }] of this.#slots.entries())
      this.#past[i] = selectRows(this.#past[i]!, rows, heads * this.#room * size, type)
    this.#used = rows.map((row) => this.#used[row]!)
    this.#rows = rows.length
  }
  join(other: AppendCache): void {
    const longest = Math.max(0, ...this.#used, ...other.#used)
    const room = Math.ceil((longest + 1) / BLOCK) * BLOCK
    this.#rebuild([this, other], room)
    this.#room = room
    this.#used.push(...other.#used)
    this.#rows += other.#rows
    other.select([])
  }
}
