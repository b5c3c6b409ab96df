/**
 * The loops that cost the time, compiled where possible (see table.ts). Methods call functions of this room and never mention
 * WebAssembly. `kernels` is for users who want to know what runs, or where to place their arrays.
 */
import { kernelMemory, platform, ready } from './active.ts'

/** Written out: declarations of the table are for newer compilers than those of our users. */
type Kind = 'wasm' | 'plain'

/**
 * What runs, and arrays in its memory. A `p` and `q` made here reach the kernels without a copy; any others work as well.
 * @example
 * kernels.kind // 'wasm': or 'plain' where WebAssembly SIMD is missing or forbidden
 * const p = kernels.float64(50257) // allocate once, use for every position
 * p.length // 50257
 */
export const kernels = {
  /** 'wasm': WebAssembly SIMD. 'plain': TypeScript, with the same results to rounding. */
  get kind(): Kind {
    return platform().kind
  },
  /**
   * Resolves to the kind once kernels were compiled in the background: some browsers refuse to compile at once on their main
   * thread. Nothing need wait for this; until then the plain kernels run.
   */
  ready: (): Promise<Kind> => ready(),
  /** A new Float64Array, in kernel memory while there is room there. It is never freed: allocate once and reuse. */
  float64: (length: number): Float64Array =>
    kernelMemory()?.array(Float64Array<ArrayBuffer>, length) ?? new Float64Array(length),
  /** A new Float32Array, likewise. */
  float32: (length: number): Float32Array =>
    kernelMemory()?.array(Float32Array<ArrayBuffer>, length) ?? new Float32Array(length),
  /** A new Uint32Array, likewise. */
  uint32: (length: number): Uint32Array =>
    kernelMemory()?.array(Uint32Array<ArrayBuffer>, length) ?? new Uint32Array(length),
  /** A new Int32Array, likewise. */
  int32: (length: number): Int32Array =>
    kernelMemory()?.array(Int32Array<ArrayBuffer>, length) ?? new Int32Array(length),
}
