import { createHash } from 'node:crypto'

/** One thing to generate from: what the model is given, and what a person wrote in its place. */
export interface Example {
  /** Unique in its dataset and the same in every run. */
  readonly id: string
  readonly prompt: string
  /** A system message, for chat models, where the dataset has one. */
  readonly system?: string
  /** The human continuation, answer, summary or translation. */
  readonly reference?: string
  /** What the prompt was made from: the text to translate, the article, the corpus of a passage. */
  readonly source?: string
}

/**
 * SHA-256, in hexadecimal, of the examples in their order: the provenance of a result. It depends on what was read, not on the
 * format or the place it was read from, so a limit, a shard or a parquet copy of the same data can be told apart or recognised.
 *
 * @example digestExamples([{ id: '1', prompt: 'Once' }]).length // 64
 */
export function digestExamples(examples: Iterable<Example>): string {
  const hash = createHash('sha256')
  for (const { id, prompt, system = null, reference = null, source = null } of examples)
    hash.update(`${JSON.stringify([id, prompt, system, reference, source])}\n`)
  return hash.digest('hex')
}
