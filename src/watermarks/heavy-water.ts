/**
 * HeavyWater (Tsur et al. 2025): the side information of a position is s, uniform on k values. A fixed matrix of scores has a row per token and a column per s, with heavy-tailed (lognormal) entries, and tokens are
 * drawn from a coupling of p with s that makes scores large: an entropic optimal transport (Sinkhorn), rounded so that its mean over s is p exactly (mechanisms/coupling.ts).
 *
 * Each row is a permutation of the same k quantiles of the lognormal law, on a lattice: the score of any token under a uniform s has that law exactly, and sums have exact tails.
 * Tokens share 64 rows: a coupling of 64 rows with k columns can be solved at every step, one of V rows cannot.
 */
import { lattice, sumDetector } from '../core/detect/index.ts'
import { scratchWords } from '../core/kernels/index.ts'
import { below, Expansion, labelSeed, ngram, OWN } from '../core/keys/index.ts'
import { defineMethod, type MethodParts, parameter } from '../core/method/index.ts'
import { normalQuantile } from '../core/stats/index.ts'
import type { Weighted } from '../watermark.ts'
import { type Rounding, roundingOf, roundOff, type Side, sameNumbers } from './mechanisms/coupling.ts'

/** Rows of the matrix, named by the leading bits of a token's word. */
const ROWS = 64
const SHIFT = 26
/** The unit of scores: a standard lognormal number is rounded to multiples of 1 / UNIT. */
const UNIT = 4
/** Rounds of Sinkhorn. What they leave is rounded off. */
const ROUNDS = 6

/** The k quantiles of the lognormal law, in the middle of k equal parts, on the lattice. */
const quantiles = (size: number): Float64Array =>
  Float64Array.from({ length: size }, (_, j) => Math.round(UNIT * Math.exp(normalQuantile((j + 0.5) / size))))

/** The coupling at one p, over the rows that have mass. */
interface Coupling {
  readonly p: Float64Array
  /** Those rows, and for each token the number of its row among them. */
  readonly rows: readonly number[]
  readonly row: Uint8Array
  readonly mass: Float64Array
  readonly weights: Float64Array
  /** The inverse of the kernel's mass at each s. */
  readonly inverse: Float64Array
  readonly rounding: Rounding
}

/** The matrix of scores. It is public: the key decides about s alone. */
class Matrix {
  readonly size: number
  readonly scores: Float64Array
  readonly #words = new Expansion(labelSeed('heavyWater'))
  readonly #kernel: Float64Array
  /** Scores row after row, made when first asked for. */
  #table: Float64Array | undefined
  /** The coupling that was asked for last: the same p is asked about under many keys. */
  #last: Coupling | undefined

  constructor(size: number) {
    this.size = size
    this.scores = quantiles(size)
    this.#kernel = new Float64Array(ROWS * size)
  }

  #entries(): Float64Array {
    if (this.#table) return this.#table
    const table = new Float64Array(ROWS * this.size)
    for (let r = 0; r < ROWS; r++) {
      const words = Array.from({ length: this.size }, (_, s) => this.#words.uint32(OWN + r * this.size + s))
      const order = [...words.keys()].sort((a, b) => words[a]! - words[b]!)
      for (const [j, s] of order.entries()) table[r * this.size + s] = this.scores[j]!
    }
    for (let i = 0; i < table.length; i++) this.#kernel[i] = Math.exp(table[i]! / UNIT)
    this.#table = table
    return table
  }

  score(token: number, s: number): number {
    return this.#entries()[(this.#words.uint32(token) >>> SHIFT) * this.size + s]!
  }

  /** Numbers the rows that have mass. */
  #rowsOf(p: Float64Array): Pick<Coupling, 'rows' | 'row' | 'mass'> {
    const words = this.#words.fill(scratchWords(p.length))
    const masses = new Float64Array(ROWS)
    for (let i = 0; i < p.length; i++) masses[words[i]! >>> SHIFT]! += p[i]!
    const rows = [...masses.keys()].filter((r) => masses[r]! > 0)
    const numbers = new Uint8Array(ROWS)
    for (const [k, r] of rows.entries()) numbers[r] = k
    const row = new Uint8Array(p.length)
    for (let i = 0; i < p.length; i++) row[i] = numbers[words[i]! >>> SHIFT]!
    return { rows, row, mass: masses.filter((mass) => mass > 0) }
  }

  #coupling(p: Float64Array): Coupling {
    this.#entries()
    const { size } = this
    const kernel = this.#kernel
    const { rows, row, mass } = this.#rowsOf(p)
    const weights = mass.slice()
    const inverse = new Float64Array(size)
    const means = new Float64Array(rows.length)
    for (let round = 0; round < ROUNDS; round++) {
      // a mean may be 0 where the mass is next to nothing
      if (round > 0)
        for (let k = 0; k < means.length; k++) if (means[k]! > 0) weights[k]! *= mass[k]! / means[k]!
      inverse.fill(0)
      for (const [k, r] of rows.entries())
        for (let s = 0; s < size; s++) inverse[s]! += weights[k]! * kernel[r * size + s]!
      for (let s = 0; s < size; s++) inverse[s] = 1 / inverse[s]!
      for (const [k, r] of rows.entries()) {
        let sum = 0
        for (let s = 0; s < size; s++) sum += kernel[r * size + s]! * inverse[s]!
        means[k] = (weights[k]! * sum) / size
      }
    }
    return { p: p.slice(), rows, row, mass, weights, inverse, rounding: roundingOf(mass, means) }
  }

  reweight(p: Float64Array, s: number, q: Float64Array): void {
    if (this.#last === undefined || !sameNumbers(this.#last.p, p)) this.#last = this.#coupling(p)
    const { rows, row, mass, weights, inverse, rounding } = this.#last
    // one row has all the mass: nothing to move
    if (rows.length === 1) {
      q.set(p)
      return
    }
    const parts = weights.map((weight, k) => weight * this.#kernel[rows[k]! * this.size + s]! * inverse[s]!)
    roundOff(parts, rounding)
    // within a row tokens keep their shares
    for (let i = 0; i < p.length; i++) q[i] = p[i] === 0 ? 0 : (p[i]! / mass[row[i]!]!) * parts[row[i]!]!
  }
}

/**
 * HeavyWater (Tsur et al., 2025): heavy-tailed scores, and a coupling that makes them large; its marginals hold exactly.
 * @example heavyWater({ size: 256 }).id // 'heavyWater(size=256)'
 */
export const heavyWater = defineMethod('heavyWater', {
  parameters: {
    /** Values of the side information: columns of the matrix of scores. */
    size: parameter.integer(2, 4096, { default: 1024, shapesCode: true }),
    context: parameter.context(() => ngram(2)),
  },
  rows: [], // not in the paper
  small: { size: 8 },
  make({ size }): MethodParts<Side> {
    const matrix = new Matrix(size)
    const most = matrix.scores[size - 1]!
    const law = new Float64Array(most + 1)
    for (const score of matrix.scores) law[score]! += 1 / size
    const all = function* (): Generator<Weighted<Side>> {
      for (let s = 0; s < size; s++) yield { code: { s }, weight: 1 / size }
    }
    return {
      unbiased: true,
      seedBits: Math.log2(size),
      draw: (random) => ({ s: below(random, OWN, size) }),
      reweight: (p, { s }, q) => matrix.reweight(p, s, q),
      score: (token, { s }) => matrix.score(token, s),
      detector: sumDetector({ nullLaw: lattice(law), bound: most }),
      orbit: all,
      enumerate: all,
    }
  },
})
