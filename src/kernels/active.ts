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

/** The WebAssembly kernels themselves, without the choice by size; undefined where there are none. */
export function compiled(): Kernels | undefined {
  active()
  return loaded?.kernels
}

/** Puts the given kernels to use until the returned function is called: how tests reach a path that this platform does not take. */
export function useKernels(kernels: Kernels): () => void {
  const before = active()
  inUse = kernels
  return () => {
    inUse = before
  }
}

/** Runs `body` with the given kernels. */
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
  active()
  return loaded?.memory
}
