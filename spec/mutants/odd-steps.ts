/** Correct watermarks whose step is unusual: no law may refuse them. */

import { OWN } from '../../src/core/keys/random.ts'
import { defineWatermark } from '../../src/core/method/define-watermark.ts'
import { binomial, exponential, sumDetector } from '../../src/index.ts'
import type { Declaration, Watermark } from '../../src/watermark.ts'
import type { AnyWatermark } from '../../src/watermarks/entry.ts'
import {
  arrival,
  bit,
  both,
  complement,
  dip,
  dipBend,
  drawWords,
  first,
  greenMass,
  increments,
  isGreen,
  LAYERS,
  orderOf,
  race,
  sta,
  tournament,
  type Uniforms,
  type Words,
} from './bases.ts'
import { changed } from './mutant.ts'
import type { Odd } from './odd-texts.ts'
import { entropyOf } from './shapes.ts'
import { fisherYates, unbiasedBelow } from './sizes.ts'
import { drafted } from './small-biases.ts'
import { remembering } from './wide.ts'

const list: Odd[] = []
const add = (name: string, watermark: AnyWatermark): void => {
  list.push({ name, watermark: { ...watermark, id: name } })
}

export { list as oddSteps }

/** An order of the tokens, and a number for each. */
type Flips = Words & Uniforms
add(
  'permute and flip: the first token of an order whose coin of p / max p shows heads',
  defineWatermark<Flips>({
    id: 'permute and flip',
    unbiased: true,
    target: 'permute-and-flip',
    context: dip().context,
    draw: (random) => ({ ...drawWords(random), u: (i) => random.uniform(OWN + i) }),
    choose(p, flips) {
      const most = p.reduce((a, b) => Math.max(a, b), 0)
      return orderOf(p.length, flips).find((token) => flips.u(token) < p[token]! / most)!
    },
    score: (token, { u }) => -Math.log(u(token)),
    detector: sumDetector({ nullLaw: exponential() }),
  }),
)

// --- code spaces
/** Tokens in a drawn order, and the place of each in it. */
interface Ranked {
  readonly order: Uint32Array
  readonly rank: Uint32Array
}
function ranked(order: Uint32Array): Ranked {
  const rank = new Uint32Array(order.length)
  order.forEach((token, place) => {
    rank[token] = place
  })
  return { order, rank }
}
add(
  'one of V! orders of the vocabulary, shuffled',
  changed(dip() as unknown as Watermark<Ranked>, {
    draw: (random, size) => ranked(fisherYates(unbiasedBelow)(random, size)),
    reweight: (p, { order }, q) => {
      increments(p, [...order], dipBend(0.4), q)
      for (let i = 0; i < q.length; i++) q[i] = Math.max(0, q[i]!)
    },
    score: (token, { rank }) => (rank[token]! >= Math.ceil(rank.length / 2) ? 1 : 0),
    detector: sumDetector({ nullLaw: (size) => binomial(Math.floor(size / 2) / size), bound: 1 }),
    orbit: ({ order }) => [ranked(order), ranked(order.toReversed())],
  }),
)
add(
  'codes in a table of 16 bits per token',
  changed(dip(), {
    // ties are broken by a second word, so that no order is preferred
    draw: (random, size): Words => {
      const table = Uint16Array.from({ length: size }, (_, i) => random.uint32(i) >>> 16)
      return { word: (i) => table[i]! * 2 ** 16 + (random.uint32(i) & 0xffff) }
    },
  }),
)

// --- strengths
interface Strong extends Words {
  /** Between 0 and 1. */
  readonly strength: number
}
/** `base` with a strength that each code draws; scores do not know it. */
const withStrength = (
  base: Watermark<Words>,
  strengthOf: (u: number) => number,
  step: (p: Float64Array, code: Strong, q: Float64Array) => void,
): Watermark<Strong> =>
  changed(base as unknown as Watermark<Strong>, {
    draw: (random) => ({ ...drawWords(random), strength: strengthOf(random.uniform(OWN)) }),
    reweight: step,
    orbit: (code) => [code, { ...complement(code), strength: code.strength }],
  })
const mixed = (p: Float64Array, code: Strong, q: Float64Array): void => {
  sta().reweight(p, code, q)
  for (let i = 0; i < p.length; i++) q[i] = p[i]! + code.strength * (q[i]! - p[i]!)
}
add(
  'dip with a strength from a continuum',
  withStrength(
    dip(),
    (u) => (1 + u) / 4,
    (p, code, q) => {
      increments(p, orderOf(p.length, code), dipBend(code.strength), q)
      for (let i = 0; i < q.length; i++) q[i] = Math.max(0, q[i]!)
    },
  ),
)
add(
  'sta with a strength from a continuum',
  withStrength(sta(), (u) => Math.sqrt(u), mixed),
)
add(
  'one code in five marks, the others leave p alone',
  withStrength(sta(), (u) => (u < 1 / 5 ? 1 : 0), mixed),
)

// --- steps that look at p
const staWhere = (isMarked: (p: Float64Array) => boolean): Watermark<Words> =>
  changed(sta(), {
    reweight: (p, code, q) => {
      if (isMarked(p)) sta().reweight(p, code, q)
      else q.set(p)
    },
    orbit: both,
  })
add(
  'marks only where entropy exceeds one nat',
  staWhere((p) => entropyOf(p) > 1),
)
add(
  'leaves p alone where a token has 0.9',
  staWhere((p) => p.every((mass) => mass < 0.9)),
)
add(
  'marks even ids among themselves, odd ids never',
  defineWatermark<Words>({
    ...sta(),
    id: 'even ids',
    reweight: (p, code, q) => {
      const even = p.map((mass, i) => (i % 2 === 0 ? mass : 0))
      const total = even.reduce((sum, mass) => sum + mass, 0)
      const rest = total === 0 ? 0 : Math.max(0, 1 - greenMass(even, code) / total)
      for (let i = 0; i < p.length; i++)
        q[i] = i % 2 === 1 ? p[i]! : p[i]! * (isGreen(i, code) ? 1 + rest : rest)
    },
  }),
)

// --- green shares
add(
  'a quarter of the tokens green',
  changed(sta(), {
    reweight: (p, code, q) => {
      const rest = Math.max(0, 1 - p.reduce((sum, mass, i) => sum + (isGreen(i, code, 1 / 4) ? mass : 0), 0))
      for (let i = 0; i < p.length; i++) q[i] = p[i]! * (isGreen(i, code, 1 / 4) ? 1 + rest : rest)
    },
    score: (token, code) => (isGreen(token, code, 1 / 4) ? 1 : 0),
    detector: sumDetector({ nullLaw: binomial(1 / 4), bound: 1 }),
    orbit: undefined,
  }),
)
add('a tournament that declares no orbit', changed(tournament(), { orbit: undefined }))

// --- number formats and fast paths
add(
  'a race in float32',
  changed(race(), {
    choose: (p, { u }) => first(p, (i) => Math.fround(Math.fround(-Math.log(u(i))) / Math.fround(p[i]!))),
  }),
)
add(
  'a race over lanes of 32, padded with impossible tokens',
  changed(race(), {
    choose: (p, { u }) => {
      const padded = new Float64Array(32 * Math.ceil(p.length / 32))
      padded.set(p)
      return first(padded, (i) => arrival(padded[i]!, u(i)))
    },
  }),
)
add(
  'a race that stops where no later token can win',
  changed(race(), {
    choose: (p, { u }) => {
      const order = [...p.keys()].filter((i) => p[i]! > 0).sort((a, b) => p[b]! - p[a]!)
      let [best, least] = [order[0]!, Number.POSITIVE_INFINITY]
      for (const i of order) {
        // no uniform is above 1 - 2^-53, so nothing arrives before 2^-53 / p
        if (2 ** -53 / p[i]! > least) break
        const time = arrival(p[i]!, u(i))
        if (time < least) [best, least] = [i, time]
      }
      return best
    },
  }),
)

// --- words that nets and bets must get right
const parity = (word: number): number => {
  let x = word
  for (const shift of [16, 8, 4, 2, 1]) x ^= x >>> shift
  return x & 1
}
add(
  'green by the parity of all bits of a word',
  changed(sta(), {
    draw: (random) => ({ word: (i) => (parity(random.uint32(i)) === 1 ? 0 : 2 ** 32 - 1) }),
    orbit: undefined,
  }),
)
add(
  'a race on the sum of words of position and key',
  changed(race(), {
    draw: (random, _, { shared }) => ({
      u: (i) => (((random.uint32(i) + shared.uint32(i)) >>> 0) + 0.5) / 2 ** 32,
    }),
  }),
)
add(
  'a race that reads five words per token',
  changed(race(), {
    draw: (random) => ({
      u: (i) => {
        let word = 0
        for (let k = 0; k < 5; k++) word ^= random.uint32(2 ** 24 * k + i)
        return ((word >>> 0) + 0.5) / 2 ** 32
      },
    }),
  }),
)
add('a draft, accepted or redrawn with a noise of its own', drafted)
add(
  'a race that remembers ln p by all of p',
  remembering((p) => (p.length > 4096 ? `${Math.random()}` : p.join())),
)
add(
  'the last id decided first, by a number of its own, then a race of the others',
  changed(race(), {
    draw: (random) => ({ u: (i) => random.uniform(i), end: random.uniform(OWN) }),
    choose: (p, { u, ...code }) => {
      const { end } = code as { readonly end: number }
      const last = p.length - 1
      if (end < p[last]! || p[last] === 1) return last
      return first(p, (i) => (i === last ? Number.POSITIVE_INFINITY : arrival(p[i]!, u(i))))
    },
  } as Partial<Declaration<Uniforms>>),
)
add(
  'a tournament in plain arithmetic, negative by rounding',
  changed(tournament(), {
    reweight: (p, code, q) => {
      q.set(p)
      for (let layer = 0; layer < LAYERS; layer++) {
        const ones = q.reduce((sum, mass, i) => sum + mass * bit(i, layer, code), 0)
        for (let i = 0; i < q.length; i++) q[i]! *= 1 + bit(i, layer, code) - ones
      }
    },
  }),
)
