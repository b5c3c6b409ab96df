/**
 * Key-value caches in memory of our own. Two kinds:
 *
 * `GrowingCache` serves graphs as the hub has them: the whole past goes in, past and present come out. Two sets of buffers take
 * turns, so that no step allocates; still the graph copies the past in every step.
 *
 * `StandingCache` serves graphs rewritten by `standing.ts`: the past stays where it is and only new columns come out.
 */
import type { Slot } from './graph.ts'
import type { Ort, OrtTensor } from './runtime.ts'
import { type Floats, floats, floatTensor } from './tensor.ts'

/** What a run with `count` new columns takes and gives besides tokens and logits. */
export interface CacheRun {
  readonly feeds: Record<string, OrtTensor>
  readonly fetches: Record<string, OrtTensor>
  /** 1 for each column to attend to, row-major: first the columns of the past, then the new ones. */
  readonly mask: BigInt64Array
  /** Columns of the past as the graph sees them. */
  readonly past: number
}

export interface Cache {
  /** Before a run that appends `count` columns, of which the first `pads[row]` are padding. */
  prepare(count: number, pads: ArrayLike<number>): CacheRun
  /** After it. */
  commit(): void
  /** See `Session.select`. */
  select(rows: readonly number[]): void
}

/** Whether rows can be moved within one buffer from front to back without overwriting one that is still needed. */
const movesDown = (rows: readonly number[]): boolean => rows.every((from, to) => from >= to)

/** Rows of `stride` numbers, selected; in place where possible. */
export function selectRows(
  buffer: Floats,
  rows: readonly number[],
  stride: number,
  type: Slot['type'],
): Floats {
  if (rows.length === 0) return floats(type, 0)
  const target = movesDown(rows) ? buffer : floats(type, rows.length * stride)
  for (const [to, from] of rows.entries())
    if (target !== buffer || from !== to)
      target.set(buffer.subarray(from * stride, (from + 1) * stride), to * stride)
  return target
}

export class GrowingCache implements Cache {
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

/** Room is made for this many columns at a time; what is not used yet is masked. */
const BLOCK = 64

export class StandingCache implements Cache {
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

  /** Puts the new columns of each row behind the used ones. */
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
    for (const [i, { heads, size, type }] of this.#slots.entries()) {
      const old = this.#past[i]!
      const wide = floats(type, this.#rows * heads * room * size)
      const stride = this.#room * size
      for (let plane = 0; plane < this.#rows * heads; plane++)
        wide.set(old.subarray(plane * stride, (plane + 1) * stride), plane * room * size)
      this.#past[i] = wide
    }
    this.#room = room
  }

  select(rows: readonly number[]): void {
    for (const [i, { heads, size, type }] of this.#slots.entries())
      this.#past[i] = selectRows(this.#past[i]!, rows, heads * this.#room * size, type)
    this.#used = rows.map((row) => this.#used[row]!)
    this.#rows = rows.length
  }
}
