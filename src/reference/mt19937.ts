/**
 * The Mersenne Twister MT19937 (Matsumoto and Nishimura 1998), seeded with one 32-bit word by the recurrence
 * x[j] = 1812433253 (x[j-1] xor (x[j-1] >> 30)) + j. PyTorch's CPU generator and the demo of Kuditipudi et al. both
 * start it this way, so both of their streams come from here.
 */
export interface Mt19937 {
  /** The next tempered 32-bit word, as an unsigned number. */
  next(): number
}

const size = 624
const shift = 397

/** An engine at the start of the stream of `seed` (its low 32 bits). */
export function mt19937(seed: number): Mt19937 {
  const state = new Int32Array(size)
  state[0] = seed
  for (let j = 1; j < size; j++) {
    const last = state[j - 1]!
    state[j] = Math.imul(1812433253, last ^ (last >>> 30)) + j
  }
  let index = size
  return {
    next() {
      if (index === size) {
        twist(state)
        index = 0
      }
      let y = state[index++]!
      y ^= y >>> 11
      y ^= (y << 7) & 0x9d2c5680
      y ^= (y << 15) & 0xefc60000
      return (y ^ (y >>> 18)) >>> 0
    },
  }
}

/** The next 624 words in place: x[i] = x[i+397] xor (upper bit of x[i], lower 31 of x[i+1]) A. */
function twist(state: Int32Array): void {
  for (let i = 0; i < size; i++) {
    const y = (state[i]! & 0x80000000) | (state[i + 1 < size ? i + 1 : 0]! & 0x7fffffff)
    const far = state[i + shift < size ? i + shift : i + shift - size]!
    state[i] = far ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0)
  }
}

/** x mod n for a 32-bit x, exactly as an integer machine computes it; the float quotient's floor is exact below 2^53. */
export const modulo = (x: number, n: number): number => x - Math.floor(x / n) * n
