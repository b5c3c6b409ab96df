/** Mistakes that only long texts show: memories that are too short, claims about too many tokens, contexts that collide. */

import { Expansion } from '../../src/core/keys/random.ts'
import type { Cursor, Tokens } from '../../src/core/keys/rule.ts'
import type { Context } from '../../src/core/keys/schedule.ts'
import { expEdit, itsEdit, ngram, synthid } from '../../src/index.ts'
import { synthidContexts } from '../../src/watermarks/published/index.ts'
import { complement, dip, drawWords, race, tournament, type Words } from './bases.ts'
import { changed, family, law } from './mutant.ts'
import { last, type Memory, never, rule, unbounded } from './rules.ts'

const { mutants, add } = family('long texts')

export { mutants as texts }

// --- memory
for (const capacity of [3, 8])
  add(
    `race: only the last ${capacity} contexts remembered`,
    changed(race(), {
      context: rule('few', (tokens, t) => last(tokens, t, 2), { ...unbounded, capacity }),
    }),
    [law.pairs],
  )
add(
  'dip: only the last 8 contexts remembered',
  changed(dip(0.5), {
    context: rule('few', (tokens, t) => last(tokens, t, 2), { ...unbounded, capacity: 8 }),
  }),
  [law.pairs],
)
add(
  'synthid: the published rule with a memory of 64 positions, at any length',
  changed(synthid({ context: synthidContexts({ history: 64 }) }), { unbiasedUpTo: undefined }),
  [law.pairs],
)
add(
  'synthid: the published rule, claimed for 4,000 tokens with a memory of 100',
  changed(synthid({ context: synthidContexts({ ngramLength: 3, history: 100 }) }), { unbiasedUpTo: 4000 }),
  [law.pairs],
)
add(
  'race: the memory is cleared every 100 tokens',
  changed(race(), {
    context: rule('cleared', (tokens, t) => last(tokens, t, 2), {
      ...unbounded,
      nameOf: (context, _, t) => `${Math.floor(t / 100)}/${context}`,
    }),
  }),
  [law.pairs],
)
add(
  'dip: contexts remembered by their first token only after the 200th position',
  changed(dip(0.5), {
    context: rule('late', (tokens, t) => last(tokens, t, 2), {
      ...unbounded,
      nameOf: (context, _, t) => (t < 200 ? context.join() : `${t}`),
    }),
  }),
  [law.pairs],
)

/** The generator forgets; the detector scores each context once, whatever was forgotten. */
const forgetting = (memory: Memory) => ({
  context: { ...ngram(2), begin: rule('forgetting', (tokens, t) => last(tokens, t, 2), memory).begin },
})
add(
  'race: the generator forgets all contexts every 400 tokens',
  changed(
    race(),
    forgetting({ ...unbounded, nameOf: (context, _, t) => `${Math.floor(t / 400)}/${context}` }),
  ),
  [law.pairs],
)
add(
  'dip: the generator remembers the last 200 contexts',
  changed(dip(0.5), forgetting({ ...unbounded, capacity: 200 })),
  [law.pairs],
)
add(
  'dip: the generator remembers contexts up to the 500th position',
  changed(
    dip(0.5),
    forgetting({
      ...unbounded,
      nameOf: (context, _, t) => (t < 500 ? context.join() : `${t}`),
    }),
  ),
  [law.pairs],
)

// --- length
add('expEdit: a list of 256 entries, at any length', changed(expEdit(), { unbiasedUpTo: undefined }), [
  law.pairs,
])
add(
  'itsEdit: a list of 100 entries, claimed for 200 tokens',
  changed(itsEdit({ keyLength: 100 }), { unbiasedUpTo: 200 }),
  [law.pairs],
)
add(
  'race: the position counted in one byte',
  changed(race(), { context: rule('byte', (_, t) => [t & 255], never) }),
  [law.pairs],
)
add(
  'tournament: one code for all positions from the 100th on',
  changed(tournament(), { context: rule('late', (_, t) => [Math.min(t, 100)], never) }),
  [law.pairs],
)
add('gumbel-like: a claim that is needlessly modest', changed(race(), { unbiasedUpTo: 50 }), [law.pairs])

// --- contexts that collide
/** Murmur-like: spreads well, and has few values. */
const hashOf = (context: Context, values: number): number => {
  const mixed = context.reduce(
    (hash, token) => Math.imul((hash ^ token) + 0x9e37, 0x85ebca6b) ^ (hash >>> 13),
    7,
  )
  return (mixed >>> 8) % values
}
const hashedTo = (values: number, n = 2) => ({
  context: rule(
    'hashed',
    (tokens: Tokens, t: number) => {
      const context = last(tokens, t, n)
      return context && [hashOf(context, values)]
    },
    { ...unbounded, nameOf: (_: Context, tokens: Tokens, t: number) => `${last(tokens, t, n)}` },
  ),
})
add('race: contexts hashed to 64 values', changed(race(), hashedTo(64)), [law.pairs])
add('race: contexts of three tokens hashed to one byte', changed(race(), hashedTo(256, 3)), [law.pairs])
add(
  'dip: codes seeded by a hash of the context with 64 values',
  changed(dip(0.5), {
    draw: (_, __, { context, shared }) => {
      const hash = hashOf(context, 64)
      return drawWords(new Expansion([shared.uint32(hash), shared.uint32(hash + 64), hash, 1]))
    },
  }),
  [law.pairs],
)
add(
  'dip: the position modulo five as the context',
  changed(dip(0.5), { context: rule('modulo', (_, t) => [t % 5], never) }),
  [law.pairs],
)
add(
  'race: two bits of each token of the context',
  changed(race(), {
    context: rule('bits', (tokens, t) => last(tokens, t, 2)?.map((token) => token & 3), {
      ...unbounded,
      nameOf: (_, tokens, t) => `${last(tokens, t, 2)}`,
    }),
  }),
  [law.pairs],
)
add(
  'race: every tenth position has the code of the one before',
  changed(race(), { context: rule('tenth', (_, t) => [t % 10 === 9 ? t - 1 : t], never) }),
  [law.pairs],
)
add(
  'race: forty codes per key',
  changed(race(), {
    draw: (random, _, { shared }) => {
      const code = random.uint32(0) % 40
      return { u: (i) => shared.uniform(40 * i + code) }
    },
  }),
  [law.pairs],
)

/** Contexts that came before get the complement of their code. */
const turning = (): Cursor & { next(tokens: Tokens): Context | undefined } => {
  const times = new Map<string, number>()
  return {
    next(tokens) {
      const context = last(tokens, tokens.length, 2)
      if (context === undefined) return undefined
      const seen = times.get(`${context}`) ?? 0
      times.set(`${context}`, seen + 1)
      return [...context, seen % 2, seen >> 1]
    },
  }
}
add(
  'dip: a context that comes back gets the complement of its code',
  changed(dip(0.5), {
    context: { ...ngram(2), begin: turning },
    draw: (_, __, { context, shared }): Words => {
      const [a, b, turned, round] = context as [number, number, number?, number?]
      const seed = [shared.uint32(a), shared.uint32(64 + b), shared.uint32(128 + (round ?? 0)), 1]
      const words = drawWords(new Expansion(seed))
      return turned ? complement(words) : words
    },
  }),
  [law.pairs],
)

// --- state that texts or instances share
const everUsed = new Set<string>()
add(
  'dip: one memory of contexts for all texts',
  changed(dip(0.5), {
    context: {
      ...ngram(2),
      begin: () => ({
        next: (tokens) => {
          const context = last(tokens, tokens.length, 2)
          if (context === undefined || everUsed.has(context.join())) return undefined
          everUsed.add(context.join())
          return context
        },
      }),
    },
  }),
  [law.deterministic],
)
let position = 0
add(
  'race: embedders share a position counter',
  changed(race(), {
    context: { ...ngram(2), begin: () => ({ next: () => [position++ % 1000] }) },
  }),
  [law.deterministic],
)
add(
  'dip: the clock is in the seed',
  changed(dip(0.5), {
    draw: (random) => drawWords(new Expansion([random.uint32(0), random.uint32(1), Date.now() >>> 0, 1])),
  }),
  [law.deterministic],
)
let kept: { readonly name: string; readonly code: Words } | undefined
add(
  'dip: the last code is kept by its context, without the key',
  changed(dip(0.5), {
    draw: (random, size, { context }) => {
      const name = `${context}/${size}`
      if (kept?.name === name) return kept.code
      const words = Uint32Array.from({ length: size }, (_, i) => random.uint32(i))
      kept = { name, code: { word: (i) => words[i]! } }
      return kept.code
    },
  }),
  [law.deterministic],
)
let begun = 0
add(
  'race: every third text is left alone, whichever it is',
  changed(race(), {
    context: {
      ...ngram(2),
      begin: (perText) => (begun++ % 3 === 0 ? { next: () => undefined } : ngram(2).begin(perText)),
    },
  }),
  [law.deterministic],
)
