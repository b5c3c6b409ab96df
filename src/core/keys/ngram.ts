import { boolean, integer, oneOf, refuseUnknown } from '../../input.ts'
import { ContextMemory } from './context-memory.ts'
import type { ContextRule, Tokens } from './rule.ts'
import type { Context } from './schedule.ts'

export interface NgramOptions {
  /** A context already used in the text: leave the position alone ('skip', the default) or use its randomness again. */
  readonly repeated?: 'skip' | 'reuse'
  /** Use contexts shorter than n at the start of a text. */
  readonly short?: boolean
}

/** For finished texts, one after the other. */
const scratch = new ContextMemory()

/** The last n tokens of `tokens[0 .. end-1]`; undefined where there are too few. */
function window(tokens: Tokens, end: number, n: number, short: boolean): Context | undefined {
  if (end < n && !short) return undefined
  if (n === 2 && end >= 2) return [tokens[end - 2]!, tokens[end - 1]!] // the usual rule, made for speed
  const length = Math.min(n, end)
  const context = new Array<number>(length)
  for (let i = 0; i < length; i++) context[i] = tokens[end - length + i]!
  return context
}

/**
 * The n tokens before a position. By default a context that the text already used is skipped: then every position that is
 * marked has fresh randomness, and the law of the whole text is exactly the model's; detectors score the first occurrence of
 * each context. Contexts of generated positions count as used, the prompt's do not.
 * @example
 * ngram(2).reach // 5: the most scores that one edit can touch
 * ngram(4, { repeated: 'reuse' }).id // 'ngram(4,repeated=reuse)': each step is unbiased, the text is not
 */
export function ngram(n: number, options: NgramOptions = {}): ContextRule {
  integer('n', n, 0, 64)
  refuseUnknown('ngram', options, ['repeated', 'short'])
  const repeated = oneOf('repeated', options.repeated ?? 'skip', ['skip', 'reuse'])
  const short = boolean('short', options.short ?? false)
  const skipping = repeated === 'skip'
  const positions =
    (used: ContextMemory, skip: (token: number) => boolean) =>
    (tokens: Tokens, t: number): Context | undefined => {
      const context = window(tokens, t, n, short)
      const counts = context !== undefined && !(skipping && used.add(context)) && !skip(tokens[t]!)
      return counts ? context : undefined
    }
  const scored: ContextRule['scored'] = (tokens, skip, start = 0) => {
    const at = positions(scratch.clear(tokens.length), skip)
    const contexts: (Context | undefined)[] = []
    for (let t = start; t < tokens.length; t++) contexts.push(at(tokens, t))
    return contexts
  }
  return {
    id: `ngram(${n}${skipping ? '' : ',repeated=reuse'}${short ? ',short=true' : ''})`,
    // an edit also uncovers later copies of the contexts it destroys, and steals first place from others
    reach: skipping ? 2 * n + 1 : n + 1,
    recurs: !skipping,
    seesPrompt: true,
    ...(!short && { window: n }),
    ...(!skipping && { freshUpTo: 1 }),
    begin() {
      const at = positions(new ContextMemory(), () => false)
      return { next: (tokens) => at(tokens, tokens.length) }
    },
    scored,
    ...(skipping && !short && { fast: { firstUses: n, of: scored } }),
    follow: (skip) => positions(new ContextMemory(), skip),
    lookback: n,
  }
}
