/** Mistakes beyond 50,257 tokens, at one special id, in the tail, and in what is remembered of p. */

import type { Watermark } from '../../src/watermark.ts'
import { arrival, dip, first, race, type Uniforms } from './bases.ts'
import { changed, family, law } from './mutant.ts'
import { raceAmong } from './sizes.ts'

const wide = family('wide vocabularies')
const one = family('one token')
const state = family('state')

/** Mutants by where they break. */
export const wideMutants = wide.mutants
export const oneToken = one.mutants
export const stateful = state.mutants

// --- beyond 16 bits
wide.add(
  'race: ids kept in 16 bits',
  changed(race(), { choose: (p, { u }) => first(p, (i) => arrival(p[i]!, u(i))) & 0xffff }),
  [law.keys],
)
wide.add(
  'race: words indexed by 16 bits',
  changed(race(), { draw: (random) => ({ u: (i) => random.uniform(i & 0xffff) }) }),
  [law.keys],
)
wide.add(
  'race: ids beyond 50,256 never win',
  raceAmong((i) => i < 50_257),
  [law.keys],
)
wide.add(
  'race: ids beyond 100,000 never win',
  raceAmong((i) => i < 100_000),
  [law.keys],
)
wide.add(
  'race: the size of the vocabulary kept in 16 bits',
  raceAmong((i, p) => i < Math.max(1, p.length & 0xffff)),
  [law.keys],
)

// --- floors
const raceOn = (floored: (mass: number) => number): Watermark<Uniforms> =>
  changed(race(), { choose: (p, { u }) => first(p, (i) => arrival(floored(p[i]!), u(i))) })
wide.add(
  'race: probabilities clipped at 1e-6',
  raceOn((mass) => Math.max(mass, 1e-6)),
  [law.keys],
)
wide.add(
  'race: integer frequencies of 20 bits with a floor of 1',
  raceOn((mass) => Math.max(1, Math.round(mass * 2 ** 20))),
  [law.keys],
)

// --- one token
one.add(
  'race: the end token 50,256 never drawn',
  raceAmong((i) => i !== 50_256),
  [law.keys],
)
one.add(
  'race: token 2 never drawn where there are more than 100',
  raceAmong((i, p) => i !== 2 || p.length <= 100),
  [law.keys],
)
one.add(
  'race: the last id never drawn where there are more than 10,000',
  raceAmong((i, p) => p.length <= 10_000 || i < p.length - 1),
  [law.keys],
)
one.add(
  'dip: a newline banned after the mark and renormalised',
  changed(dip(), {
    reweight: (p, code, q) => {
      dip().reweight(p, code, q)
      if (p.length <= 198 || q[198]! >= 1) return
      const rest = 1 - q[198]!
      q[198] = 0
      for (let i = 0; i < q.length; i++) q[i]! /= rest
    },
  }),
  [law.keys],
)
one.add(
  'race: +2 on the logits of three tokens',
  changed(race(), {
    choose: (p, { u }) =>
      first(p, (i) => arrival(p[i]! * (i === 5 || i === 9 || i === 13 ? Math.exp(2) : 1), u(i))),
  }),
  [law.keys],
)

for (const id of [13, 128_009])
  one.add(
    `race: token ${id.toLocaleString('en')} never drawn`,
    raceAmong((i) => i !== id),
    [law.keys],
  )

// --- what is remembered
/** A race on logarithms that are remembered by `name` of p. */
export const remembering = (name: (p: Float64Array) => string): Watermark<Uniforms> => {
  const known = new Map<string, Float64Array>()
  return changed(race(), {
    choose: (p, { u }) => {
      const key = name(p)
      if (!known.has(key)) {
        if (known.size > 64) known.clear()
        known.set(key, p.map(Math.log))
      }
      const logs = known.get(key)!
      return first(p, (i) => Math.log(-Math.log(u(i))) - logs[i]!)
    },
  })
}
state.add(
  'race: ln p cached by the first probability and the size',
  remembering((p) => `${p[0]}/${p.length}`),
  [law.keys],
)
state.add(
  'race: ln p cached by the largest probability and the size',
  remembering((p) => `${p.reduce((a, b) => Math.max(a, b), 0)}/${p.length}`),
  [law.keys],
)
state.add(
  'race: ln p cached by the second probability and the size',
  remembering((p) => `${p[1]}/${p.length}`),
  [law.keys],
)
state.add(
  'race: ln p cached by the first four probabilities and the size',
  remembering((p) => `${p.subarray(0, 4).join()}/${p.length}`),
  [law.keys],
)
/** The same, which remembers the last p only. */
const last = (name: (p: Float64Array) => string): Watermark<Uniforms> => {
  let known = { name: '', logs: new Float64Array(0) }
  return changed(race(), {
    choose: (p, { u }) => {
      if (known.name !== name(p)) known = { name: name(p), logs: p.map(Math.log) }
      return first(p, (i) => Math.log(-Math.log(u(i))) - known.logs[i]!)
    },
  })
}
state.add(
  'race: ln p of the last call kept while the first eight probabilities stay',
  last((p) => p.subarray(0, 8).join()),
  [law.deterministic],
)
state.add(
  "race: tail ids from the sampler's own noise",
  changed(race(), {
    choose: (p, { u }) => first(p, (i) => arrival(p[i]!, p[i]! < 1e-3 ? Math.random() : u(i))),
  }),
  [law.deterministic],
)
for (const [name, isTail] of [
  ['probabilities below 1e-5', (mass: number) => mass < 1e-5],
  ['ids above 60,000', (_: number, i: number) => i > 60_000],
] as const)
  state.add(
    `race: ${name} by the sampler's own noise`,
    changed(race(), {
      choose: (p, { u }) => first(p, (i) => arrival(p[i]!, isTail(p[i]!, i) ? Math.random() : u(i))),
    }),
    [law.deterministic],
  )
