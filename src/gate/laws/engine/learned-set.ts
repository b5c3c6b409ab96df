/**
 * A bet on a set that nobody named: the tokens whose mean of q over the past lies above p. It depends on the past only, so it is
 * as fair as a set that was fixed before, and finds biases nobody thought of. Nothing is promised for it.
 */
import { LEAST_MASS, stake } from './projection-bets.ts'
import type { SideBet } from './projection-test.ts'

/** Samples before the first bet. */
const FIRST = 8
/** The set is learned anew each time the number of samples has grown by this share. */
const REVISION = 1 / 8

/** The tokens at which a vector is not 0; undefined where they are many. */
export type Nonzero = Uint32Array | undefined

export class LearnedSet implements SideBet {
  readonly share: number
  wealth = 1
  readonly #p: Float64Array
  readonly #rounding: number
  readonly #sum: Float64Array
  readonly #isMember: Uint8Array
  /** p of the set, at least the least mass that is bet on. */
  #mass = 0
  #taken = 0
  #revision = FIRST
  #gains = 0
  #squares = 0
  #coins = 0
  #q = 0
  #expected = 0

  constructor(p: Float64Array, share: number, rounding: number) {
    this.share = share
    this.#p = p
    this.#rounding = rounding
    this.#sum = new Float64Array(p.length)
    this.#isMember = new Uint8Array(p.length)
  }

  add(q: Float64Array, nonzero: Nonzero): void {
    if (this.#taken >= FIRST) this.#bet(this.#massUnder(q, nonzero))
    if (nonzero === undefined) for (let i = 0; i < q.length; i++) this.#sum[i]! += q[i]!
    else for (const i of nonzero) this.#sum[i]! += q[i]!
    this.#taken++
    if (this.#taken >= this.#revision) this.#learn()
  }

  #massUnder(q: Float64Array, nonzero: Nonzero): number {
    const isMember = this.#isMember
    let mass = 0
    if (nonzero === undefined) for (let i = 0; i < q.length; i++) mass += isMember[i]! * q[i]!
    else for (const i of nonzero) mass += isMember[i]! * q[i]!
    return mass
  }

  #bet(x: number): void {
    const mass = this.#mass
    const most = Math.min(Math.max(mass + this.#rounding, LEAST_MASS), 1 - this.#rounding)
    const n = this.#taken - FIRST + 1
    const mean = this.#gains / n
    const spread = Math.min(1, (this.#squares + 1) / (this.#coins + 1))
    if (mean > 0) this.wealth *= 1 + stake(mean, most, spread) * (x - most)
    this.#gains += x - most
    this.#squares += (x - mass) ** 2
    this.#coins += mass * (1 - mass)
    this.#q += x
    this.#expected += mass
  }

  #learn(): void {
    const n = this.#taken
    let mass = 0
    for (let i = 0; i < this.#p.length; i++) {
      const isAbove = this.#sum[i]! > n * this.#p[i]!
      this.#isMember[i] = isAbove ? 1 : 0
      if (isAbove) mass += this.#p[i]!
    }
    this.#mass = mass
    this.#revision = n + Math.max(1, Math.floor(n * REVISION))
  }

  /** The set as it stands: its size, its most overweight tokens, and the masses that p and q gave to it, on average over the bets. */
  describe(shown: number): { tokens: number; ids: number[]; mass: number; q: number } {
    const excess = (i: number): number => this.#sum[i]! - this.#taken * this.#p[i]!
    const ids = [...this.#p.keys()].filter((i) => this.#isMember[i] === 1)
    const heaviest = ids.toSorted((a, b) => excess(b) - excess(a)).slice(0, shown)
    const bets = Math.max(1, this.#taken - FIRST)
    return { tokens: ids.length, ids: heaviest, mass: this.#expected / bets, q: this.#q / bets }
  }
}
