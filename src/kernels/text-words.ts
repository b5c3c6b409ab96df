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
  /** Room for the scores of the positions. */
  readonly scores: Float64Array
  /** Scores that are compiled, by name: each writes the `scores` of so many positions, to the bit those of its plain twin. */
  readonly compiled: Readonly<Record<CompiledScore, ((count: number) => void) | undefined>>
}

/** evidence: -ln v for the number v of both words; see src/watermarks/gumbel-max.ts. */
type CompiledScore = 'evidence'

/** Numbers at which logarithms are compared. */
const PROBES = 1000

/** Whether Math.log is the logarithm of the kernel, fdlibm's, as in V8. That of glibc differs at 54 of these numbers. */
function isSameLog(
  { first, second, scores }: Omit<TextWords, 'compiled'>,
  evidence: (count: number) => void,
): boolean {
  for (let i = 0; i < PROBES; i++) {
    first[i] = Math.imul(i + 1, 0x9e3779b1)
    second[i] = 0
  }
  evidence(PROBES)
  return scores
    .subarray(0, PROBES)
    .every((score, i) => score === -Math.log((first[i]! + 2 ** -33) * 2 ** -32))
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
  const scores = kernel.array(Float64Array<ArrayBuffer>, MAX_TEXT + 3)!
  const ofWords = exports.evidence as Run
  const evidence = (count: number): void => {
    ofWords(first.byteOffset, second.byteOffset, count, scores.byteOffset)
  }
  const words: Omit<TextWords, 'compiled'> = {
    at,
    first,
    second,
    scores,
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
  return { ...words, compiled: { evidence: isSameLog(words, evidence) ? evidence : undefined } }
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
