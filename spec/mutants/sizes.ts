/**
 * Mistakes that show at the size where watermarks are used: on large vocabularies, on some ids, at some positions, above some entropy,
 * in narrow number formats. On eight tokens and in the first dozen positions nothing is wrong with them.
 */
import { ngram } from '../../src/index.ts'
import { OWN, type Random } from '../../src/keys/random.ts'
import type { ContextRule } from '../../src/keys/rule.ts'
import type { Context } from '../../src/keys/schedule.ts'
import { defineWatermark, type Watermark } from '../../src/watermark.ts'
import {
  arrival,
  complement,
  dipBend,
  drawWords,
  first,
  half,
  increments,
  isGreen,
  race,
  sta,
  type Uniforms,
  type Words,
} from './bases.ts'
import { changed, family, law } from './mutant.ts'

const { mutants, add } = family('sizes')

export { mutants as sizes }

// --- what mutants are made of

export const entropyOf = (p: Float64Array): number =>
  -p.reduce((sum, mass) => sum + (mass > 0 ? mass * Math.log(mass) : 0), 0)

/** p with the mass of green tokens times `factor`, normalised: a green list on logits. */
function favour(
  p: Float64Array,
  isFavoured: (token: number) => boolean,
  factor: number,
  q: Float64Array,
): void {
  let sum = 0
  for (let i = 0; i < p.length; i++) sum += q[i] = p[i]! * (isFavoured(i) ? factor : 1)
  for (let i = 0; i < p.length; i++) q[i]! /= sum
}
/** delta = 2 and 4 */
const E2 = Math.exp(2)
const E4 = Math.exp(4)

/** sta where the mistake is not, a green list on logits, of delta 2 unless told, where it is. */
const kgwWhere = (isWrong: (p: Float64Array) => boolean, factor = E2): Watermark<Words> =>
  changed(sta(), {
    reweight: (p, code, q) => {
      if (isWrong(p)) favour(p, (i) => isGreen(i, code), factor, q)
      else sta().reweight(p, code, q)
    },
    orbit: undefined,
  })

/** A race with other arrivals: `time(token)` of those that take part. */
const raceWith = (
  p: Float64Array,
  u: (token: number) => number,
  takesPart: (token: number) => boolean = () => true,
): number => first(p, (i) => (takesPart(i) ? arrival(p[i]!, u(i)) : Number.POSITIVE_INFINITY))

/** The k-th largest mass. */
const largest = (p: Float64Array, k: number): number => p.toSorted()[Math.max(0, p.length - k)]!

/** A race in which some tokens do not take part. */
export const raceAmong = (takesPart: (token: number, p: Float64Array) => boolean): Watermark<Uniforms> =>
  changed(race(), {
    choose: (p, { u }) => raceWith(p, u, (i) => takesPart(i, p)),
  })

/** A race whose arrivals come from another uniform. */
const raceFrom = (uniform: (random: Random, token: number) => number): Watermark<Uniforms> =>
  changed(race(), { draw: (random) => ({ u: (i) => uniform(random, i) }) })

/** A place on the line of tokens in order of their ids. */
interface Place {
  readonly u: number
}
const line = (p: Float64Array, u: number, add: (a: number, b: number) => number): number => {
  let s = 0
  let last = 0
  for (let i = 0; i < p.length; i++) {
    if (p[i] === 0) continue
    s = add(s, p[i]!)
    last = i
    if (u < s) return i
  }
  return last
}
/** Inverse sampling over ids in order. */
export const ordered = (add = (a: number, b: number): number => a + b): Watermark<Place> =>
  defineWatermark({
    id: 'plain line',
    unbiased: true,
    context: ngram(2),
    draw: (random) => ({ u: random.uniform(OWN) }),
    choose: (p, { u }) => line(p, u, add),
    score: (_, { u }) => (u < 1 / 2 ? 1 : 0),
    detector: half,
  })

/** Rounds to so many significant bits. */
const rounded =
  (bits: number) =>
  (x: number): number => {
    const scale = 2 ** (bits - 1 - Math.floor(Math.log2(x || 1)))
    return Math.round(x * scale) / scale
  }

/** An order of all tokens. */
interface Order {
  readonly random: Random
  readonly turned: boolean
  readonly shuffle: (random: Random, size: number) => Uint32Array
}
const identity = (size: number): Uint32Array => Uint32Array.from({ length: size }, (_, i) => i)
function swapped(order: Uint32Array, i: number, j: number): void {
  const kept = order[i]!
  order[i] = order[j]!
  order[j] = kept
}
/** Fisher and Yates: each place from the last takes one of those up to it. */
export const fisherYates =
  (below: (word: number, n: number) => number) =>
  (random: Random, size: number): Uint32Array => {
    const order = identity(size)
    for (let i = size - 1; i > 0; i--) swapped(order, i, below(random.uint32(i), i + 1))
    return order
  }
export const unbiasedBelow = (word: number, n: number): number => Math.floor((word / 2 ** 32) * n)

/** Dip along a shuffled order; its orbit is the order and its reverse, which average to p whatever the shuffle. */
const shuffledDip = (shuffle: Order['shuffle']): Watermark<Order> =>
  defineWatermark<Order>({
    id: 'plain shuffled dip',
    unbiased: true,
    context: ngram(2),
    draw: (random) => ({ random, turned: false, shuffle }),
    reweight: (p, { random, turned, shuffle }, q) => {
      const order = shuffle(random, p.length)
      increments(p, [...(turned ? order.toReversed() : order)], dipBend(0.4), q)
      for (let i = 0; i < q.length; i++) q[i] = Math.max(0, q[i]!)
    },
    score: (token, { random, turned }) => (random.uint32(OWN + token) >= 2 ** 31 !== turned ? 1 : 0),
    detector: half,
    orbit: (code) => [code, { ...code, turned: !code.turned }],
  })

/** A rule that also tells the position. */
export const withPosition = (rule: ContextRule): ContextRule => ({
  ...rule,
  id: `${rule.id} and position`,
  begin(perText) {
    const cursor = rule.begin(perText)
    return {
      next(tokens) {
        const context = cursor.next(tokens)
        return context && [...context, tokens.length]
      },
      drew: (token, probability) => cursor.drew?.(token, probability),
    }
  },
  scored: (tokens, skip) => rule.scored(tokens, skip).map((context, t) => context && [...context, t]),
})

export interface Placed extends Words {
  readonly t: number
}
/** sta, but for what `wrong` does with its q at a position. */
export const staAt = (
  wrong: (t: number, q: Float64Array, p: Float64Array, code: Words) => void,
): Watermark<Placed> =>
  changed(sta() as unknown as Watermark<Placed>, {
    context: withPosition(ngram(2)),
    draw: (random, _, { context }) => ({ word: (i) => random.uint32(i), t: (context as Context).at(-1)! }),
    reweight: (p, code, q) => {
      sta().reweight(p, code, q)
      wrong(code.t, q, p, code)
    },
    orbit: undefined,
  })
/** Moves 40% of the smaller of the first two masses from one to the other. */
export const shift = (q: Float64Array, sign: number): void => {
  const moved = sign * 0.4 * Math.min(q[0]!, q[1] ?? 0)
  q[0]! += moved
  if (q.length > 1) q[1]! -= moved
}
export const kgwAt = (isWrong: (t: number) => boolean): Watermark<Placed> =>
  staAt((t, q, p, code) => {
    if (isWrong(t)) favour(p, (i) => isGreen(i, code), E2, q)
  })

/** sta between p and itself: a strength in (0, 1) per code. */
interface Strong extends Words {
  readonly strength: number
}
const strengths = (orbit: (code: Strong) => Strong[]): Watermark<Strong> =>
  defineWatermark<Strong>({
    id: 'continuous strength',
    unbiased: true,
    context: ngram(2),
    draw: (random) => ({ ...drawWords(random), strength: random.uniform(OWN) }),
    reweight: (p, code, q) => {
      sta().reweight(p, code, q)
      for (let i = 0; i < p.length; i++) q[i] = p[i]! + code.strength * (q[i]! - p[i]!)
    },
    score: (token, code) => (isGreen(token, code) ? 1 : 0),
    detector: half,
    orbit,
  })
const turned = (code: Strong): Strong => ({ ...complement(code), strength: code.strength })

const squared = (code: Strong): Strong => ({ ...code, strength: code.strength ** 2 })

// --- the tail of a vocabulary
add(
  'race: among the 50 most probable tokens',
  changed(race(), {
    choose: (p, { u }) => {
      const least = largest(p, 50)
      return raceWith(p, u, (i) => p[i]! >= least)
    },
  }),
  [law.keys],
)
add(
  'race: among the 1,000 most probable tokens',
  changed(race(), {
    choose: (p, { u }) => {
      const least = largest(p, 1000)
      return raceWith(p, u, (i) => p[i]! > least || (p[i] === least && i < 1000))
    },
  }),
  [law.keys],
)
add(
  'race: tokens with p < 1e-3 dropped',
  raceAmong((i, p) => p[i]! >= 1e-3),
  [law.keys],
)
add(
  'race: a nucleus of 0.9 where there are more than 256 tokens',
  changed(race(), {
    choose: (p, { u }) => {
      if (p.length <= 256) return raceWith(p, u)
      const sorted = p.toSorted().reverse()
      let mass = 0
      let k = 0
      while (mass < 0.9 && k < sorted.length) mass += sorted[k++]!
      const least = sorted[k - 1]!
      return raceWith(p, u, (i) => p[i]! > least || (p[i] === least && i < k))
    },
  }),
  [law.keys],
)
add(
  'race: probabilities cut to 16 bits',
  changed(race(), {
    choose: (p, { u }) => {
      const cut = p.map((mass) => Math.floor(mass * 2 ** 16) / 2 ** 16)
      return raceWith(cut.some((mass) => mass > 0) ? cut : p, u)
    },
  }),
  [law.keys],
)
add(
  'race: arrivals of the tail (p < 1e-4) without the logarithm',
  changed(race(), {
    choose: (p, { u }) => first(p, (i) => (p[i]! < 1e-4 ? (1 - u(i)) / 2 : -Math.log(u(i))) / p[i]!),
  }),
  [law.keys],
)

// --- randomness that is too little
add(
  'race: randomness by token & 255',
  raceFrom((random, i) => random.uniform(i & 255)),
  [law.keys],
)
add(
  'race: a table of 4,096 random numbers',
  raceFrom((random, i) => random.uniform(i % 4096)),
  [law.keys],
)
add(
  'race: token numbers of 15 bits',
  raceFrom((random, i) => random.uniform(i & 0x7fff)),
  [law.keys],
)
add(
  'race: token numbers hashed modulo 32,749',
  raceFrom((random, i) => random.uniform((i * 31) % 32_749)),
  [law.keys],
)
for (const bits of [11, 14])
  add(
    `race: uniforms of ${bits} bits`,
    raceFrom((random, i) => ((random.uint32(i) >>> (32 - bits)) + 0.5) / 2 ** bits),
    [law.keys],
  )
add(
  'dip: a poor shuffle (each place takes any other), orbit averages to p',
  shuffledDip((random, size) => {
    const order = identity(size)
    for (let i = 0; i < size; i++) swapped(order, i, unbiasedBelow(random.uint32(i), size))
    return order
  }),
  [law.keys],
)
add(
  'dip: shuffled by remainders of 12 bits, orbit averages to p',
  shuffledDip(fisherYates((word, n) => (word & 0xfff) % n)),
  [law.keys],
)
add(
  'dip: only the first 128 places are shuffled',
  shuffledDip((random, size) => {
    const order = identity(size)
    for (let i = 0; i < Math.min(size - 1, 128); i++)
      swapped(order, i, i + unbiasedBelow(random.uint32(i), Math.min(size, 128) - i))
    return order
  }),
  [law.keys],
)
add(
  'line: the place has 8 bits',
  changed(ordered(), { draw: (random) => ({ u: (random.uint32(OWN) >>> 24) / 256 }) }),
  [law.keys],
)

// --- sizes and ids
add(
  'race: ids beyond 32,767 are negative, and out',
  raceAmong((i) => i < 2 ** 15),
  [law.keys],
)
add(
  'race: 32 lanes leave out the last ids',
  raceAmong((i, p) => p.length < 33 || i < p.length - (p.length % 32)),
  [law.keys],
)
add(
  'race: pairs of tokens, odd sizes above 100 lose half a pair',
  changed(race(), {
    choose: (p, { u }) =>
      first(p, (i) =>
        arrival(p[i]!, p.length > 100 && p.length % 2 === 1 && i % 2 === 1 ? Math.sqrt(u(i)) : u(i)),
      ),
  }),
  [law.keys],
)
add(
  'race: bit 8 of the id costs 20%',
  changed(race(), {
    choose: (p, { u }) => first(p, (i) => arrival(p[i]! * ((i >>> 8) & 1 ? 0.8 : 1), u(i))),
  }),
  [law.keys],
)
add(
  'race: every seventh id is twice as fast where there are more than 100',
  changed(race(), {
    choose: (p, { u }) => first(p, (i) => arrival(p[i]! * (p.length > 100 && i % 7 === 3 ? 2 : 1), u(i))),
  }),
  [law.keys],
)
add(
  'race: a fast path for powers of two above 1,000 takes the square of p',
  changed(race(), {
    choose: (p, { u }) => {
      const isPower = p.length > 1000 && (p.length & (p.length - 1)) === 0
      return first(p, (i) => -Math.log(u(i)) / p[i]! ** (isPower ? 2 : 1))
    },
  }),
  [law.keys],
)
add(
  'sta: green mass by count where there are more than 100 tokens',
  changed(sta(), {
    reweight: (p, code, q) => {
      if (p.length <= 100) return sta().reweight(p, code, q)
      const green = p.reduce((n, _, i) => n + (isGreen(i, code) ? 1 : 0), 0)
      const rest = 1 - green / p.length
      favour(p, (i) => isGreen(i, code), (1 + rest) / rest, q)
    },
    orbit: undefined,
  }),
  [law.keys],
)

// --- number formats
add(
  'line: running mass in half precision',
  ordered((a, b) => rounded(11)(a + b)),
  [law.keys],
)
add(
  'line: running mass in bfloat16',
  ordered((a, b) => rounded(8)(a + b)),
  [law.keys],
)

// --- entropy and shape
add(
  'kgw(2) where entropy exceeds 2.2 nats',
  kgwWhere((p) => entropyOf(p) > 2.2),
  [law.keys],
)
add(
  'kgw(2) where one of more than 100 tokens has half',
  kgwWhere((p) => p.length > 100 && Math.max(...p) > 0.5),
  [law.keys],
)
add(
  'kgw(2) where more than 100 tokens have no mass',
  kgwWhere((p) => p.filter((mass) => mass === 0).length > 100),
  [law.keys],
)

add(
  'kgw(2) where a token has more than 0.9',
  kgwWhere((p) => largest(p, 1) > 0.9),
  [law.keys],
)
add(
  'kgw(2) where one of more than 100 tokens has more than 0.9',
  kgwWhere((p) => p.length > 100 && largest(p, 1) > 0.9),
  [law.keys],
)
add(
  'kgw(2) where fewer than 100 of more than 1,000 tokens have mass',
  kgwWhere((p) => p.length > 1000 && p.filter((mass) => mass > 0).length < 100),
  [law.keys],
)
for (const [from, to] of [
  [9, 15],
  [17, 63],
  [1001, 9999],
] as const)
  add(
    `kgw(2) where there are ${from.toLocaleString('en')} to ${to.toLocaleString('en')} tokens`,
    kgwWhere(({ length }) => length >= from && length <= to),
    [law.keys],
  )
add(
  'kgw(4) where there are more than 10,000 tokens',
  kgwWhere(({ length }) => length > 10_000, E4),
  [law.keys],
)

// --- positions
add(
  '0.4 min(q0, q1) moved one way at even positions, the other way at odd ones',
  staAt((t, q) => shift(q, t % 2 === 0 ? 1 : -1)),
  [law.keys],
)
add(
  'kgw(2) from the 13th position on',
  kgwAt((t) => t >= 13),
  [law.keys],
)
add(
  'kgw(2) beyond 128 tokens',
  kgwAt((t) => t >= 128),
  [law.keys],
)
add(
  'kgw(2) at one position of three',
  kgwAt((t) => t % 3 === 0),
  [law.keys],
)
add(
  'the first two tokens, even chances at position 7 only',
  staAt((t, q, p) => {
    if (t !== 7 || p[0] === 0 || !(p[1]! > 0)) return
    const mean = (q[0]! + q[1]!) / 2
    q[0] = mean
    q[1] = mean
  }),
  [law.keys],
)
add(
  '0.4 min(q0, q1) one way at positions 16 to 31, the other way at 32 to 63',
  staAt((t, q) => {
    if (t >= 16 && t < 64) shift(q, t < 32 ? 1 : -1)
  }),
  [law.keys],
)

// --- orbits of continuous codes: they average to p and are not what keys draw
add(
  'continuous strength: an orbit that squares it',
  strengths((code) => [code, squared(code)].flatMap((one) => [one, turned(one)])),
  [law.honest],
)
add(
  'continuous strength: an orbit of all strengths',
  strengths((code) =>
    [code, { ...code, strength: 1 - code.strength / 2 }].flatMap((one) => [one, turned(one)]),
  ),
  [law.honest],
)
