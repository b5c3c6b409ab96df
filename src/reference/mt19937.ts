const size = 624
const shift = 397

/**
 * The Mersenne Twister MT19937 (Matsumoto and Nishimura 1998), seeded with one 32-bit word by the recurrence
 * x[j] = 1812433253 (x[j-1] xor (x[j-1] >> 30)) + j. PyTorch's CPU generator and the demo of Kuditipudi et al. both
 * start it this way, so both of their streams come from here.
 */
export class Mt19937 {
  readonly #state = new Int32Array(size)
  #index = 0

  /** The engine at the start of the stream of `seed` (its low 32 bits). */
  constructor(seed: number) {
    const state = this.#state
    state[0] = seed
    for (let j = 1; j < size; j++) {
      const last = state[j - 1]!
      state[j] = Math.imul(1812433253, last ^ (last >>> 30)) + j
    }
  }

  /**
   * The next tempered 32-bit word, as an unsigned number. Each word of the state is renewed just before it is read, as
   * x[i] = x[i+397] xor (upper bit of x[i], lower 31 of x[i+1]) A: a short stream costs no pass over all 624.
   */
  next(): number {
    const state = this.#state
    const i = this.#index
    const following = i + 1 === size ? 0 : i + 1
    this.#index = following
    const pair = (state[i]! & 0x80000000) | (state[following]! & 0x7fffffff)
    const far = state[i + shift < size ? i + shift : i + shift - size]!
    let y = far ^ (pair >>> 1) ^ (pair & 1 ? 0x9908b0df : 0)
    state[i] = y
    y ^= y >>> 11
    y ^= (y << 7) & 0x9d2c5680
    y ^= (y << 15) & 0xefc60000
    return (y ^ (y >>> 18)) >>> 0
  }
}

/** x mod n for a 32-bit x, exactly as an integer machine computes it; the float quotient's floor is exact below 2^53. */
export const modulo = (x: number, n: number): number => x - Math.floor(x / n) * n
