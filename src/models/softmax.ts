/**
 * The softmax, in float64. It asks for one exponential per token of the vocabulary for every text and step, so it has its own:
 * e^x for x <= 0, to within an ulp or two.
 *
 * x = n ln2/1024 + r with |r| <= ln2/2048, so e^x = 2^(n >> 10) * 2^((n & 1023)/1024) * e^r: two tables and four terms of the
 * series, whose rest is below r^4/24 = 6e-16. Several times faster than `Math.exp`, and made of plain multiplications and
 * additions, so the same on every machine, which `Math.exp` need not be.
 *
 * Both live in one file so that the exponential is inlined into the loop, also where imports are looked up at each use.
 */
import { outOfRange } from '../input.ts'

const STEPS = 1024
const INVERSE = STEPS / Math.LN2
/** ln2/1024 in two parts; the first has 32 bits, so that its product with n (21 bits) is exact. */
const HIGH = Math.round((Math.LN2 / STEPS) * 2 ** 42) / 2 ** 42
/** ln 2 to 30 digits, less what HIGH holds: ln2 = 0.693147180559945286... + 2.319046813846299e-17 */
const LOW = (Math.LN2 - HIGH * STEPS + 2.319046813846299e-17) / STEPS
/** 2^(j/1024). */
const FRACTIONS = Float64Array.from({ length: STEPS }, (_, j) => 2 ** (j / STEPS))
const LEAST = -1075
/** 2^(k + LEAST). */
const POWERS = Float64Array.from({ length: 1 - LEAST }, (_, k) => 2 ** (k + LEAST))

/** e^x, x <= 0. */
export function expNegative(x: number): number {
  if (!(x > -745.2)) return 0
  const n = Math.floor(x * INVERSE + 0.5) | 0
  const r = x - n * HIGH - n * LOW
  const series = 1 + r * (1 + r * (0.5 + r * (1 / 6)))
  return FRACTIONS[n & (STEPS - 1)]! * series * POWERS[(n >> 10) - LEAST]!
}

/** Where the largest logit is. A NaN, or no finite value at all, means that the model or its inputs are broken. */
export function peak(logits: Float32Array, from: number, size: number): number {
  let top = Number.NEGATIVE_INFINITY
  let at = -1
  let sum = 0
  for (let i = 0; i < size; i++) {
    const logit = logits[from + i]!
    // 0 for all numbers but NaN and the infinities
    sum += logit - logit
    if (logit > top) {
      top = logit
      at = i
    }
  }
  if (sum !== 0) checkLogits(logits.subarray(from, from + size))
  if (!Number.isFinite(top)) throw outOfRange('logits', 'a finite largest value', top)
  return at
}

/** Minus infinity is a logit, NaN is not. */
function checkLogits(logits: Float32Array): void {
  const at = logits.findIndex(Number.isNaN)
  if (at >= 0) throw outOfRange(`logits[${at}]`, 'a number', Number.NaN)
}

/** Writes the softmax of logits / temperature and returns its entropy in nats: ln Z - E[x] with x the shifted logits. */
export function softmax(logits: Float32Array, from: number, p: Float64Array, temperature: number): number {
  const size = p.length
  const top = logits[from + peak(logits, from, size)]!
  let sum = 0
  let mean = 0
  for (let i = 0; i < size; i++) {
    const x = (logits[from + i]! - top) / temperature
    const e = expNegative(x)
    p[i] = e
    sum += e
    if (e > 0) mean += e * x
  }
  const scale = 1 / sum
  for (let i = 0; i < size; i++) p[i]! *= scale
  return Math.log(sum) - mean * scale
}
