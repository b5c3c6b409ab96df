/**
 * Mistakes that show at the size where watermarks are used: on large vocabularies, on some ids, in narrow number formats. On eight
 * tokens nothing is wrong with them.
 */

import { OWN, type Random } from '../../src/core/keys/random.ts'
import { defineWatermark } from '../../src/core/method/define-watermark.ts'
import { ngram } from '../../src/index.ts'
import type { Watermark } from '../../src/watermark.ts'
import { arrival, dipBend, first, half, increments, race, type Uniforms } from './bases.ts'
import { changed, family, law } from './mutant.ts'

const { mutants, add } = family('sizes')

export { mutants as sizes }

// --- what mutants are made of

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
