const size = 624
const shift = 397

/** One word of the next state: x[i+397] xor (upper bit of x[i], lower 31 of x[i+1]) A. */
const twisted = (far: number, high: number, low: number): number => {
  const pair = (high & 0x80000000) | (low & 0x7fffffff)
  return far ^ (pair >>> 1) ^ (-(pair & 1) & 0x9908b0df)
}

const tempered = (word: number): number => {
  let y = word
  y ^= y >>> 11
  y ^= (y << 7) & 0x9d2c5680
  y ^= (y << 15) & 0xefc60000
  return (y ^ (y >>> 18)) >>> 0
}

/**
 * The Mersenne Twister MT19937 (Matsumoto and Nishimura 1998), seeded with one 32-bit word by the recurrence
 * x[j] = 1812433253 (x[j-1] xor (x[j-1] >> 30)) + j. PyTorch's CPU generator and the demo of Kuditipudi et al. both
 * start it this way, so both of their streams come from here.
 */
export class Mt19937 {
  readonly #state = new Int32Array(size)
  /** The next word to be read; `size` where the state has to be renewed first. */
  #index = size

  /** The engine at the start of the stream of `seed` (its low 32 bits). */
  constructor(seed: number) {
    const state = this.#state
    state[0] = seed
    for (let j = 1; j < size; j++) {
      const last = state[j - 1]!
      state[j] = Math.imul(1812433253, last ^ (last >>> 30)) + j
    }
  }

  /** The next tempered 32-bit word, as an unsigned number. */
  next(): number {
    if (this.#index === size) this.#renew()
    return tempered(this.#state[this.#index++]!)
  }

  /** Leaves out the next `count` words. */
  skip(count: number): void {
    let left = count
    for (; left > size - this.#index; this.#renew()) left -= size - this.#index
    this.#index += left
  }

  /**
   * Returns the place at which `element` of 0 .. n-1 ends up in a Fisher-Yates shuffle from the front, whose step i swaps places i and i + word mod (n - i):
   * its place alone is followed, until the step that puts it where it stays. The stream stops there, or after the first `most` places,
   * where it is not among those: the result is then `most`.
   */
  rankInShuffle(n: number, element: number, most = n - 1): number {
    const state = this.#state
    const steps = Math.min(most, n - 1)
    let place = element
    for (let i = 0; i < steps; ) {
      if (this.#index === size) this.#renew()
      const from = this.#index - i
      for (const end = Math.min(steps, size - from); i < end; i++) {
        const partner = i + modulo(tempered(state[from + i]!), n - i)
        if (partner === place) {
          this.#index = from + i + 1
          return i
        }
        if (place === i) place = partner
      }
      this.#index = from + i
    }
    return steps
  }

  /** Makes the next 624 words of the state. */
  #renew(): void {
    const x = this.#state
    for (let i = 0; i < size - shift; i++) x[i] = twisted(x[i + shift]!, x[i]!, x[i + 1]!)
    for (let i = size - shift; i < size - 1; i++) x[i] = twisted(x[i + shift - size]!, x[i]!, x[i + 1]!)
    x[size - 1] = twisted(x[shift - 1]!, x[size - 1]!, x[0]!)
    this.#index = 0
  }
}

/** x mod n for a 32-bit x, exactly as an integer machine computes it; the float quotient's floor is exact below 2^53. */
export const modulo = (x: number, n: number): number => x - Math.floor(x / n) * n
