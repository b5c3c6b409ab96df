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

/** The longest context, which may be put before a text. */
const MAX_PAD = 64

/** The most words per token. */
const MAX_WORDS = 2

/** The arrays that the kernel reads and writes; valid until the next call. */
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
  /**
   * Writes the positions, at most `limit`, and for each of `keys` the words of an engine. Returns how many positions there are.
   * @param pad the token that stands `window` times before the text
   */
  findFor(tokens: ArrayLike<number>, uses: Uses, words: EngineWords): number
  /** Room for the scores of the positions. */
  readonly scores: Float64Array
  /** Scores that are compiled, by name: each writes the `scores` of the first `count` positions, equal to its plain twin to the last bit. */
  readonly compiled: Readonly<Record<CompiledScore, ((count: number) => void) | undefined>>
}

/** evidence: -ln v for the number v of both words; see src/watermarks/mechanisms/gumbel-max.ts. */
type CompiledScore = 'evidence'

/** First uses of contexts of `firstUses` tokens. */
export interface Uses {
  readonly firstUses: number
  /** The token that stands before the text as often as a context is long; absent: the first contexts are not full. */
  readonly pad?: number
  /** The most contexts. */
  readonly limit?: number
  /** Set where pairs of a context and its token are looked at, from the second full context on, and not contexts alone. */
  readonly pairs?: true
}

/** Words of an engine: its function, and what it is keyed with, once per word of a token. */
export interface EngineWords {
  readonly kernel: 'philoxWords' | 'murmurWords' | 'textsealWords'
  readonly keys: readonly Uint32Array[]
}

/** The most words that an engine's function is keyed with. */
const MAX_ENGINE_KEY = 13

/** Numbers at which logarithms are compared. */
const PROBES = 1000

/** Returns whether Math.log is the logarithm of the kernel, fdlibm's, as in V8. The one of glibc differs at 54 of these numbers. */
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
  const int32 = (length: number): Int32Array => kernel.array(Int32Array, length)!
  // the kernel works on four positions at a time, and may write three past the last
  const [text, at] = [int32(MAX_TEXT + MAX_PAD), int32(MAX_TEXT + 3)]
  const [table, placedKey, placedIndices] = [int32(MAX_TEXT << (PLACES + 1)), int32(4), int32(2 * MAX_WORDS)]
  const [engineKey, state] = [int32(MAX_ENGINE_KEY), int32(4)]
  const first = kernel.array(Uint32Array, MAX_TEXT + 3)!
  const second = kernel.array(Uint32Array, MAX_TEXT + 3)!
  const scores = kernel.array(Float64Array, MAX_TEXT + 3)!
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
    findFor(tokens, { firstUses: window, pad, limit = MAX_TEXT, pairs }, { kernel: name, keys }) {
      const before = pad === undefined ? 0 : window
      text.fill(pad ?? 0, 0, before)
      text.set(tokens, before)
      const length = tokens.length + before
      const bits = PLACES + 32 - Math.clz32(length)
      const uses = exports.firstUses as Run
      // one token further, the tokens before a place are its context and the token itself
      const shift = pairs ? 1 : 0
      const start = text.byteOffset + 4 * shift
      const all = uses(start, length, window + shift, table.byteOffset, bits, at.byteOffset)
      const count = Math.min(limit, all)
      for (const [i, out] of [first, second].entries()) {
        if (keys[i] === undefined) break
        engineKey.set(keys[i])
        const engine = exports[name] as Run
        engine(
          ...[text.byteOffset, window, at.byteOffset, count, engineKey.byteOffset, state.byteOffset],
          out.byteOffset,
        )
      }
      if (before > 0) for (let i = 0; i < count; i++) at[i]! -= before
      return count
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
