/**
 * The loops that cost the time, compiled where possible (see table.ts). Methods call functions of this room and never mention
 * WebAssembly. `kernels` says what runs, and allocates arrays.
 */
import { kernelMemory, platform, ready } from './active.ts'
import type { ArrayKind, Numbers } from './memory.ts'

type Kind = 'wasm' | 'plain'

/** Makes a function that allocates arrays of a type, in kernel memory while there is room there. */
const allocator =
  <T extends Numbers>(kind: ArrayKind<T>) =>
  (length: number): T =>
    kernelMemory()?.array(kind, length) ?? new kind(length)

/** The kernels that run, and arrays in their memory. Written out: inferred types are for newer compilers than those of our users. */
interface Kernels {
  /** 'wasm': WebAssembly SIMD. 'plain': TypeScript, with the same results to rounding. */
  readonly kind: Kind
  /**
   * Resolves to the kind once kernels were compiled in the background: some browsers refuse to compile at once on their main
   * thread. Nothing need wait for this; until then the plain kernels run.
   */
  ready(): Promise<Kind>
  /** A new Float64Array, in kernel memory while there is room there. It is never freed: allocate once and reuse. */
  float64(length: number): Float64Array
  /** A new Float32Array, likewise. */
  float32(length: number): Float32Array
  /** A new Uint32Array, likewise. */
  uint32(length: number): Uint32Array
  /** A new Int32Array, likewise. */
  int32(length: number): Int32Array
}

/**
 * The kernels that run, and arrays in their memory. A `p` and `q` made here reach the kernels without a copy; any others work as well.
 * @example
 * kernels.kind // 'wasm': or 'plain' where WebAssembly SIMD is missing or forbidden
 * const p = kernels.float64(50257) // allocate once, use for every position
 * p.length // 50257
 */
export const kernels: Kernels = {
  get kind() {
    return platform().kind
  },
  ready,
  float64: allocator(Float64Array),
  float32: allocator(Float32Array),
  uint32: allocator(Uint32Array),
  int32: allocator(Int32Array),
}
