/** Runs over whole texts, for likelihoods and hidden states. */
import type { Tokens } from '../../decode/language-model.ts'
import { type CausalGraph, CausalSession } from './causal-session.ts'
import type { Floats } from './tensor.ts'

/** Texts per run. */
const MAX_BATCH = 16

/** Yields batches of indices of texts with similar lengths, which pad little; with `equal`, of the same length. */
export function* batches(texts: readonly Tokens[], equal: boolean): Generator<number[]> {
  const order = texts.map((_, i) => i).sort((a, b) => texts[a]!.length - texts[b]!.length)
  let batch: number[] = []
  for (const i of order) {
    const other = equal && batch.length > 0 && texts[i]!.length !== texts[batch[0]!]!.length
    if (other || batch.length === MAX_BATCH) {
      yield batch
      batch = []
    }
    batch.push(i)
  }
  if (batch.length > 0) yield batch
}

/**
 * Passes on one output of the graph for every token of every text: `take(text, position, values, from)`, where the `width` numbers
 * of the output start at `values[from]`.
 */
export async function scanTexts(
  model: CausalGraph,
  texts: readonly Tokens[],
  output: 'logits' | 'last_hidden_state',
  width: number,
  take: (text: number, position: number, values: Floats, from: number) => void,
): Promise<void> {
  const padless = !model.graph.inputs.has('position_ids')
  for (const batch of batches(texts, padless)) {
    const rows = batch.map((i) => texts[i]!)
    await CausalSession.scan(model, rows, output, width, ({ from, columns, starts, values }) => {
      for (const [row, text] of batch.entries())
        for (let j = Math.max(0, starts[row]! - from); j < columns; j++)
          take(text, from + j - starts[row]!, values, (row * columns + j) * width)
    })
  }
}
