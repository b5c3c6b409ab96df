import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { integer, outOfRange, show } from '../../input.ts'
import { column, type Row, textColumn } from '../corpus/row.ts'
import { openSource } from '../corpus/source.ts'
import { locate, type Place, type Sought } from './locate.ts'

/** A prompt with the human-written text for it. */
export interface Example {
  /** Unique in its dataset and the same in every run. */
  readonly id: string
  readonly prompt: string
  /** A system message for chat models, if the dataset has one. */
  readonly system?: string
  /** The human continuation, answer, summary or translation. */
  readonly reference?: string
  /** The text that the prompt was made from: the text to translate, the article, the corpus of a passage. */
  readonly source?: string
}

/**
 * Returns the SHA-256 in hexadecimal of the examples in order, for provenance. It depends on the content alone, not on the file format or
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

/** A dataset is a declaration: which files, which columns, and how a row becomes an example. */
export interface DatasetDeclaration extends Sought {
  /** Columns that every row must have; a dot reaches into a struct. */
  readonly columns: readonly string[]
  /** Returns the example of a row, given a reader of its text columns; undefined skips the row. `index` counts rows over all files. */
  example(text: (column: string) => string, index: number, row: Row): Example | undefined
}

export interface ReadOptions extends Place {
  /** Stop after this many examples. */
  readonly limit?: number
}

/** Tells whether a name belongs to a file of records that datasets are read from. */
export const isPromptFile = (name: string): boolean => /\.(jsonl|json|csv)(\.gz)?$|\.parquet$/.test(name)

/** Streams the rows of a file, whose name tells its format. */
export async function* readRows(path: string): AsyncGenerator<Row> {
  if (!isPromptFile(path))
    throw outOfRange('path', 'a file that ends in .jsonl, .json, .csv (or these with .gz) or .parquet', path)
  const { entries } = await openSource(path)
  for await (const { value, where } of entries()) {
    if (value === null || typeof value !== 'object' || Array.isArray(value))
      throw new TypeError(`${where}: expected a JSON object, found ${show(value)}`)
    yield value as Row
  }
}

/** Streams the examples of a dataset, reading no further than needed. */
export async function* streamDataset(
  declaration: DatasetDeclaration,
  options: ReadOptions = {},
): AsyncGenerator<Example> {
  let left = integer('limit', options.limit ?? Number.MAX_SAFE_INTEGER, 0)
  let index = 0
  for (const path of locate(declaration, options)) {
    if (left === 0) return
    for await (const row of readRows(path)) {
      for (const name of declaration.columns) column(row, name, `${declaration.id}, ${path}`)
      const text = (name: string): string => textColumn(row, name, declaration.id)
      const example = declaration.example(text, index++, row)
      if (example === undefined) continue
      yield example
      if (--left === 0) return
    }
  }
}

/** Examples with the digest that identifies them. */
export interface Reading {
  readonly id: string
  readonly examples: readonly Example[]
  readonly digest: string
}

export async function readDataset(
  declaration: DatasetDeclaration,
  options: ReadOptions = {},
): Promise<Reading> {
  const examples: Example[] = []
  for await (const example of streamDataset(declaration, options)) examples.push(example)
  return { id: declaration.id, examples, digest: digestExamples(examples) }
}

/** Declares prompts of the user's own: a file with a column `prompt` and optionally `reference`, `system` and `id`. */
export function promptFile(path: string): DatasetDeclaration {
  return {
    id: basename(path),
    files: /./,
    columns: ['prompt'],
    example(text, index, row) {
      const given = (name: string) => ((row[name] ?? null) === null ? {} : { [name]: text(name) })
      return {
        id: row.id === undefined ? `${index}` : String(row.id),
        prompt: text('prompt'),
        ...given('reference'),
        ...given('system'),
      }
    },
  }
}
