/**
 * The sets of tokens on which a bias is looked for: every set where there are few tokens; else sets at which implementations
 * break: by rank of probability, by mass, by id (ranges, the last ids that fill no lane, bits, remainders), special ids and heavy tokens one
 * by one, and random halves.
 *
 * All masses q(A) come from one pass per group over the vocabulary: a group gives each token a label of one byte, and its sets
 * are sets of labels.
 */
import { seededRandom } from '../../core/keys/index.ts'
import { specialIds } from './arbitraries/rule.ts'
import type { Nonzero } from './engine/learned-set.ts'
import { Violation } from './for-all.ts'

/** Up to this many tokens that have mass, every set is looked at. */
export const EVERY_SET = 8
/** Up to this many tokens, each token is a set. */
const EACH_TOKEN = 16
const RANDOM_HALVES = 8
const REMAINDERS = [3, 5, 7] as const
const MASSES = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6] as const
/** The most probable tokens, and special ids, of at least this mass are sets of their own. */
const HEAVY = { tokens: 8, mass: 1e-3 }
const LANES = [4, 8, 16, 32] as const
/** Ids are cut into this many ranges of equal length. */
const RANGES = 16
/** If at most one of this many tokens has mass, only those are added up. */
const FEW = 16
/** q may sum to this much more or less than 1: room for float32 inside. */
const SLACK = 1e-6
/** Negative masses above this are rounding. */
export const ROUNDED = -1e-12

/** A set in words, and what is outside it. */
interface Words {
  readonly inside: string
  readonly outside: string
}

interface Group {
  readonly labels: Uint8Array
  readonly sets: readonly (Words & { readonly labels: readonly number[] })[]
}

export interface TokenSets {
  readonly count: number
  /** True if these are all sets there are. */
  readonly isEvery: boolean
  /** p(A) of each. */
  readonly means: Float64Array
  /** The most that rounding may move a mass. */
  readonly rounding: number
  /** Writes q(A) of each set; throws where q is no distribution, or has mass where p has none. Returns where q has mass. */
  project(q: Float64Array, out: Float64Array): Nonzero
  /** The smaller of a set and its complement, in words, with its mass. */
  describe(set: number): { readonly words: string; readonly mass: number; readonly isComplement: boolean }
}

const count = (n: number): string => n.toLocaleString('en')
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i)

/** A label for each token. */
function labelled(size: number, label: (token: number) => number): Uint8Array {
  const labels = new Uint8Array(size)
  for (let token = 0; token < size; token++) labels[token] = label(token)
  return labels
}

/** Sets "the first r" for each cut r: labels count the cuts below a place. */
function prefixes(
  size: number,
  place: (token: number) => number,
  cuts: readonly (Words & { at: number })[],
): Group {
  const sorted = cuts.filter(({ at }) => at > 0 && at < size).toSorted((a, b) => a.at - b.at)
  const distinct = sorted.filter(({ at }, i) => i === 0 || at !== sorted[i - 1]!.at)
  const band = new Uint8Array(size)
  for (const { at } of distinct) for (let i = at; i < size; i++) band[i]!++
  return {
    labels: labelled(size, (token) => band[place(token)]!),
    sets: distinct.map(({ inside, outside }, i) => ({ inside, outside, labels: upTo(i + 1) })),
  }
}

function byRank(p: Float64Array): Group {
  const order = Uint32Array.from(p.keys()).sort((a, b) => p[b]! - p[a]! || a - b)
  const rank = new Uint32Array(p.length)
  for (let r = 0; r < order.length; r++) rank[order[r]!] = r
  /** Counts the tokens that have at least `least`. */
  const having = (least: number): number => {
    const r = order.findIndex((token) => p[token]! < least)
    return r < 0 ? p.length : r
  }
  const support = having(Number.MIN_VALUE)
  const doubling = upTo(24).map((k) => 2 ** k)
  const ranks = doubling
    // a cut through tokens of equal mass is one by id
    .filter((r) => r < support && p[order[r]!]! < p[order[r - 1]!]!)
    .map((at) => ({
      at,
      inside: at === 1 ? 'the most probable token' : `the ${count(at)} most probable tokens`,
      outside:
        at === 1 ? 'all tokens but the most probable' : `tokens outside the ${count(at)} most probable`,
    }))
  const masses = MASSES.map((least) => ({
    at: having(least),
    inside: `tokens with p >= ${least}`,
    outside: `tokens with p < ${least}`,
  }))
  return prefixes(p.length, (token) => rank[token]!, [...ranks, ...masses])
}

function byId(size: number): Group {
  const cut = (at: number): Words & { at: number } => ({
    at,
    inside: at === 1 ? 'id 0' : `ids below ${count(at)}`,
    outside: at === size - 1 ? 'the last id' : `ids from ${count(at)} on`,
  })
  const lanes = LANES.filter((lane) => size % lane > 0).map((lane) => ({
    ...cut(size - (size % lane)),
    outside: `the last ${size % lane} ids (vocabulary size modulo ${lane})`,
  }))
  const ranges = upTo(RANGES).map((i) => Math.round((i * size) / RANGES))
  const powers = upTo(24).map((k) => 2 ** k)
  return prefixes(size, (token) => token, [...lanes, ...[...powers, ...ranges, size - 1].map(cut)])
}

/** Bits `from .. from + 7` of the id. */
function byBits(size: number, from: number): Group {
  const bits = upTo(8).filter((bit) => 2 ** (from + bit) < size)
  return {
    labels: labelled(size, (token) => (token >>> from) & 255),
    sets: bits.map((bit) => ({
      inside: `ids with bit ${from + bit} set`,
      outside: `ids with bit ${from + bit} clear`,
      labels: upTo(256).filter((label) => (label >>> bit) & 1),
    })),
  }
}

function byRemainder(size: number): Group {
  const all = REMAINDERS.reduce((a, b) => a * b, 1)
  return {
    labels: labelled(size, (token) => token % all),
    sets: REMAINDERS.filter((m) => m < size).flatMap((m) =>
      upTo(m).map((rest) => ({
        inside: `ids that leave ${rest} modulo ${m}`,
        outside: `ids that do not leave ${rest} modulo ${m}`,
        labels: upTo(all).filter((label) => label % m === rest),
      })),
    ),
  }
}

function randomly(size: number, seed: number): Group {
  const { uint32 } = seededRandom(seed, 'halves')
  return {
    labels: labelled(size, () => uint32() & 255),
    sets: upTo(RANDOM_HALVES).map((bit) => ({
      inside: `a random half of the ids (number ${bit})`,
      outside: `a random half of the ids (number ${bit}, complement)`,
      labels: upTo(256).filter((label) => (label >>> bit) & 1),
    })),
  }
}

const someTokens = (tokens: readonly number[]): string =>
  tokens.length === 1 ? `token ${tokens[0]}` : `tokens ${tokens.join(', ')}`

/** Sets of the few tokens that have mass. */
function byToken(p: Float64Array, support: readonly number[], wanted: readonly (readonly number[])[]): Group {
  const labels = new Uint8Array(p.length).fill(support.length)
  for (const [label, token] of support.entries()) labels[token] = label
  return {
    labels,
    sets: wanted.map((tokens) => ({
      inside: someTokens(tokens),
      outside: someTokens(support.filter((token) => !tokens.includes(token))),
      labels: tokens.map((token) => support.indexOf(token)),
    })),
  }
}

/** Special ids and the most probable tokens, each on its own. */
function single(p: Float64Array): Group {
  const heavy = upTo(p.length).filter((token) => p[token]! >= HEAVY.mass)
  const first = heavy.toSorted((a, b) => p[b]! - p[a]!).slice(0, HEAVY.tokens)
  const ids = [...new Set([...specialIds(p.length), ...first])].filter((token) => p[token]! >= HEAVY.mass)
  const labels = new Uint8Array(p.length)
  for (const [i, token] of ids.entries()) labels[token] = i + 1
  return {
    labels,
    sets: ids.map((token, i) => ({
      inside: `token ${count(token)}`,
      outside: `all tokens but ${count(token)}`,
      labels: [i + 1],
    })),
  }
}

/** Every set, up to its complement: the first token that has mass is outside. */
function everySet([, ...others]: readonly number[]): number[][] {
  const masks = upTo(2 ** others.length).slice(1)
  return masks.map((mask) => others.filter((_, i) => (mask >>> i) & 1))
}

function groupsOf(p: Float64Array, seed: number): Group[] {
  const size = p.length
  const support = upTo(size).filter((token) => p[token]! > 0)
  if (support.length <= EVERY_SET) return [byToken(p, support, everySet(support))]
  const groups = [byRank(p), single(p), byId(size), byRemainder(size), randomly(size, seed)]
  for (let from = 0; 2 ** from < size; from += 8) groups.push(byBits(size, from))
  const each = support.length <= EACH_TOKEN ? support.map((token) => [token]) : []
  return [...groups, byToken(p, each.flat(), each)]
}

/** Leaves out sets that are empty or everything on tokens that have mass, and repetitions, complements included. */
function distinct(groups: readonly Group[], p: Float64Array): Group[] {
  const { uint32 } = seededRandom('token sets', p.length)
  // a sum of random words for each set: different sets collide with probability 2^-32
  const words = Float64Array.from(p, (mass) => (mass > 0 ? uint32() + 1 : 0))
  const all = words.reduce((a, b) => a + b, 0)
  const seen = new Set<number>([0, all])
  return groups.map(({ labels, sets }) => {
    const byLabel = new Float64Array(256)
    for (let i = 0; i < p.length; i++) byLabel[labels[i]!]! += words[i]!
    const kept = sets.filter((set) => {
      const print = set.labels.reduce((sum, label) => sum + byLabel[label]!, 0)
      if (seen.has(print)) return false
      seen.add(print).add(all - print)
      return true
    })
    // labels that no token has need not be added up
    return {
      labels,
      sets: kept.map((set) => ({ ...set, labels: set.labels.filter((l) => byLabel[l]! > 0) })),
    }
  })
}

/** Throws where q is no distribution. */
function mustBeDistribution(q: Float64Array, total: number, stray: number): void {
  const wrong = q.findIndex((mass) => !(mass >= ROUNDED))
  if (wrong >= 0) throw new Violation(`q[${wrong}] is ${q[wrong]}, no probability`)
  if (!(Math.abs(total - 1) <= SLACK)) throw new Violation(`q sums to ${total}, not 1`)
  if (stray !== 0) throw new Violation(`q gives ${stray.toPrecision(3)} to tokens to which p gives nothing`)
}

/**
 * The family of sets for a distribution.
 * @param seed of the random halves
 */
export function tokenSets(p: Float64Array, seed: number): TokenSets {
  const groups = distinct(groupsOf(p, seed), p)
  const sets = groups.flatMap((group) => group.sets)
  const sums = new Float64Array(256)
  const hasMass = Uint8Array.from(p, (mass) => (mass > 0 ? 1 : 0))
  const few = new Uint32Array(Math.floor(p.length / FEW))
  const masses = (given: Float64Array, nonzero: Nonzero, out: Float64Array): void => {
    let at = 0
    for (const { labels, sets } of groups) {
      if (sets.length === 0) continue
      sums.fill(0)
      if (nonzero === undefined) for (let i = 0; i < given.length; i++) sums[labels[i]!]! += given[i]!
      else for (let k = 0; k < nonzero.length; k++) sums[labels[nonzero[k]!]!]! += given[nonzero[k]!]!
      for (const set of sets) {
        let mass = 0
        for (const label of set.labels) mass += sums[label]!
        // rounding may leave [0, 1]
        out[at++] = Math.min(1, Math.max(0, mass))
      }
    }
  }
  const means = new Float64Array(sets.length)
  masses(p, undefined, means)
  return {
    count: sets.length,
    isEvery: groups.length === 1,
    means,
    rounding: 1e-12 + p.length * 2 ** -52,
    project(q, out) {
      let total = 0
      let stray = 0
      let negative = 0
      let nonzeros = 0
      for (let i = 0; i < q.length; i++) {
        const mass = q[i]!
        if (mass === 0) continue
        if (nonzeros < few.length) few[nonzeros] = i
        nonzeros++
        total += mass
        if (mass < negative) negative = mass
        if (hasMass[i] === 0) stray += mass
      }
      if (negative < ROUNDED || stray !== 0 || !(Math.abs(total - 1) <= SLACK))
        mustBeDistribution(q, total, stray)
      const nonzero = nonzeros <= few.length ? few.subarray(0, nonzeros) : undefined
      masses(q, nonzero, out)
      return nonzero
    },
    describe(set) {
      const { inside, outside } = sets[set]!
      const isComplement = means[set]! > 1 / 2
      return isComplement
        ? { words: outside, mass: 1 - means[set]!, isComplement }
        : { words: inside, mass: means[set]!, isComplement }
    },
  }
}
