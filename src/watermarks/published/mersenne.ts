import { MAX_VOCAB } from '../../core/keys/index.ts'
import { integer } from '../../input.ts'
import { secret32 } from './checked.ts'
import { Mt19937, modulo } from './mt19937.ts'

/** The most uniforms at once. */
const MAX_UNIFORMS = 2 ** 24

/**
 * The uniforms of the demo of Kuditipudi et al.: 32-bit words of mt19937 over 2^32, in [0, 1). Row r of the key of a
 * vocabulary of V is r V to (r + 1) V - 1 of them.
 *
 * @example
 * mersenneUniforms(42, 2) // [0.37454011430963874, 0.7965429842006415]
 */
export function mersenneUniforms(key: number, count: number): number[] {
  const engine = new Mt19937(mersenneKey(key))
  integer('count', count, 0, MAX_UNIFORMS)
  return Array.from({ length: count }, () => engine.next() * 2 ** -32)
}

/**
 * The permutation of the same demo. It draws the partner of place i from the i places *before* it, never i itself,
 * which is Sattolo's algorithm: every result is one cycle of length n, and no token keeps its place.
 * @example mersennePermutation(42, 4) // Int32Array [2, 3, 1, 0]
 */
export function mersennePermutation(key: number, n: number): Int32Array {
  const engine = new Mt19937(mersenneKey(key))
  integer('n', n, 0, MAX_VOCAB)
  const order = Int32Array.from({ length: n }, (_, i) => i)
  for (let i = n - 1; i > 0; i--) {
    const j = modulo(engine.next(), i)
    const moved = order[i]!
    order[i] = order[j]!
    order[j] = moved
  }
  return order
}

/** The demo keeps a longer key's upper bits in its first state only, so longer keys are refused rather than cut. */
export const mersenneKey = (key: number): number => secret32('key', key)
