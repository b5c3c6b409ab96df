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
  for (let i = 0; i < 4; i++) contextKeyInPlace[i] = contextKey[i]!
  return contextKeyInPlace
}

/** Writes the round keys of one context. */
export function seedOne(contextKey: Uint32Array, context: Context, out: Int32Array): void {
  const words = scratchContexts(Math.max(context.length, 64))
  for (let i = 0; i < context.length; i++) words[i] = context[i]!
  const keys = scratchRoundKeys(4)
  active(words).seed(words, placed(contextKey), 1, context.length, 0, keys)
  for (let i = 0; i < 4; i++) out[i] = keys[i]!
}

/**
 * The round keys of all contexts of a text, four words for each one that is there and is not the very list that came before it
 * (one context for all positions is hashed once), in order. Valid until the next call. Contexts of one length go together; most
 * rules have only one.
 */
export function seedEach(contextKey: Uint32Array, contexts: readonly (Context | undefined)[]): Int32Array {
  let count = 0
  let total = 0
  let last: Context | undefined
  for (let t = 0; t < contexts.length; t++) {
    const context = contexts[t]
    if (context === undefined || context === last) continue
    last = context
    count++
    total += context.length
  }
  const words = scratchContexts(Math.max(total, 64))
  const keys = scratchRoundKeys(4 * count)
  const key = placed(contextKey)
  let group = { from: 0, first: 0, length: 0 }
  let packed = 0
  let at = 0
  const flush = (): void => {
    const { from, first, length } = group
    if (packed > first) {
      const part = from === 0 ? words : words.subarray(from, at)
      const out = packed - first === count ? keys : keys.subarray(4 * first, 4 * packed)
      active(part, out).seed(part, key, packed - first, length, length, out)
    }
    group = { from: at, first: packed, length: 0 }
  }
  last = undefined
  for (let t = 0; t < contexts.length; t++) {
    const context = contexts[t]
    if (context === undefined || context === last) continue
    last = context
    if (context.length !== group.length) {
      flush()
      group.length = context.length
    }
    for (let i = 0; i < context.length; i++) words[at++] = context[i]!
    packed++
  }
  flush()
  return keys
}
