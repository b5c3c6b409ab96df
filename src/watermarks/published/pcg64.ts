/**
 * numpy's `default_rng(seed)`: PCG64 (O'Neill 2014, XSL-RR with 128 bits of state) seeded by a SeedSequence, and its bounded integers and shuffle. 128-bit
 * numbers are four 32-bit words, the lowest first.
 */
const POOL = 4

/** The words of SeedSequence(seed) for a seed of at most 32 bits: mixes them into a pool, and hashes the pool to as many words as are asked for. */
function seedWords(seed: number, count: number): Uint32Array {
  let constant = 0x43b0d7e5
  const hashed = (value: number): number => {
    const mixed = value ^ constant
    constant = Math.imul(constant, 0x931e8875)
    const product = Math.imul(mixed, constant)
    return product ^ (product >>> 16)
  }
  const mix = (x: number, y: number): number => {
    const result = Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y)
    return result ^ (result >>> 16)
  }
  const pool = Int32Array.from({ length: POOL }, (_, i) => hashed(i === 0 ? seed : 0))
  for (let from = 0; from < POOL; from++)
    for (let to = 0; to < POOL; to++) if (from !== to) pool[to] = mix(pool[to]!, hashed(pool[from]!))
  let out = 0x8b51f9dd
  return Uint32Array.from({ length: count }, (_, i) => {
    const mixed = pool[i % POOL]! ^ out
    out = Math.imul(out, 0x58f38ded)
    const product = Math.imul(mixed, out)
    return product ^ (product >>> 16)
  })
}

/** The multiplier 0x2360ed051fc65da44385df649fccf645 in 16-bit digits, the lowest first. */
const MULTIPLIER = [0xf645, 0x9fcc, 0xdf64, 0x4385, 0x5da4, 0x1fc6, 0xed05, 0x2360]

export class Pcg64 {
  /** State and increment in 16-bit digits, the lowest first: products of two digits and sums of eight fit a number. */
  readonly #state = new Float64Array(8)
  readonly #increment = new Float64Array(8)
  readonly #product = new Float64Array(8)
  /** The upper half of the last 64-bit output, where it was not used yet. */
  #kept: number | undefined

  /** @param seed at most 32 bits */
  constructor(seed: number) {
    // four 64-bit words of two 32-bit words each, low first: the upper and the lower half of the state, then of the sequence
    const words = seedWords(seed, 8)
    const digits = (order: readonly number[]): number[] =>
      order.flatMap((at) => [words[at]! & 0xffff, words[at]! >>> 16])
    const sequence = digits([6, 7, 4, 5])
    let carry = 1
    for (let i = 0; i < 8; i++) {
      const doubled = 2 * sequence[i]! + carry
      this.#increment[i] = doubled & 0xffff
      carry = doubled >>> 16
    }
    this.#step()
    this.#add(digits([2, 3, 0, 1]))
    this.#step()
  }

  #add(digits: ArrayLike<number>): void {
    let carry = 0
    for (let i = 0; i < 8; i++) {
      const sum = this.#state[i]! + digits[i]! + carry
      this.#state[i] = sum & 0xffff
      carry = sum >>> 16
    }
  }

  /** state <- state * multiplier + increment. */
  #step(): void {
    const [state, product] = [this.#state, this.#product]
    let carry = 0
    for (let k = 0; k < 8; k++) {
      let sum = carry
      for (let i = 0; i <= k; i++) sum += state[i]! * MULTIPLIER[k - i]!
      carry = Math.floor(sum / 0x10000)
      product[k] = sum - carry * 0x10000
    }
    state.set(product)
    this.#add(this.#increment)
  }

  /** 32 bits: the lower half of a 64-bit output, then its upper half. */
  uint32(): number {
    if (this.#kept !== undefined) {
      const kept = this.#kept
      this.#kept = undefined
      return kept
    }
    this.#step()
    const s = this.#state
    const word = (at: number): number => s[at]! | (s[at + 1]! << 16)
    // XSL-RR: the upper half xor the lower half, turned right by the top six bits
    const [low, high] = [word(0) ^ word(4), word(2) ^ word(6)]
    const turn = s[7]! >>> 10
    const [a, b] = turn < 32 ? [low, high] : [high, low]
    const by = turn & 31
    const turned = (x: number, y: number): number => (by === 0 ? x : (x >>> by) | (y << (32 - by))) >>> 0
    this.#kept = turned(b, a)
    return turned(a, b)
  }

  /** An integer in [0, most]: words are cut to as many bits as it has, until one is not above it. */
  upTo(most: number): number {
    const mask = 2 ** (32 - Math.clz32(most)) - 1
    for (;;) {
      const value = (this.uint32() & mask) >>> 0
      if (value <= most) return value
    }
  }

  /** numpy's `shuffle` of a one-dimensional array: from the back, each place with one at or before it. */
  shuffle(values: Uint8Array): void {
    for (let i = values.length - 1; i > 0; i--) {
      const j = this.upTo(i)
      const moved = values[i]!
      values[i] = values[j]!
      values[j] = moved
    }
  }
}
