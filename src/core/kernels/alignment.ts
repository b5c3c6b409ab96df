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
import { outOfRange } from '../../input.ts'
import { active } from './active.ts'
import { scratchColumn, scratchCosts, scratchPairs } from './scratch.ts'

export interface AlignmentProblem {
  /** gain[t * keyLength + j]: the score of token t under key entry j. */
  readonly gain: Float64Array
  readonly tokens: number
  readonly keyLength: number
  /** Length of a block of text, and of the window of the key list it is aligned with. */
  readonly block: number
  readonly penalty: number
}

/** The part of its start that a row of pair costs repeats at its end, so that kernels can read past it. */
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

/** The best alignment of a text with the key list. */
export interface Alignment {
  /** Its gain less its gaps, in fixed point: what is compared between keys. */
  readonly statistic: number
  /** The start of the block of text, and of the window of the key list. */
  readonly start: number
  readonly offset: number
}

/** The best alignment; without an edit where edits cost infinitely much. */
export function bestAlignment(problem: AlignmentProblem): Alignment {
  const { tokens, keyLength, block, penalty } = problem
  const edits = Number.isFinite(penalty)
  const units = edits ? resolution(problem) : 1
  const pairs = edits ? pairCosts(problem, units) : new Int32Array(0)
  const stride = keyLength + MARGIN
  const [column, costs] = [scratchColumn(8 * block), scratchCosts(keyLength)]
  let best = { statistic: Number.NEGATIVE_INFINITY, start: 0, offset: 0 }
  for (let start = 0; start + block <= tokens; start++) {
    if (edits) {
      const rows = pairs.subarray(start * stride, (start + block) * stride)
      active(rows).align(rows, block, column, costs)
    }
    for (let offset = 0; offset < keyLength; offset++) {
      const statistic = edits
        ? -(costs[offset]! / units + 2 * block * penalty)
        : shiftGain(problem, start, offset)
      if (statistic > best.statistic) best = { statistic, start, offset }
    }
  }
  return best
}

/** The sum of gains without any edit. */
function shiftGain({ gain, keyLength, block }: AlignmentProblem, start: number, offset: number): number {
  let sum = 0
  for (let i = 0; i < block; i++) sum += gain[(start + i) * keyLength + ((offset + i) % keyLength)]!
  return sum
}

/** The gain of the best alignment at a given place, in float64. */
export function alignmentGain(problem: AlignmentProblem, { start, offset }: Alignment): number {
  const { gain, keyLength, block, penalty } = problem
  if (!Number.isFinite(penalty)) return shiftGain(problem, start, offset)
  const row = Float64Array.from({ length: block + 1 }, (_, j) => j * penalty)
  for (let i = 1; i <= block; i++) {
    const from = (start + i - 1) * keyLength
    let diagonal = row[0]!
    row[0] = i * penalty
    let entry = offset
    for (let j = 1; j <= block; j++) {
      const pair = diagonal - gain[from + entry]!
      diagonal = row[j]!
      row[j] = Math.min(pair, diagonal + penalty, row[j - 1]! + penalty)
      if (++entry === keyLength) entry = 0
    }
  }
  return -row[block]!
}
