/** The rows of a session, whatever the model. */
import { outOfRange } from '../../input.ts'
import type { Tokens } from './language-model.ts'

/** Returns the tokens of a step, refused unless there is one for each row. */
export function checkStep(tokens: Tokens, rows: number): number[] {
  if (tokens.length !== rows) throw outOfRange('tokens', `one token for each of ${rows} rows`, tokens)
  return Array.from(tokens)
}

/** Copies the selected rows of logits. */
export function selectLogits(logits: Float32Array, rows: readonly number[], vocabSize: number): Float32Array {
  const selected = new Float32Array(rows.length * vocabSize)
  for (const [to, from] of rows.entries())
    selected.set(logits.subarray(from * vocabSize, (from + 1) * vocabSize), to * vocabSize)
  return selected
}
