/** Mistakes of a few thousandths, on few tokens, without an orbit that would show them exactly. */

import { siphash128 } from '../../src/core/kernels/siphash.ts'
import { OWN } from '../../src/core/keys/random.ts'
import { kgw } from '../../src/index.ts'
import type { Watermark } from '../../src/watermark.ts'
import { arrival, first, inverse, isGreen, race, sta, type Uniforms } from './bases.ts'
import { changed, family, law } from './mutant.ts'
import { raceAmong } from './sizes.ts'

const { mutants, add } = family('small biases')

export { mutants as smallBiases }

for (const delta of [0.5, 0.4, 0.3])
  add(
    `kgw(${delta}) declared unbiased, its green sets not listed`,
    changed(kgw({ delta }), { unbiased: true, enumerate: undefined }),
    [law.keys],
  )

/** Rounds to 11 significant bits, as float16 does within its range. */
function half(x: number): number {
  const unit = 2 ** (Math.floor(Math.log2(Math.abs(x) || 1)) - 10)
  return Math.round(x / unit) * unit
}
/** Logits of a model have an offset that the softmax takes away. */
const OFFSET = 18
add(
  'race: logit and noise added in float16',
  changed(race(), {
    choose: (p, { u }) =>
      first(p, (i) => -half(half(OFFSET + Math.log(p[i]!)) + half(-Math.log(-Math.log(u(i)))))),
  }),
  [law.keys],
)

interface Drafted extends Uniforms {
  readonly accept: number
}
const normalised = (w: Float64Array): Float64Array => {
  const total = w.reduce((sum, mass) => sum + mass, 0)
  return w.map((mass) => mass / total)
}
/** A race on a flatter draft, accepted as in speculative sampling; else the residual by the noise of `other`. */
const speculative = (other: 'draft' | 'own'): Watermark<Drafted> =>
  changed(race() as Watermark<Drafted>, {
    draw: (random) => ({
      u: (i) => random.uniform(i),
      accept: random.uniform(OWN),
      residual: (i: number) => random.uniform(2 * OWN + i),
    }),
    choose: (p, code) => {
      const { u, accept } = code
      const draft = normalised(p.map((mass) => mass ** 0.8))
      const token = first(draft, (i) => arrival(draft[i]!, u(i)))
      if (accept * draft[token]! < p[token]!) return token
      const left = p.map((mass, i) => Math.max(0, mass - draft[i]!))
      const noise = other === 'draft' ? u : (code as Drafted & { residual(i: number): number }).residual
      return first(left, (i) => arrival(left[i]!, noise(i)))
    },
  })
/** The right one: a noise of its own. */
export const drafted = speculative('own')
add("race: a speculative residual drawn with the draft's noise", speculative('draft'), [law.keys])

add(
  'sta: half a percent of uniform noise over the support, no orbit',
  changed(sta(), {
    reweight: (p, code, q) => {
      sta().reweight(p, code, q)
      const reached = p.map((mass) => (mass > 1e-9 ? 1 : 0))
      const support = reached.reduce((sum, one) => sum + one, 0)
      for (let i = 0; i < p.length; i++) q[i] = 0.995 * q[i]! + (0.005 * reached[i]!) / support
    },
    orbit: undefined,
  }),
  [law.keys],
)
add(
  'race: the most probable token where it exceeds 0.98',
  changed(race(), {
    choose: (p, { u }) => {
      const sure = p.findIndex((mass) => mass > 0.98)
      return sure >= 0 ? sure : first(p, (i) => arrival(p[i]!, u(i)))
    },
  }),
  [law.keys],
)
/** Returns whether a token is in the nucleus: those above it have less than `share`. */
const inNucleus = (share: number) => (token: number, p: Float64Array) =>
  p.reduce((sum, mass, i) => sum + (mass > p[token]! || (mass === p[token]! && i < token) ? mass : 0), 0) <
  share
add(
  'race: a nucleus of 0.99 inside, up to 100 tokens',
  raceAmong((token, p) => p.length > 100 || inNucleus(0.99)(token, p)),
  [law.keys],
)
add(
  'race: a temperature of 0.98 inside',
  changed(race(), { choose: (p, { u }) => first(p, (i) => arrival(p[i]! ** (1 / 0.98), u(i))) }),
  [law.keys],
)
add(
  'inverse: u from six bits, no orbit',
  changed(inverse(), {
    draw: (random) => ({ word: (i) => random.uint32(i), u: (random.uint32(OWN) >>> 26) / 64 }),
    orbit: undefined,
  }),
  [law.keys],
)
add(
  'race: the most probable token where it exceeds 0.995',
  changed(race(), {
    choose: (p, { u }) => {
      const sure = p.findIndex((mass) => mass > 0.995)
      return sure >= 0 ? sure : first(p, (i) => arrival(p[i]!, u(i)))
    },
  }),
  [law.keys],
)
add(
  'kgw(0.4) by a hash of the key itself',
  changed(sta(), {
    needsKey: true,
    draw: (_, __, { key, context }) => {
      const words = new Uint32Array(4)
      for (const [i, byte] of key.entries()) words[i & 3] = Math.imul(words[i & 3]! ^ byte, 0x01000193)
      return { word: (i) => siphash128(words, [...context, i], new Uint32Array(4))[0]! }
    },
    reweight: (p, code, q) => {
      let total = 0
      for (let i = 0; i < p.length; i++) total += q[i] = p[i]! * Math.exp(isGreen(i, code) ? 0.4 : 0)
      for (let i = 0; i < q.length; i++) q[i]! /= total
    },
    orbit: undefined,
  }),
  [law.keys],
)
