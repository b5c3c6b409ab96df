/**
 * A guaranteed p-value for texts that follow the key list without edits, for some stretch at least: no permutations needed,
 * so it reaches far below 1 / runs.
 *
 * Fix a block of b <= keyLength tokens and an offset. Under the null its scores come from b different key entries, so their
 * sum has the tail `law.logTail(sum, b)` (exactly, or as a bound). There are keyLength (N - b + 1) pairs of offset and block
 * start: the union bound multiplies by that number; trying several b multiplies by how many were tried.
 */
import type { NullLaw } from '../../watermark.ts'

/** Blocks of the longest possible length, its half, its quarter, ...: a text with few edits still has long clean stretches. */
function blockLengths(longest: number): number[] {
  const lengths: number[] = []
  for (let b = longest; b >= 1 && lengths.length < 4; b = Math.floor(b / 2)) lengths.push(b)
  return lengths
}

/** The largest sum of gains along a diagonal stretch of b tokens. */
function bestStretch(gain: Float64Array, tokens: number, keyLength: number, b: number): number {
  let best = Number.NEGATIVE_INFINITY
  for (let offset = 0; offset < keyLength; offset++) {
    let sum = 0
    for (let t = 0; t < tokens; t++) {
      sum += gain[t * keyLength + ((offset + t) % keyLength)]!
      if (t >= b) sum -= gain[(t - b) * keyLength + ((offset + t - b) % keyLength)]!
      if (t >= b - 1 && sum > best) best = sum
    }
  }
  return best
}

/** ln of the bound; 0 where it says nothing. */
export function logShiftBound(law: NullLaw, gain: Float64Array, tokens: number, keyLength: number): number {
  const lengths = blockLengths(Math.min(tokens, keyLength))
  let least = 0
  for (const b of lengths) {
    const pairs = keyLength * (tokens - b + 1) * lengths.length
    least = Math.min(least, law.logTail(bestStretch(gain, tokens, keyLength, b), b) + Math.log(pairs))
  }
  return least
}
