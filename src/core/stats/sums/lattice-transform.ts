import { turn } from './tilted-tail.ts'

/**
 * (k, L) -> sum of masses[x] e^(2πik(x - centre)/L). Cut into blocks, e^(it(32a+b)) = e^(it32a) e^(itb), so that 32
 * sines serve 32 masses and every angle is reduced exactly before it is rounded.
 */
export function transformer(
  masses: Float64Array,
  centre: number,
): (k: number, size: number) => [number, number] {
  const block = 32
  const cos = new Float64Array(block)
  const sin = new Float64Array(block)
  const padded = new Float64Array(block * Math.ceil(masses.length / block))
  padded.set(masses)
  return (k, size) => {
    for (let b = 0; b < block; b++) {
      const angle = turn(k * b, size)
      cos[b] = Math.cos(angle)
      sin[b] = Math.sin(angle)
    }
    let re = 0
    let im = 0
    for (let from = 0; from < masses.length; from += block) {
      // even and odd masses apart: an addition need not wait for the one before it
      let x = 0
      let y = 0
      let x1 = 0
      let y1 = 0
      for (let b = 0; b < block; b += 2) {
        const mass = padded[from + b]!
        const mass1 = padded[from + b + 1]!
        x += mass * cos[b]!
        y += mass * sin[b]!
        x1 += mass1 * cos[b + 1]!
        y1 += mass1 * sin[b + 1]!
      }
      x += x1
      y += y1
      const angle = turn(k * (from - centre), size)
      const c = Math.cos(angle)
      const s = Math.sin(angle)
      re += x * c - y * s
      im += x * s + y * c
    }
    return [re, im]
  }
}
