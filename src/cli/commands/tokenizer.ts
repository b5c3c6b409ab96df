/** The tokenizer of texts to test. */
import type { Tokenizer } from '../../text/decode/index.ts'
import { type Input, UsageError } from './command.ts'

/** A tokenizer with the width of the model's logits. */
export interface Sized {
  readonly tokenizer: Tokenizer
  readonly vocabSize: number
}

/** Loads the tokenizer of `--tokenizer`, by default the embedded model's; `--vocab-size` comes before what its model says. */
export async function tokenizerOf(input: Input): Promise<Sized> {
  const name = input.flag('tokenizer') ?? 'embedded'
  const { loadTokenizer } = await import('../../text/models/index.ts')
  const { tokenizer, vocabSize } = await loadTokenizer(name)
  const width = input.number('vocab-size') ?? vocabSize
  if (width === undefined)
    throw new UsageError(`${name}: its config.json names no vocab_size; give --vocab-size N`)
  return { tokenizer, vocabSize: width }
}
