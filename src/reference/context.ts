import { boolean, integer, refuseUnknown } from '../input.ts'
import { ContextMemory } from '../keys/context-memory.ts'
import type { ContextRule, Tokens } from '../keys/rule.ts'
import type { Context } from '../keys/schedule.ts'

export interface SynthidContextsOptions {
  /** Tokens in an n-gram: the marked one and its context. Default 5. */
  readonly ngramLength?: number
  /** How many positions back a context is remembered. Default 1024. */
  readonly history?: number
  /** Leave the first positions, whose context is not full, without a mark: `skip_first_ngram_calls`. Default false. */
  readonly skipFirst?: boolean
}

/** Says whether a context was among the last `history` ones asked about, repeated or not. */
function memory(history: number): (context: Context) => boolean {
  const contexts = new ContextMemory()
  /** Where each context was asked about last. */
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

/**
 * The context rule of SynthID's published implementations: the last tokens that were *generated*, zeros where there are
 * too few (the prompt is not looked at), and a memory of `history` positions for contexts that were used. Texts are
 * scored from the first full n-gram on. `ngram(4)` differs at the first four positions, and beyond `history` tokens.
 *
 * @example
 * synthid({ codes: 'reference', context: synthidContexts() })
 */
export function synthidContexts(options: SynthidContextsOptions = {}): ContextRule {
  refuseUnknown('synthidContexts', options, ['ngramLength', 'history', 'skipFirst'])
  const ngramLength = integer('ngramLength', options.ngramLength ?? 5, 2, 64)
  const history = integer('history', options.history ?? 1024, 0)
  const skipFirst = boolean('skipFirst', options.skipFirst ?? false)
  const n = ngramLength - 1
  const before = (tokens: Tokens, end: number, generated: number): number[] =>
    lastTokens(tokens, end, n, generated, 0)
  const follow = (skip: (token: number) => boolean) => {
    const used = memory(history)
    return (tokens: Tokens, t: number): Context | undefined => {
      if (t < n) return undefined
      const context = before(tokens, t, t)
      return used(context) || skip(tokens[t]!) ? undefined : context
    }
  }
  return {
    id: `synthidContexts(ngramLength=${ngramLength},history=${history}${skipFirst ? ',skipFirst=true' : ''})`,
    // A substitution touches 2n + 1 scores, as under ngram(n). An insertion or deletion also changes how far apart the contexts
    // on its two sides are: any of the next `history` positions may find its context remembered, or forgotten, for that.
    reach: history === 0 ? n + 1 : Math.max(2 * n, history + n) + 1,
    ...(history > 0 && { memory: { tokens: history + n + 1, reach: 2 * n + 1 } }),
    recurs: true,
    freshUpTo: Math.max(1, history),
    begin() {
      const used = memory(history)
      let generated = 0
      return {
        next(tokens) {
          const position = generated++
          // such a position is not remembered either
          if (skipFirst && position < n) return undefined
          const context = before(tokens, tokens.length, position)
          return used(context) ? undefined : context
        },
      }
    },
    scored(tokens, skip) {
      const contextAt = follow(skip)
      return Array.from({ length: tokens.length }, (_, t) => contextAt(tokens, t))
    },
    follow,
  }
}

export interface VllmContextsOptions {
  /** Tokens in a context. Default 4. */
  readonly width?: number
  /** How many positions back generation remembers a context; 0: it marks every position (`none`). Default 8192. */
  readonly history?: number
}

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
    lastTokens(tokens, end, width, generated, -1)
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
    scored(tokens, skip) {
      const used = new ContextMemory(tokens.length)
      return Array.from({ length: tokens.length }, (_, t) => {
        const context = before(tokens, t, t)
        return used.add(context) || skip(tokens[t]!) ? undefined : context
      })
    },
  }
}
