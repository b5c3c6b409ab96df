import type { Context } from './schedule.ts'

/**
 * Remembers contexts as tuples: a hash table whose entries are compared token by token, so no two different contexts are
 * ever taken for one. (A Set of numbers or strings made of the tokens is several times slower, and detection is mostly this.)
 */
export class ContextMemory {
  readonly #known: Context[] = []
  /** One more than the index of a known context; 0 where the place is free. Its length is a power of 2. */
  #table: Int32Array

  /** @param expected how many contexts to make room for */
  constructor(expected = 16) {
    this.#table = new Int32Array(roomFor(expected))
  }

  /** Forgets everything, and keeps the room: texts come by the thousand. */
  clear(expected: number): this {
    const room = roomFor(expected)
    this.#known.length = 0
    // one long text among short ones must not leave them a large table to clear
    if (this.#table.length < room || this.#table.length > 8 * room) this.#table = new Int32Array(room)
    else this.#table.fill(0)
    return this
  }

  /** Adds the context; returns whether it was added before. */
  add(context: Context): boolean {
    const size = this.#known.length
    return this.index(context) < size
  }

  /** The context's number: known contexts are numbered as they came; a new one is added. */
  index(context: Context): number {
    const at = this.#place(context)
    const entry = this.#table[at]!
    if (entry !== 0) return entry - 1
    const size = this.#known.push(context)
    this.#table[at] = size
    if (2 * size > this.#table.length) this.#grow()
    return size - 1
  }

  /** Returns the index of the context, or of the free place for it. */
  #place(context: Context): number {
    let hash = context.length
    for (let i = 0; i < context.length; i++) hash = Math.imul(hash ^ context[i]!, 0x9e3779b1)
    const last = this.#table.length - 1
    for (let at = (hash ^ (hash >>> 15)) & last; ; at = (at + 1) & last) {
      const entry = this.#table[at]!
      if (entry === 0 || same(this.#known[entry - 1]!, context)) return at
    }
  }

  #grow(): void {
    this.#table = new Int32Array(2 * this.#table.length)
    for (const [i, context] of this.#known.entries()) this.#table[this.#place(context)] = i + 1
  }
}

/** Returns the places for `expected` contexts, at most half of them taken. */
const roomFor = (expected: number): number => 2 ** Math.ceil(Math.log2(2 * Math.max(expected, 1) + 1))

function same(a: Context, b: Context): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
