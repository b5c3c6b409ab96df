/** The kernels in WebAssembly SIMD, compiled from assembly/. */
import { binary } from './binary.ts'
import { KernelMemory, type Numbers } from './memory.ts'
import { type Kernels, kernelsOf, type Run } from './table.ts'

export const decode = (hexadecimal: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hexadecimal.match(/../g)!, (byte) => Number.parseInt(byte, 16))

/** Compiles at once. Throws where there is no WebAssembly SIMD, or a content security policy forbids it. */
export const compile = (): WebAssembly.Module => new WebAssembly.Module(decode(binary))

/** Compiles in the background, for browsers that refuse to compile at once on their main thread. */
export const compileLater = (): Promise<WebAssembly.Module> => WebAssembly.compile(decode(binary))

/** Compiled kernels, and the memory in which their arguments are best placed. */
export interface Loaded {
  readonly kernels: Kernels
  /** The same for arrays of any length: what kernel memory cannot take goes to the plain twin. */
  readonly ofAnyLength: Kernels
  readonly memory: KernelMemory
}

export function load(module: WebAssembly.Module): Loaded {
  const memory = new KernelMemory()
  const { exports } = new WebAssembly.Instance(module, { env: { memory: memory.memory } })
  const kernels = kernelsOf('wasm', (name, { wasm }) => wasm(exports[name] as Run, memory))
  const fits = (value: Numbers | number): boolean => typeof value === 'number' || memory.takes(value)
  const ofAnyLength = kernelsOf('wasm', (name, { plain }) => {
    const [slow, fast] = [plain, kernels[name]] as ((...args: (Numbers | number)[]) => unknown)[]
    return (...args: (Numbers | number)[]) => (args.every(fits) ? fast! : slow!)(...args)
  })
  return { memory, kernels, ofAnyLength }
}
