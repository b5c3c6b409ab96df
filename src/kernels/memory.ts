/**
 * Kernel memory: one block of fixed size. It never grows, because growing would detach every view of it. Arrays allocated
 * here reach a kernel without a copy; all others are copied into a slot, and results back.
 */

/** 64 MiB, of which only what is touched takes room. */
const PAGES = 1024
/** The largest vocabulary for which there are slots; a larger one is served by the plain kernels. */
export const CAPACITY = 1 << 19
/** The most classes, and the most numbers of an alignment, for which there are slots. */
export const MOST_CLASSES = 1 << 16
export const MOST_PAIRS = 1 << 22

export type Numbers = Float64Array | Float32Array | Uint32Array | Int32Array
type Kind<T extends Numbers> = {
  new (buffer: ArrayBuffer, at: number, length: number): T
  readonly BYTES_PER_ELEMENT: number
}

/** Below this lie the constants of the compiled kernels. */
const START = 1 << 16
/** Neighbouring arrays are kept from starting at the same place of a 4 KiB page, where loads wait for unrelated stores. */
const GAP = 320

/** A view of an address, of the same kind and length as `array`. */
const viewLike = <T extends Numbers>(array: T, buffer: ArrayBuffer, at: number): T =>
  new (array.constructor as Kind<T>)(buffer, at, array.length)

export class KernelMemory {
  readonly memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES })
  readonly #buffer = this.memory.buffer
  #top = START

  /** The address of `bytes` unused bytes; undefined where there is no room. */
  take(bytes: number): number | undefined {
    const at = this.#top
    const next = at + Math.ceil(bytes / 64) * 64 + GAP
    if (next > this.#buffer.byteLength) return undefined
    this.#top = next
    return at
  }

  /** The address of a scratch area. */
  slot(bytes: number): number {
    const at = this.take(bytes)
    if (at === undefined) throw new RangeError(`kernel memory: no room for a slot of ${bytes} bytes`)
    return at
  }

  /** A new array in this memory; undefined where there is no room. */
  array<T extends Numbers>(kind: Kind<T>, length: number): T | undefined {
    const at = this.take(length * kind.BYTES_PER_ELEMENT)
    return at === undefined ? undefined : new kind(this.#buffer, at, length)
  }

  /** A view of a slot. */
  int32At(slot: number, length: number): Int32Array {
    return new Int32Array(this.#buffer, slot, length)
  }

  float64At(slot: number, length: number): Float64Array {
    return new Float64Array(this.#buffer, slot, length)
  }

  /** Copies an array into a slot. */
  write(array: Numbers, slot: number): void {
    viewLike(array, this.#buffer, slot).set(array)
  }

  /** The address of an input: its own, or that of a copy in a slot. */
  input(array: Numbers, slot: number): number {
    if (array.buffer === this.#buffer) return array.byteOffset
    this.write(array, slot)
    return slot
  }

  /** The address where a kernel is to write an output: its own, or a slot. */
  output(array: Numbers, slot: number): number {
    return array.buffer === this.#buffer ? array.byteOffset : slot
  }

  /** Copies an output out of its slot, if that is where the kernel wrote it. */
  collect(array: Numbers, slot: number): void {
    if (array.buffer !== this.#buffer) array.set(viewLike(array, this.#buffer, slot))
  }
}
