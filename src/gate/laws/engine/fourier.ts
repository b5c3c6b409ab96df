/** The discrete Fourier transform of a power-of-two length, in place: decimation in time, twiddle factors made once per length. */

const turns = new Map<number, { cos: Float64Array; sin: Float64Array }>()

function turnsOf(size: number): { cos: Float64Array; sin: Float64Array } {
  let found = turns.get(size)
  if (found === undefined) {
    const angle = (k: number): number => (2 * Math.PI * k) / size
    found = {
      cos: Float64Array.from({ length: size / 2 }, (_, k) => Math.cos(angle(k))),
      sin: Float64Array.from({ length: size / 2 }, (_, k) => Math.sin(angle(k))),
    }
    // one large table at a time is enough
    if (turns.size > 24) turns.clear()
    turns.set(size, found)
  }
  return found
}

function reverseBits(re: Float64Array, im: Float64Array): void {
  const size = re.length
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1
    for (; j & bit; bit >>= 1) j ^= bit
    j ^= bit
    if (i >= j) continue
    const x = re[i]!
    const y = im[i]!
    re[i] = re[j]!
    im[i] = im[j]!
    re[j] = x
    im[j] = y
  }
}

/** Replaces z_j by the sum over k of z_k e^(2πi jk / size). */
export function fourier(re: Float64Array, im: Float64Array): void {
  const size = re.length
  const { cos, sin } = turnsOf(size)
  reverseBits(re, im)
  for (let half = 1; half < size; half *= 2) {
    const stride = size / (2 * half)
    for (let start = 0; start < size; start += 2 * half)
      for (let k = 0; k < half; k++) {
        const c = cos[k * stride]!
        const s = sin[k * stride]!
        const a = start + k
        const b = a + half
        const x = re[b]! * c - im[b]! * s
        const y = re[b]! * s + im[b]! * c
        re[b] = re[a]! - x
        im[b] = im[a]! - y
        re[a] = re[a]! + x
        im[a] = im[a]! + y
      }
  }
}
