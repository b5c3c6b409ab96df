/** The kernels in WebAssembly SIMD, compiled from assembly/. */
import { binary } from './binary.ts'
import { KernelMemory } from './memory.ts'
import { type Kernels, kernelsOf, type Run } from './table.ts'

const decode = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

/** Compiles at once. Throws where there is no WebAssembly SIMD, or a content security policy forbids it. */
export const compile = (): WebAssembly.Module => new WebAssembly.Module(decode(binary))

/** Compiles in the background, for browsers that refuse to compile at once on their main thread. */
export const compileLater = (): Promise<WebAssembly.Module> => WebAssembly.compile(decode(binary))

/** Compiled kernels, and the memory in which their arguments are best placed. */
export interface Loaded {
  readonly kernels: Kernels
  readonly memory: KernelMemory
}

export function load(module: WebAssembly.Module): Loaded {
  const memory = new KernelMemory()
  const { exports } = new WebAssembly.Instance(module, { env: { memory: memory.memory } })
  return { memory, kernels: kernelsOf('wasm', (name, { wasm }) => wasm(exports[name] as Run, memory)) }
}
