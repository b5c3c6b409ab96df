/**
 * Context -> round keys: SipHash of the context, expanded. In kernel memory, because detection does little else.
 */
import { active } from '../kernels/active.ts'
import { kernels } from '../kernels/index.ts'
import { scratchContexts, scratchRoundKeys } from '../kernels/scratch.ts'
import type { Context } from './schedule.ts'

let contextKeyInPlace: Uint32Array | undefined

/** The key where kernels read it. Written anew each time: key schedules come and go, kernel memory is never freed. */
function placed(contextKey: Uint32Array): Uint32Array {
  contextKeyInPlace ??= kernels.uint32(4)
  contextKeyInPlace.set(contextKey)
  return contextKeyInPlace
}

/** Writes the round keys of one context. */
export function seedOne(contextKey: Uint32Array, context: Context, out: Int32Array): void {
  const words = scratchContexts(Math.max(context.length, 64))
  for (let i = 0; i < context.length; i++) words[i] = context[i]!
  const keys = scratchRoundKeys(4)
  active(words).seed(words, placed(contextKey), 1, context.length, 0, keys)
  out.set(keys)
}

/**
 * The round keys of all contexts of a text, four words for each one that is there and is not the very list that came before it
 * (one context for all positions is hashed once), in order. Valid until the next call. Contexts of one length go together; most
 * rules have only one.
 */
export function seedEach(contextKey: Uint32Array, contexts: readonly (Context | undefined)[]): Int32Array {
  const own: Context[] = []
  let total = 0
  for (let t = 0; t < contexts.length; t++) {
    const context = contexts[t]
    if (context === undefined || context === own[own.length - 1]) continue
    own.push(context)
    total += context.length
  }
  const words = scratchContexts(Math.max(total, 64))
  const keys = scratchRoundKeys(4 * own.length)
  const key = placed(contextKey)
  let from = 0
  for (let first = 0, end = 0; first < own.length; first = end) {
    const { length } = own[first]!
    let at = from
    for (; end < own.length && own[end]!.length === length; end++) {
      const context = own[end]!
      for (let i = 0; i < length; i++) words[at++] = context[i]!
    }
    const all = end - first === own.length
    const part = all ? words : words.subarray(from, at)
    const out = all ? keys : keys.subarray(4 * first, 4 * end)
    active(part, out).seed(part, key, end - first, length, length, out)
    from = at
  }
  return keys
}
