/**
 * The cache of a graph as exported: the whole past goes in, `Concat(past, new)` comes out. Two sets of buffers take turns so that
 * steps do not allocate, but the graph copies the past in every step.
 */
import { type Cache, type CacheRun, selectRows } from './cache.ts'
import type { Slot } from './graph.ts'
import type { Ort, OrtTensor } from './runtime.ts'
import { type Floats, floats, floatTensor } from './tensor.ts'

export class ConcatCache implements Cache {
  readonly #ort: Ort
  readonly #slots: readonly Slot[]
  #rows: number
  #length = 0
  #count = 0
  /** Padding columns at the start of each row. */
  #pads: number[]
  #past: Floats[]
  #present: Floats[]

  constructor(ort: Ort, slots: readonly Slot[], rows: number) {
    this.#ort = ort
    this.#slots = slots
    this.#rows = rows
    this.#pads = Array(rows).fill(0)
    this.#past = slots.map(({ type }) => floats(type, 0))
    this.#present = slots.map(({ type }) => floats(type, 0))
  }

  prepare(count: number, pads: ArrayLike<number>): CacheRun {
    const total = this.#length + count
    this.#count = count
    for (let row = 0; row < this.#rows; row++) this.#pads[row]! += pads[row]!
    const feeds: Record<string, OrtTensor> = {}
    const fetches: Record<string, OrtTensor> = {}
    for (const [i, { input, output, heads, size, type }] of this.#slots.entries()) {
      const needed = this.#rows * heads * total * size
      // half as much again: a cache that grows by one column is given new memory now and then, not every time
      if (this.#present[i]!.length < needed) this.#present[i] = floats(type, needed + (needed >> 1))
      feeds[input] = floatTensor(this.#ort, type, this.#past[i]!, [this.#rows, heads, this.#length, size])
      fetches[output] = floatTensor(this.#ort, type, this.#present[i]!, [this.#rows, heads, total, size])
    }
    const mask = new BigInt64Array(this.#rows * total)
    for (let row = 0; row < this.#rows; row++)
      mask.fill(1n, row * total + this.#pads[row]!, (row + 1) * total)
    return { feeds, fetches, mask, past: this.#length }
  }

  commit(): void {
    const past = this.#past
    this.#past = this.#present
    this.#present = past
    this.#length += this.#count
  }

  select(rows: readonly number[]): void {
    for (const [i, { heads, size, type }] of this.#slots.entries())
      this.#past[i] = selectRows(this.#past[i]!, rows, heads * this.#length * size, type)
    this.#pads = rows.map((row) => this.#pads[row]!)
    this.#rows = rows.length
  }
}
