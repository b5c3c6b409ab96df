import { createHash } from 'node:crypto'

/** A prompt, and what a person wrote for it. */
export interface Example {
  /** Unique in its dataset and the same in every run. */
  readonly id: string
  readonly prompt: string
  /** A system message for chat models, if the dataset has one. */
  readonly system?: string
  /** The human continuation, answer, summary or translation. */
  readonly reference?: string
  /** What the prompt was made from: the text to translate, the article, the corpus of a passage. */
  readonly source?: string
}

/**
 * SHA-256 in hexadecimal of the examples in order, for provenance. It depends on the content alone, not on the file format or
 * location: a parquet copy of the same data has the same digest, a limit or a shard another.
 *
 * @example digestExamples([{ id: '1', prompt: 'Once' }]).length // 64
 */
export function digestExamples(examples: Iterable<Example>): string {
  const hash = createHash('sha256')
  for (const { id, prompt, system = null, reference = null, source = null } of examples)
    hash.update(`${JSON.stringify([id, prompt, system, reference, source])}\n`)
  return hash.digest('hex')
}
