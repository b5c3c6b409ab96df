/** The kernels that run: WebAssembly SIMD where the platform has it and allows it, plain TypeScript elsewhere. */
import { type KernelMemory, MAX_LENGTH, type Numbers } from './memory.ts'
import { type Kernels, plain } from './table.ts'
import { compile, compileLater, type Loaded, load } from './wasm.ts'

/**
 * Shorter arrays stay in TypeScript: crossing into WebAssembly costs more than a loop over a toy vocabulary, and the laws run on
 * such vocabularies millions of times.
 */
const MIN_LENGTH = 64

let loaded: Loaded | undefined
/** The kernels of this platform, once they have been asked for. */
let best: Kernels | undefined
/** Kernels that a test put to use, at every size. */
let chosen: Kernels | undefined

function start(): Kernels {
  try {
    loaded = load(compile())
  } catch {
    // no WebAssembly SIMD, a policy against it, no memory, or a browser that compiles only in the background
  }
  best = loaded?.kernels ?? plain
  return best
}

/** The kernels of this platform, compiled on first use. They take arrays of up to `MAX_LENGTH` numbers. */
export const platform = (): Kernels => best ?? start()

/** The kernels for a call whose arrays are no longer than these. */
export function active(first: Numbers, other: Numbers = first): Kernels {
  if (chosen !== undefined) return chosen
  if (first.length < MIN_LENGTH) return plain
  const kernels = platform()
  return first.length + other.length > MAX_LENGTH ? (loaded?.ofAnyLength ?? plain) : kernels
}

/** Compiles in the background where compiling at once was refused. */
export async function ready(): Promise<Kernels['kind']> {
  if (platform().kind === 'plain') {
    try {
      loaded ??= load(await compileLater())
      best = loaded.kernels
    } catch {
      // the plain kernels stay
    }
  }
  return platform().kind
}

/** Uses the given kernels at every size until the returned function is called. For tests. */
export function useKernels(kernels: Kernels): () => void {
  const before = chosen
  chosen = kernels
  return () => {
    chosen = before
  }
}

/** Runs `body` with the given kernels, at every size. For tests. */
export function withKernels<T>(kernels: Kernels, body: () => T): T {
  const restore = useKernels(kernels)
  try {
    return body()
  } finally {
    restore()
  }
}

/** The memory of the WebAssembly kernels, where there are any. */
export function kernelMemory(): KernelMemory | undefined {
  platform()
  return loaded?.memory
}
