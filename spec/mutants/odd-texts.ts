/** Correct watermarks that do something unusual with contexts, positions or texts: no law may refuse them. */

import { tokensDigest } from '../../src/core/keys/prefix.ts'
import { below, Expansion, OWN } from '../../src/core/keys/random.ts'
import type { ContextRule, Tokens } from '../../src/core/keys/rule.ts'
import type { Context } from '../../src/core/keys/schedule.ts'
import { binomial, type Detector, gumbel, ngram, sta1, synthid } from '../../src/index.ts'
import type { AnyWatermark } from '../../src/watermarks/entry.ts'
import { synthidContexts } from '../../src/watermarks/published/index.ts'
import { CHANNELS, channels, dip, drawWords, race, tournament, type Words } from './bases.ts'
import { changed } from './mutant.ts'
import { last, rule, unbounded } from './rules.ts'

/** A correct watermark that does something unusual. */
export interface Odd {
  readonly name: string
  readonly watermark: AnyWatermark
}

const list: Odd[] = []
const add = (name: string, watermark: AnyWatermark): void => {
  list.push({ name, watermark: { ...watermark, id: name } })
}

export { list as oddTexts }

const base = ngram(2)
/** A rule that leaves some of its positions alone; `keep` sees what detector and generator both know. */
const sparse = (
  id: string,
  keep: (context: Context, t: number) => boolean,
  reach = base.reach,
): ContextRule => ({
  ...base,
  id,
  reach,
  begin(perText) {
    const cursor = base.begin(perText)
    return {
      next(tokens) {
        const context = cursor.next(tokens)
        return context !== undefined && keep(context, tokens.length) ? context : undefined
      },
    }
  },
  scored: (tokens, skip) =>
    base
      .scored(tokens, skip)
      .map((context, t) => (context !== undefined && keep(context, t) ? context : undefined)),
})

const oneIn = (n: number) => (context: Context) =>
  context.reduce((hash, token) => Math.imul(hash ^ token, 0x9e3779b1) >>> 5, 77) % n === 0

add('one position in twenty marked', changed(race(), { context: sparse('rare', oneIn(20)) }))
add('dip, one position in twenty marked', changed(dip(0.5), { context: sparse('rare', oneIn(20)) }))
// an insertion or a deletion may also move one position over the edge
const late = sparse('late', (_, t) => t >= 150, base.reach + 1)
add('a burn-in of 150 tokens', changed(race(), { context: late }))
add('dip, a burn-in of 150 tokens', changed(dip(0.4), { context: late }))
// ... or every position to the other parity
const even = sparse('even', (_, t) => t % 2 === 0, Number.POSITIVE_INFINITY)
add('every second position marked', changed(tournament(), { context: even }))

/** Half of the texts are not marked, and nobody knows which. */
const halfOfTexts: ContextRule = {
  ...ngram(2),
  id: 'half',
  begin: (perText) => (perText.uint32(0) >>> 31 === 0 ? { next: () => undefined } : ngram(2).begin(perText)),
}
add('half of the texts marked', changed(race(), { context: halfOfTexts }))
add('dip, half of the texts marked', changed(dip(0.5), { context: halfOfTexts }))

add(
  'contexts looked up in a table of the size of the vocabulary',
  changed(dip(0.5), {
    draw: (_, vocabSize, { context, shared }): Words => {
      const table = Uint32Array.from({ length: vocabSize }, (_, token) => shared.uint32(token))
      const seed = context.map((token) => {
        if (token >= vocabSize) throw new RangeError(`token ${token} is not in the table`)
        return table[token]!
      })
      return drawWords(new Expansion([seed[0] ?? 0, seed[1] ?? 0, shared.uint32(vocabSize), 1]))
    },
  }),
)

add('most codes do nothing: one token in 300 green', sta1({ gamma: 0.003 }))

/** Names the beginnings of a text, each by the name of the one before it and one more token. */
function beginnings(): (tokens: Tokens, t: number) => Context {
  let digest: Context = []
  let named = 0
  return (tokens, t) => {
    while (named < t) digest = tokensDigest([...digest, tokens[named++]!])
    return [...digest, t]
  }
}
add(
  'keyed by the whole text so far',
  changed(channels(), {
    context: {
      id: 'all',
      reach: Number.POSITIVE_INFINITY,
      recurs: false,
      begin() {
        const at = beginnings()
        return { next: (tokens) => at(tokens, tokens.length) }
      },
      scored(tokens, skip) {
        const at = beginnings()
        return Array.from({ length: tokens.length }, (_, t) => {
          const context = at(tokens, t)
          return skip(tokens[t]!) ? undefined : context
        })
      },
    },
  }),
)

/** The contexts of a text under one of the nonces, as the generator names them. */
const withNonce = (tokens: Tokens, nonce: number): (Context | undefined)[] =>
  ngram(2)
    .scored(tokens, () => false)
    .map((context) => context && [...context, nonce])
const NONCES = 16
/** Tries every nonce; the best of 16 exact tails, times 16. */
const searching: Detector = {
  id: 'search',
  bound: 1,
  test({ tokens, score }) {
    let best = {
      statistic: 0,
      logPValue: 0,
      scored: 0,
      perToken: new Float64Array(tokens.length).fill(Number.NaN),
    }
    for (let nonce = 0; nonce < NONCES; nonce++) {
      const contexts = withNonce(tokens, nonce)
      const perToken = Float64Array.from(contexts, (context, t) =>
        context === undefined ? Number.NaN : score(tokens[t]!, context),
      )
      const scored = contexts.filter((context) => context !== undefined).length
      const statistic = perToken.reduce((sum, x) => sum + (Number.isNaN(x) ? 0 : x), 0)
      const tail = binomial(1 / 2).logTail(statistic, scored)
      const logPValue = Math.min(0, tail + Math.log(NONCES))
      if (nonce === 0 || logPValue < best.logPValue) best = { statistic, logPValue, scored, perToken }
    }
    return { ...best, exact: false }
  },
}
add(
  'a nonce for each text, which the detector searches',
  changed(dip(0.5), {
    context: {
      ...ngram(2),
      id: 'nonce',
      begin(perText) {
        const nonce = below(perText, 0, NONCES)
        const cursor = ngram(2).begin(perText)
        return {
          next(tokens) {
            const context = cursor.next(tokens)
            return context && [...context, nonce]
          },
        }
      },
    },
    detector: searching,
  }),
)

add(
  'used contexts remembered in a filter that takes some for used',
  changed(race(), {
    context: rule('filter', (tokens, t) => last(tokens, t, 2), {
      ...unbounded,
      nameOf: (context) => `${context.reduce((hash, token) => (hash * 31 + token) % 97, 5)}`,
    }),
  }),
)

const buffer = { words: new Uint32Array(0) }
add(
  'one buffer for all codes: each is used before the next is drawn',
  changed(dip(0.4), {
    draw: (random, size): Words => {
      if (buffer.words.length !== size) buffer.words = new Uint32Array(size)
      random.fill(buffer.words)
      return { word: (i) => buffer.words[i]! }
    },
    orbit: undefined,
  }),
)

add(
  'a number of the context that no code reads',
  changed(dip(0.5), {
    context: rule('redundant', (tokens, t) => {
      const context = last(tokens, t, 2)
      return context && [...context, context[0]! + context[1]!]
    }),
    draw: (_, __, { context, shared }) =>
      drawWords(
        new Expansion([shared.uint32(context[0]!), shared.uint32(64 + context[1]!), 3, shared.uint32(9)]),
      ),
  }),
)

add(
  'one partition per key, a channel for each position',
  changed(channels(), {
    draw: (random, _, { shared }) => ({
      channel: (i) => below(shared, i, CHANNELS),
      chosen: below(random, OWN, CHANNELS),
    }),
  }),
)

add('short contexts at the start of a text', gumbel({ context: ngram(4, { short: true }) }))
add(
  'the published rule, claimed as far as its memory',
  synthid({ context: synthidContexts({ history: 256 }) }),
)
