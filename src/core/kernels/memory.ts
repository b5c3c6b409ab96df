/**
 * Kernel memory: one block of fixed size. It never grows, because growing would detach every view of it. Arrays allocated here
 * reach a kernel without a copy. Any other argument is copied into a slot, and a result out of it.
 */

/** 64 MiB, of which only what is touched takes room. */
const PAGES = 1024
/** The constants of the compiled kernels lie below this. */
const START = 1 << 16
/** A slot for each array that a kernel takes, by its place among them. */
const SLOTS = 4
/** The most numbers that a slot can hold. */
export const MAX_LENGTH = 1 << 20
/** Neighbouring arrays are kept from starting at the same place of a 4 KiB page, where loads wait for unrelated stores. */
const GAP = 320

export type Numbers = Float64Array | Float32Array | Uint32Array | Int32Array
/** The constructor of a typed array. */
export type ArrayKind<T extends Numbers> = {
  new (length: number): T
  new (buffer: ArrayBuffer, at: number, length: number): T
  readonly BYTES_PER_ELEMENT: number
}

/** The address of a slot. */
const addressOf = (slot: number): number => START + slot * (8 * MAX_LENGTH + GAP)

export class KernelMemory {
  readonly memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES })
  readonly #buffer = this.memory.buffer
  #top = addressOf(SLOTS)

  /** A new array in this memory; undefined where there is no room. */
  array<T extends Numbers>(kind: ArrayKind<T>, length: number): T | undefined {
    const at = this.#top
    // kernels may read past an array's end, by less than the gap
    const next = at + Math.ceil((length * kind.BYTES_PER_ELEMENT) / 64) * 64 + GAP
    if (next > this.#buffer.byteLength) return undefined
    this.#top = next
    return new kind(this.#buffer, at, length)
  }

  /** Returns whether a kernel can be given an array: it lies here, or fits a slot. */
  takes(array: Numbers): boolean {
    return array.buffer === this.#buffer || array.length <= MAX_LENGTH
  }

  /** The address of an array that a kernel reads: its own, or that of a copy in a slot. */
  at(array: Numbers, slot: number): number {
    if (array.buffer === this.#buffer) return array.byteOffset
    this.#view(array, slot).set(array)
    return addressOf(slot)
  }

  /** The address at which a kernel writes an array: its own, or a slot. */
  to(array: Numbers, slot: number): number {
    return array.buffer === this.#buffer ? array.byteOffset : addressOf(slot)
  }

  /** Copies an array out of its slot, if that is where the kernel wrote it. Passes the kernel's result on. */
  back(array: Numbers, slot: number, result: number): number {
    if (array.buffer !== this.#buffer) array.set(this.#view(array, slot))
    return result
  }

  /** A view of a slot, of the same kind and length as an array. */
  #view<T extends Numbers>(array: T, slot: number): T {
    return new (array.constructor as ArrayKind<T>)(this.#buffer, addressOf(slot), array.length)
  }
}
