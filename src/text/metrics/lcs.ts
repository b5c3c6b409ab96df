/** Longest common subsequences by dynamic programming, O(|a| |b|) time. */

/** Returns the length of the longest common subsequence; two rows of memory. */
export function lcsLength(a: readonly string[], b: readonly string[]): number {
  let above = new Int32Array(b.length + 1)
  let row = new Int32Array(b.length + 1)
  for (const item of a) {
    for (let j = 0; j < b.length; j++)
      row[j + 1] = item === b[j] ? above[j]! + 1 : Math.max(above[j + 1]!, row[j]!)
    ;[above, row] = [row, above]
  }
  return above[b.length]!
}

/**
 * Returns the positions in `a` of one longest common subsequence with `b`. Which one is taken where several exist matters to ROUGE-Lsum; read
 * back from the end, a step goes along `b` only where that keeps strictly more, as in ROUGE-1.5.5 and `rouge_score`.
 */
export function lcsPositions(a: readonly string[], b: readonly string[]): number[] {
  const width = b.length + 1
  const table = new Int32Array((a.length + 1) * width)
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++)
      table[i * width + j] =
        a[i - 1] === b[j - 1]
          ? table[(i - 1) * width + j - 1]! + 1
          : Math.max(table[(i - 1) * width + j]!, table[i * width + j - 1]!)
  const positions: number[] = []
  for (let i = a.length, j = b.length; i > 0 && j > 0; ) {
    if (a[i - 1] === b[j - 1]) {
      positions.push(i - 1)
      i--
      j--
    } else if (table[i * width + j - 1]! > table[(i - 1) * width + j]!) j--
    else i--
  }
  return positions.reverse()
}
