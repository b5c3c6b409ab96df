/**
 * Codes over the blocks of a message, so that lost blocks are recovered. A block of w bits is an element of GF(2^w). The k blocks of a group are the
 * values at 0, ..., k - 1 of a polynomial of degree below k, and its check blocks are the values at k, ..., n - 1: the Reed-Solomon code, a BCH code
 * over GF(2^w). Any k of the n blocks give the others, and two codewords differ in at least n - k + 1 blocks. One block with its copies is the case k = 1.
 *
 * (The packages for these codes on npm are made for bytes, GF(2^8), and decode hard decisions; here w is 3 to 12, and the evidence for every value of
 * every block is known.)
 */
import { outOfRange } from '../../input.ts'

/** The protection of a message's blocks: none, by two copies of each, or by half as many check blocks. */
export type BlockCode = 'none' | 'repeat' | 'bch'

/** Blocks that make up one codeword: `size` of the message, then those that protect them. */
export interface CodeGroup {
  readonly members: readonly number[]
  readonly size: number
}

const COPIES = 3

/** The fewest bits of a block for which there is a code with two check blocks. */
const NARROWEST = 3

const checksFor = (size: number): number => Math.max(2, Math.ceil(size / 2))

/** Splits the blocks of a message into codewords. Blocks of the message keep their numbers; those that protect them follow. */
export function codeGroups(code: BlockCode, blocks: number, width: number): readonly CodeGroup[] {
  const all = Array.from({ length: blocks }, (_, block) => block)
  if (code === 'none') return all.map((block) => ({ members: [block], size: 1 }))
  if (code === 'repeat')
    return all.map((block) => ({
      members: Array.from({ length: COPIES }, (_, copy) => copy * blocks + block),
      size: 1,
    }))
  if (width < NARROWEST)
    throw outOfRange('blocks', `blocks of at least ${NARROWEST} bits for code 'bch'`, blocks)
  let count = 1
  const largest = (): number => Math.ceil(blocks / count)
  while (largest() + checksFor(largest()) > 2 ** width) count++
  let next = blocks
  return Array.from({ length: count }, (_, group) => {
    const own = all.filter((block) => block % count === group)
    const checks = Array.from({ length: checksFor(own.length) }, () => next++)
    return { members: [...own, ...checks], size: own.length }
  })
}

/** Primitive polynomials over GF(2), by degree. */
const PRIMITIVE: Readonly<Record<number, number>> = {
  3: 0b1011,
  4: 0b10011,
  5: 0b100101,
  6: 0b1000011,
  7: 0b10001001,
  8: 0b100011101,
  9: 0b1000010001,
  10: 0b10000001001,
  11: 0b100000000101,
  12: 0b1000001010011,
}

interface Field {
  multiply(a: number, b: number): number
  divide(a: number, b: number): number
}

const fields = new Map<number, Field>()

/** Returns GF(2^width), with products by logarithms. */
function fieldOf(width: number): Field {
  const known = fields.get(width)
  if (known !== undefined) return known
  const order = 2 ** width - 1
  const powers = new Uint16Array(order)
  const logs = new Uint16Array(order + 1)
  for (let i = 0, x = 1; i < order; i++) {
    powers[i] = x
    logs[x] = i
    x <<= 1
    if (x > order) x ^= PRIMITIVE[width]!
  }
  const field: Field = {
    multiply: (a, b) => (a === 0 || b === 0 ? 0 : powers[(logs[a]! + logs[b]!) % order]!),
    divide: (a, b) => (a === 0 ? 0 : powers[(logs[a]! + order - logs[b]!) % order]!),
  }
  fields.set(width, field)
  return field
}

/** Returns the value at `x` of the polynomial of lowest degree through the given points, by Lagrange's formula; minus is exclusive or. */
function valueAt(xs: readonly number[], ys: readonly number[], x: number, width: number): number {
  if (xs.length === 1) return ys[0]!
  const { multiply, divide } = fieldOf(width)
  let sum = 0
  for (const [i, xi] of xs.entries()) {
    let term = ys[i]!
    for (const [j, xj] of xs.entries()) if (j !== i) term = divide(multiply(term, x ^ xj), xi ^ xj)
    sum ^= term
  }
  return sum
}

/** Returns the codeword with the given values at the given places of its group. */
export function codeword(
  group: CodeGroup,
  places: readonly number[],
  values: readonly number[],
  width: number,
) {
  return group.members.map((_, place) => {
    const given = places.indexOf(place)
    return given < 0 ? valueAt(places, values, place, width) : values[given]!
  })
}

/** Returns the values of all blocks, given those of the message. */
export function protectedValues(
  values: readonly number[],
  groups: readonly CodeGroup[],
  width: number,
): number[] {
  const all: number[] = []
  for (const group of groups) {
    const places = Array.from({ length: group.size }, (_, i) => i)
    const own = places.map((place) => values[group.members[place]!]!)
    for (const [place, value] of codeword(group, places, own, width).entries())
      all[group.members[place]!] = value
  }
  return all
}

/** Blocks by how far their best value leads, and its two best values. */
interface Ranked {
  readonly place: number
  readonly best: number
  readonly lead: number
}

function rank(sums: Float64Array, place: number): Ranked {
  let [best, first, second] = [0, -1, -1]
  for (const [value, sum] of sums.entries())
    if (sum > first) [best, first, second] = [value, sum, first]
    else if (sum > second) second = sum
  return { place, best, lead: first - second }
}

/** Least certain blocks that are tried in the place of one of the most certain. */
const SPARE = 2

/**
 * Returns the codeword with the largest sum of scores, among those that the most certain blocks give: the k whose best values lead by most, and these with
 * one of them exchanged for one of the next. Lost blocks lead by little.
 * @param sums for each member of the group, the sum of scores under each value
 */
export function bestCodeword(group: CodeGroup, sums: readonly Float64Array[], width: number): number[] {
  const { size } = group
  const total = (word: readonly number[]): number =>
    word.reduce((sum, value, place) => sum + sums[place]![value]!, 0)
  const ranked = sums.map(rank).sort((a, b) => b.lead - a.lead)
  const wordOf = (chosen: readonly Ranked[]): number[] =>
    codeword(
      group,
      chosen.map(({ place }) => place),
      chosen.map(({ best }) => best),
      width,
    )
  let best = wordOf(ranked.slice(0, size))
  if (sums.length === 1 || ranked.every((one) => best[one.place] === one.best)) return best
  const others =
    size === 1
      ? Array.from(sums[0]!, (_, value) => codeword(group, [0], [value], width))
      : ranked.slice(0, size).flatMap((_, out) =>
          ranked.slice(size, size + SPARE).map((spare) => {
            const chosen = ranked.slice(0, size)
            chosen[out] = spare
            return wordOf(chosen)
          }),
        )
  for (const word of others) if (total(word) > total(best)) best = word
  return best
}
