/**
 * Levenshtein-like alignment of a block of text with a window of the key list (Kuditipudi et al. 2023): pairing token i with
 * key entry j costs -gain[i][j], leaving a token or an entry out costs `penalty`.
 *
 *   D[i][j] = min(D[i-1][j-1] - gain, D[i-1][j] + penalty, D[i][j-1] + penalty)
 *
 * The statistic is the best value over every block of the text and every offset into the (circular) key list; higher is
 * more evidence. This is the plain twin, the oracle of the vectorised one.
 */
export interface AlignmentProblem {
  /** gain[t * keyLength + j]: the score of token t under key entry j. */
  readonly gain: Float64Array
  readonly tokens: number
  readonly keyLength: number
  /** Length of a block of text, and of the window of the key list it is aligned with. */
  readonly block: number
  readonly penalty: number
}

let row = new Float64Array(0)

/** The cost of aligning tokens `start ..` with key entries `offset ..`, both `block` long. */
function alignmentCost(
  { gain, keyLength, block, penalty }: AlignmentProblem,
  start: number,
  offset: number,
): number {
  for (let j = 0; j <= block; j++) row[j] = j * penalty
  for (let i = 1; i <= block; i++) {
    const from = (start + i - 1) * keyLength
    let diagonal = row[0]!
    row[0] = i * penalty
    let entry = offset
    for (let j = 1; j <= block; j++) {
      const pair = diagonal - gain[from + entry]!
      diagonal = row[j]!
      const gap = Math.min(diagonal, row[j - 1]!) + penalty
      row[j] = pair < gap ? pair : gap
      if (++entry === keyLength) entry = 0
    }
  }
  return row[block]!
}

export function alignmentStatistic(problem: AlignmentProblem): number {
  const { tokens, keyLength, block } = problem
  if (row.length < block + 1) row = new Float64Array(block + 1)
  let least = Number.POSITIVE_INFINITY
  for (let start = 0; start + block <= tokens; start++)
    for (let offset = 0; offset < keyLength; offset++)
      least = Math.min(least, alignmentCost(problem, start, offset))
  return -least
}
