/**
 * Levenshtein-like alignment of a block of text with a window of the key list (Kuditipudi et al. 2023): pairing token i with
 * key entry j costs -gain[i][j], leaving a token or an entry out costs `penalty`.
 *
 *   D[i][j] = min(D[i-1][j-1] - gain, D[i-1][j] + penalty, D[i][j-1] + penalty)
 *
 * The statistic is the best value over every block of the text and every offset into the (circular) key list; higher is
 * more evidence. Costs are rounded to fixed point once, with at least 30 bits for the largest possible sum, and added exactly:
 * the result is the same everywhere and off by at most block / 2 units.
 */
import { outOfRange } from '../input.ts'
import { active } from './active.ts'
import { scratchPairs } from './scratch.ts'

export interface AlignmentProblem {
  /** gain[t * keyLength + j]: the score of token t under key entry j. */
  readonly gain: Float64Array
  readonly tokens: number
  readonly keyLength: number
  /** Length of a block of text, and of the window of the key list it is aligned with. */
  readonly block: number
  readonly penalty: number
}

/** What a row of pair costs repeats from its start, so that sixteen offsets can be read at once. */
const MARGIN = 16

/** Units per nat, a power of 2: no sum of `block` pair costs can pass 2^30 units. */
function resolution({ gain, block, penalty }: AlignmentProblem): number {
  let largest = 0
  for (let i = 0; i < gain.length; i++) largest = Math.max(largest, Math.abs(gain[i]!))
  const most = block * (largest + 2 * penalty)
  if (!Number.isFinite(most)) throw outOfRange('score', 'finite scores', largest)
  return most === 0 ? 1 : 2 ** Math.floor(30 - Math.log2(most))
}

/** The costs of pairs, less the two gaps that a pair saves: gaps then cost nothing. Rows of keyLength + MARGIN. */
function pairCosts({ gain, tokens, keyLength, penalty }: AlignmentProblem, units: number): Int32Array {
  const stride = keyLength + MARGIN
  const pairs = scratchPairs(tokens * stride)
  for (let t = 0; t < tokens; t++) {
    const row = t * stride
    for (let j = 0; j < keyLength; j++)
      pairs[row + j] = Math.round((-gain[t * keyLength + j]! - 2 * penalty) * units)
    for (let j = keyLength; j < stride; j++) pairs[row + j] = pairs[row + j - keyLength]!
  }
  return pairs
}

/** The best sum of gains without any edit. */
function bestShift({ gain, tokens, keyLength, block }: AlignmentProblem): number {
  let best = Number.NEGATIVE_INFINITY
  for (let start = 0; start + block <= tokens; start++)
    for (let offset = 0; offset < keyLength; offset++) {
      let sum = 0
      for (let i = 0; i < block; i++) sum += gain[(start + i) * keyLength + ((offset + i) % keyLength)]!
      best = Math.max(best, sum)
    }
  return best
}

export function alignmentStatistic(problem: AlignmentProblem): number {
  const { tokens, keyLength, block, penalty } = problem
  if (penalty === Number.POSITIVE_INFINITY) return bestShift(problem)
  const units = resolution(problem)
  const pairs = pairCosts(problem, units)
  const stride = keyLength + MARGIN
  let least = Number.POSITIVE_INFINITY
  for (let start = 0; start + block <= tokens; start++)
    least = Math.min(
      least,
      active().align(pairs.subarray(start * stride, (start + block) * stride), block, keyLength),
    )
  return -(least / units + 2 * block * penalty)
}
