/**
 * Scrambled nets in place of keys. A block is 2^k points of a Sobol sequence, one coordinate for each word that a code reads, scrambled anew for
 * each block (nested uniform scrambling by a hash, as Laine and Karras 2011). The seed of a coordinate is added first, so each point alone is exactly
 * uniform: the mean of q over a block has the mean of q over keys as its expectation. The points together cover the cube evenly, so block means
 * spread far less than means of 2^k keys. Up to k words, a block has every combination of top bits once (Sobol's property A). A code may read the
 * low bits of a word first, as tournaments do: then words are turned around, bit by bit.
 *
 * Which word is which coordinate is settled before a block begins. A word that was never read before, or finds no coordinate left, is random.
 */
import { LOW, toUniform } from '../../../core/kernels/index.ts'
import { Expansion, type Random, type Stream, wordsBy } from '../../../core/keys/index.ts'

/** Primitive polynomials and initial direction numbers (Joe and Kuo 2008), from the second coordinate on: [degree, coefficients, m_1, m_2, ...]. */
const DIRECTIONS: readonly (readonly number[])[] = [
  [1, 0, 1],
  [2, 1, 1, 3],
  [3, 1, 1, 3, 1],
  [3, 2, 1, 1, 1],
  [4, 1, 1, 1, 3, 3],
  [4, 4, 1, 3, 5, 13],
  [5, 2, 1, 1, 5, 5, 17],
  [5, 4, 1, 1, 5, 5, 5],
  [5, 7, 1, 1, 7, 11, 19],
]
/** Coordinates of a net. */
export const COORDINATES = DIRECTIONS.length + 1
/** Words of the key alone are counted from here. */
const SHARED = 2 ** 32

function reversed(word: number): number {
  let x = word
  x = ((x >>> 1) & 0x55555555) | ((x & 0x55555555) << 1)
  x = ((x >>> 2) & 0x33333333) | ((x & 0x33333333) << 2)
  x = ((x >>> 4) & 0x0f0f0f0f) | ((x & 0x0f0f0f0f) << 4)
  x = ((x >>> 8) & 0x00ff00ff) | ((x & 0x00ff00ff) << 8)
  return (x >>> 16) | (x << 16)
}

/** Direction numbers of a coordinate for 2^bits points: v_j = m_j / 2^j as 32-bit words. */
function directionsOf(coordinate: number, bits: number): Uint32Array {
  const v = Uint32Array.from({ length: bits }, (_, j) => 2 ** (31 - j))
  if (coordinate === 0) return v
  const [degree = 0, coefficients = 0, ...m] = DIRECTIONS[coordinate - 1]!
  for (let j = 0; j < bits; j++) {
    if (j < degree) {
      v[j] = m[j]! * 2 ** (31 - j)
      continue
    }
    let next = v[j - degree]! ^ (v[j - degree]! >>> degree)
    for (let i = 1; i < degree; i++) if ((coefficients >>> (degree - 1 - i)) & 1) next ^= v[j - i]!
    v[j] = next
  }
  return v
}

/** The first 2^bits points, coordinate after coordinate, as words with their bits reversed. */
function sobolPoints(bits: number): Uint32Array {
  const points = new Uint32Array(COORDINATES * 2 ** bits)
  for (let c = 0; c < COORDINATES; c++) {
    const v = directionsOf(c, bits).map((word) => reversed(word))
    for (let i = 1; i < 2 ** bits; i++) {
      const top = 31 - Math.clz32(i)
      points[c * 2 ** bits + i] = points[c * 2 ** bits + i - 2 ** top]! ^ v[top]!
    }
  }
  return points
}

/** A block of points, one at a time, as the randomness of a code and of its key. */
export class ScrambledNet {
  /** Words without a coordinate: of the position, and of the key alone. */
  readonly #rest = [new Expansion(), new Expansion()] as const
  readonly random: Random = this.#words(0, this.#rest[0])
  readonly shared: Random = this.#words(SHARED, this.#rest[1])
  readonly #coordinates = new Map<number, number>()
  readonly #waiting = new Set<number>()
  readonly #seeds = new Int32Array(COORDINATES)
  readonly #keys = new Int32Array(8)
  readonly #stream: Stream
  #points: Uint32Array = new Uint32Array(0)
  #at = 0
  #fromLow = false
  /** Points of a block. */
  size = 0

  /** @param bits a block has 2^bits points */
  constructor(stream: Stream, bits: number) {
    this.#stream = stream
    this.resize(bits)
  }

  /** @param fromLow spreads the low bits of words evenly instead of the top ones */
  resize(bits: number, fromLow = false): void {
    this.#points = sobolPoints(bits)
    this.#fromLow = fromLow
    this.size = 2 ** bits
  }

  /** Begins a block: new scrambling, and coordinates for the words that were first read in the block before. */
  begin(): void {
    for (const index of this.#waiting)
      if (this.#coordinates.size < COORDINATES) this.#coordinates.set(index, this.#coordinates.size)
    this.#waiting.clear()
    for (let c = 0; c < this.#seeds.length; c++) this.#seeds[c] = this.#stream.uint32()
    for (let k = 0; k < 8; k++) this.#keys[k] = this.#stream.uint32()
    this.point(0)
  }

  /** Goes to a point of the block. */
  point(i: number): void {
    this.#at = i
    for (const [k, rest] of this.#rest.entries()) {
      rest.rekey(this.#keys, 4 * k)
      rest.keys[0]! += Math.imul(i, 0x9e3779b9)
      rest.keys[2]! ^= Math.imul(i, 0x85ebca6b)
    }
  }

  #word(index: number, rest: Expansion): number {
    const coordinate = this.#coordinates.get(index)
    if (coordinate === undefined) {
      if (this.#coordinates.size < COORDINATES) this.#waiting.add(index)
      return rest.uint32(index)
    }
    let x = (this.#points[coordinate * this.size + this.#at]! + this.#seeds[coordinate]!) | 0
    x ^= Math.imul(x, 0x6c50b47c)
    x ^= Math.imul(x, 0xb82f1e52)
    x ^= Math.imul(x, 0xc7afe638)
    x ^= Math.imul(x, 0x8d22f6e6)
    return (this.#fromLow ? x : reversed(x)) >>> 0
  }

  #words(from: number, rest: Expansion): Random {
    const uint32 = (i: number): number => this.#word(from + i, rest)
    return { ...wordsBy(uint32), uniform: (i) => toUniform(uint32(i), rest.uint32(i ^ LOW)) }
  }
}
