import type { Context, ContextRule, Tokens } from '../../core/keys/index.ts'
import { ContextMemory } from '../../core/keys/index.ts'
import { boolean, integer, refuseUnknown } from '../../input.ts'
import { TEXTSEAL_MAX_CONTEXT } from './textseal.ts'

export interface SynthidContextsOptions {
  /** Tokens in an n-gram: the marked one and its context. Default 5. */
  readonly ngramLength?: number
  /** The number of positions that a context is remembered for. Default 1024. */
  readonly history?: number
  /** Leave the first positions, whose context is not full, without a mark: `skip_first_ngram_calls`. Default false. */
  readonly skipFirst?: boolean
  /** Let prompt tokens enter the context, as llama.cpp does. Default false. */
  readonly prompt?: boolean
}

/** Says whether a context was among the last `history` ones asked about, repeated or not. */
function memory(history: number): (context: Context) => boolean {
  const contexts = new ContextMemory(512)
  /** The position at which each context was asked about last. */
  const last: number[] = []
  let position = 0
  return (context) => {
    const number = contexts.index(context)
    const known = number < last.length && position - last[number]! <= history
    last[number] = position++
    return known
  }
}

/** The n tokens before `end`, of which only the last `generated` are looked at; `padding` in place of the others. */
function lastTokens(tokens: Tokens, end: number, n: number, generated: number, padding: number): number[] {
  const context = new Array<number>(n)
  for (let i = 0; i < n; i++) context[i] = n - i <= generated ? tokens[end - n + i]! : padding
  return context
}

/** Asks about every position of a finished text. */
const following = (
  contextAt: (tokens: Tokens, t: number) => Context | undefined,
  tokens: Tokens,
  start = 0,
): (Context | undefined)[] =>
  Array.from({ length: tokens.length - start }, (_, i) => contextAt(tokens, start + i))

/**
 * The context rule of SynthID's published implementations: the last tokens that were *generated*, zeros where there are
 * too few (the prompt is not looked at, unless `prompt` says so), and a memory of `history` positions for contexts that were used. Texts are
 * scored from the first full n-gram on. `ngram(4)` differs at the first four positions, and beyond `history` tokens.
 *
 * @example
 * synthid({ codes: 'reference', context: synthidContexts() })
 */
export function synthidContexts(options: SynthidContextsOptions = {}): ContextRule {
  refuseUnknown('synthidContexts', options, ['ngramLength', 'history', 'skipFirst', 'prompt'])
  const ngramLength = integer('ngramLength', options.ngramLength ?? 5, 2, 64)
  const history = integer('history', options.history ?? 1024, 0)
  const skipFirst = boolean('skipFirst', options.skipFirst ?? false)
  const prompt = boolean('prompt', options.prompt ?? false)
  const n = ngramLength - 1
  const before = (tokens: Tokens, end: number, generated: number): number[] =>
    lastTokens(tokens, end, n, generated, 0)
  const follow = (skip: (token: number) => boolean, start?: number) => {
    const used = memory(history)
    return (tokens: Tokens, t: number): Context | undefined => {
      if (t < n && start === undefined) return undefined
      const context = before(tokens, t, t)
      return used(context) || skip(tokens[t]!) ? undefined : context
    }
  }
  return {
    id: `synthidContexts(ngramLength=${ngramLength},history=${history}${skipFirst ? ',skipFirst=true' : ''}${prompt ? ',prompt=true' : ''})`,
    // A substitution touches 2n + 1 scores, as under ngram(n). An insertion or deletion also changes how far apart the contexts
    // on its two sides are: any of the next `history` positions may find its context remembered, or forgotten, for that.
    reach: history === 0 ? n + 1 : Math.max(2 * n, history + n) + 1,
    ...(history > 0 && { memory: { tokens: history + n + 1, reach: 2 * n + 1 } }),
    recurs: true,
    ...(prompt && { seesPrompt: true }),
    freshUpTo: Math.max(1, history),
    begin() {
      const used = memory(history)
      let generated = 0
      return {
        next(tokens) {
          const position = generated++
          // such a position is not remembered either
          if (skipFirst && position < n) return undefined
          const context = before(tokens, tokens.length, prompt ? tokens.length : position)
          return used(context) ? undefined : context
        },
      }
    },
    scored: (tokens, skip, start) => following(follow(skip, start), tokens, start),
    follow,
    lookback: n,
  }
}

export interface VllmContextsOptions {
  /** Tokens in a context. Default 4. */
  readonly width?: number
  /** The number of positions that generation remembers a context for; 0: it marks every position (`none`). Default 8192. */
  readonly history?: number
}

/** vLLM's tokens before the text begins. */
const PADDING = -1

/**
 * The context rule of vLLM's watermarks: the last `width` tokens that were *generated*, -1 before the text begins (the prompt is
 * not looked at), so that every position has a context. Generation leaves a context alone that it used in the last `history`
 * positions; detection scores the first occurrence of each.
 *
 * @example
 * vllmContexts().scored([7, 8], () => false) // [[-1, -1, -1, -1], [-1, -1, -1, 7]]
 */
export function vllmContexts(options: VllmContextsOptions = {}): ContextRule {
  refuseUnknown('vllmContexts', options, ['width', 'history'])
  const width = integer('width', options.width ?? 4, 1, 64)
  const history = integer('history', options.history ?? 8192, 0)
  const before = (tokens: Tokens, end: number, generated: number): number[] =>
    lastTokens(tokens, end, width, generated, PADDING)
  const follow = (skip: (token: number) => boolean) => {
    const used = new ContextMemory()
    return (tokens: Tokens, t: number): Context | undefined => {
      const context = before(tokens, t, t)
      return used.add(context) || skip(tokens[t]!) ? undefined : context
    }
  }
  const scored: ContextRule['scored'] = (tokens, skip) => following(follow(skip), tokens)
  return {
    id: `vllmContexts(width=${width},history=${history})`,
    // a padded context names its position, so the start adds nothing to what an edit touches under ngram(width)
    reach: 2 * width + 1,
    recurs: false,
    freshUpTo: Math.max(1, history),
    begin() {
      const used = memory(history)
      let generated = 0
      return {
        next(tokens) {
          const context = before(tokens, tokens.length, generated++)
          return used(context) ? undefined : context
        },
      }
    },
    scored,
    fast: { firstUses: width, pad: PADDING, of: scored },
    follow,
    lookback: width,
  }
}

export interface SglangContextsOptions {
  /** Tokens in a context. Default 4. */
  readonly window?: number
}

/** The most contexts of a text that SGLang marks and scores. */
const SGLANG_CONTEXTS = 4096

/**
 * The context rule of SGLang: the `window` tokens before a position, prompt included, fewer only where fewer precede. The first 4,096
 * different contexts are marked and scored, each once. Without the prompt, detection leaves out the first `window` positions.
 *
 * @example
 * sglangContexts({ window: 2 }).scored([7, 8, 9], () => false) // [undefined, undefined, [7, 8]]
 * sglangContexts({ window: 2 }).scored([7, 8, 9], () => false, 1) // [[7], [7, 8]]: after the prompt 7
 */
export function sglangContexts(options: SglangContextsOptions = {}): ContextRule {
  refuseUnknown('sglangContexts', options, ['window'])
  const window = integer('window', options.window ?? 4, 1, 64)
  const fresh = () => {
    const used = new ContextMemory()
    let left = SGLANG_CONTEXTS
    return (tokens: Tokens, t: number): Context | undefined => {
      const context = lastTokens(tokens, t, Math.min(window, t), t, 0)
      if (left === 0 || used.add(context)) return undefined
      left--
      return context
    }
  }
  const follow = (skip: (token: number) => boolean, start?: number) => {
    const next = fresh()
    return (tokens: Tokens, t: number): Context | undefined => {
      if (start === undefined && t < window) return undefined
      const context = next(tokens, t)
      return skip(tokens[t]!) ? undefined : context
    }
  }
  const scored: ContextRule['scored'] = (tokens, skip, start) => following(follow(skip, start), tokens, start)
  return {
    id: `sglangContexts(window=${window})`,
    // contexts that an edit adds push as many others beyond the limit
    reach: 2 * (2 * window + 1),
    recurs: false,
    seesPrompt: true,
    begin() {
      const next = fresh()
      return { next: (tokens) => next(tokens, tokens.length) }
    },
    scored,
    fast: { firstUses: window, limit: SGLANG_CONTEXTS, of: scored },
    follow,
    lookback: window,
  }
}

export interface TextsealContextsOptions {
  /** Tokens in a context. Default 1. */
  readonly ngram?: number
}

/**
 * The context rule of TextSeal: the `ngram` tokens before a position, prompt included, repeated contexts too. Without the prompt, detection
 * begins at index `ngram` + 1, one later than needed, as TextSeal does.
 *
 * @example textsealContexts().scored([7, 8, 9], () => false) // [undefined, undefined, [8]]
 */
export function textsealContexts(options: TextsealContextsOptions = {}): ContextRule {
  refuseUnknown('textsealContexts', options, ['ngram'])
  const n = integer('ngram', options.ngram ?? 1, 1, TEXTSEAL_MAX_CONTEXT)
  const before = (tokens: Tokens, t: number): Context | undefined =>
    t < n ? undefined : lastTokens(tokens, t, n, t, 0)
  const follow =
    (skip: (token: number) => boolean, start?: number) =>
    (tokens: Tokens, t: number): Context | undefined =>
      (start === undefined && t === n) || skip(tokens[t]!) ? undefined : before(tokens, t)
  const scored: ContextRule['scored'] = (tokens, skip, start) => following(follow(skip, start), tokens, start)
  return {
    id: `textsealContexts(ngram=${n})`,
    reach: n + 2,
    recurs: true,
    seesPrompt: true,
    freshUpTo: 1,
    begin: () => ({ next: (tokens) => before(tokens, tokens.length) }),
    scored,
    fast: { firstUses: n, pairs: true, of: scored },
    follow,
    lookback: n,
  }
}
