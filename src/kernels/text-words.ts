/**
 * The keyed words of whole texts: contexts, their first uses, seeds and words in one call of a compiled kernel. A module of its own,
 * for `detectMany`: there is no plain twin, because detection without it is the oracle and the fallback.
 */
import { active } from './active.ts'
import { KernelMemory } from './memory.ts'
import type { Run } from './table.ts'
import { binary } from './text-binary.ts'
import { decode } from './wasm.ts'

/** The longest text. */
export const MAX_TEXT = 1 << 19

/** The logarithm of how many places of the table there are for each context, at the least. */
const PLACES = 2

/** The most words per token. */
const MAX_WORDS = 2

/** What the kernel reads and writes; valid until the next call. */
export interface TextWords {
  /** The positions whose context, the tokens before them, none before them has. */
  readonly at: Int32Array
  readonly first: Uint32Array
  readonly second: Uint32Array
  /**
   * Writes the positions and their words. Returns how many positions there are.
   * @param window how many tokens a context has
   * @param key the four words of the key of contexts
   * @param indices which words, one or two, as pairs: those at `(token & and) ^ xor` for `[and, xor, and, xor]`
   */
  find(tokens: ArrayLike<number>, window: number, key: Uint32Array, indices: readonly number[]): number
}

function load(): TextWords {
  const kernel = new KernelMemory()
  const module = new WebAssembly.Module(decode(binary))
  const { exports } = new WebAssembly.Instance(module, { env: { memory: kernel.memory } })
  const run = exports.textWords as Run
  const int32 = (length: number): Int32Array => kernel.array(Int32Array<ArrayBuffer>, length)!
  // the kernel works on four positions at a time, and may write three past the last
  const [text, at] = [int32(MAX_TEXT), int32(MAX_TEXT + 3)]
  const [table, placedKey, placedIndices] = [int32(MAX_TEXT << (PLACES + 1)), int32(4), int32(2 * MAX_WORDS)]
  const first = kernel.array(Uint32Array<ArrayBuffer>, MAX_TEXT + 3)!
  const second = kernel.array(Uint32Array<ArrayBuffer>, MAX_TEXT + 3)!
  return {
    at,
    first,
    second,
    find(tokens, window, key, indices) {
      const { length } = tokens
      text.set(tokens)
      placedKey.set(key)
      placedIndices.set(indices)
      const bits = PLACES + 32 - Math.clz32(length)
      return run(
        text.byteOffset,
        length,
        window,
        placedKey.byteOffset,
        table.byteOffset,
        bits,
        at.byteOffset,
        placedIndices.byteOffset,
        indices.length / 2,
        first.byteOffset,
        second.byteOffset - first.byteOffset,
      )
    },
  }
}

let loaded: TextWords | undefined

/** The kernel, compiled on first use; undefined where plain kernels run. */
export function textWords(): TextWords | undefined {
  const placed = loaded?.at ?? new Int32Array(MAX_TEXT)
  if (active(placed).kind === 'plain') return undefined
  try {
    loaded ??= load()
  } catch {
    // refused, or no memory
  }
  return loaded
}
