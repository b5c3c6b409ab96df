/** Which kernels run: WebAssembly SIMD where the platform has it and allows it, plain TypeScript elsewhere. */
import { bySize } from './by-size.ts'
import type { Kernels } from './kernels.ts'
import type { KernelMemory } from './memory.ts'
import { plain } from './plain.ts'
import { compile, compileLater, type Loaded, load } from './wasm.ts'

let loaded: Loaded | undefined
let inUse: Kernels | undefined

function start(): Kernels {
  try {
    loaded = load(compile())
  } catch {
    // no WebAssembly SIMD, a policy against it, no memory, or a browser that compiles only in the background
  }
  inUse = loaded === undefined ? plain : bySize(loaded.kernels)
  return inUse
}

/** The kernels in use; compiled when first asked for. */
export const active = (): Kernels => inUse ?? start()

/** Compiles in the background where that could not be done at once. */
export async function ready(): Promise<Kernels['kind']> {
  if (active().kind === 'plain') {
    try {
      loaded ??= load(await compileLater())
      inUse = bySize(loaded.kernels)
    } catch {
      // the plain kernels stay
    }
  }
  return active().kind
}

/** Runs `body` with the given kernels: how tests reach the plain path on a platform that has the fast one. */
export function withKernels<T>(use: Kernels, body: () => T): T {
  const before = active()
  inUse = use
  try {
    return body()
  } finally {
    inUse = before
  }
}

/** The memory of the WebAssembly kernels, where there are any. */
export function kernelMemory(): KernelMemory | undefined {
  active()
  return loaded?.memory
}
