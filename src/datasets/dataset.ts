import { integer } from '../input.ts'
import { digestExamples, type Example } from './example.ts'
import { locate, type Place, type Sought } from './locate.ts'
import { column, type Row } from './row.ts'
import { readRows } from './rows.ts'

/** A dataset is a declaration: which files, which columns, and how a row becomes an example. */
export interface DatasetDeclaration extends Sought {
  /** Columns that every row must have; a dot reaches into a struct. */
  readonly columns: readonly string[]
  /** The example of a row; undefined skips the row. `index` counts rows over all files. */
  example(row: Row, index: number): Example | undefined
}

export interface ReadOptions extends Place {
  /** Stop after this many examples. */
  readonly limit?: number
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
      const example = declaration.example(row, index++)
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

/** Reads a dataset into memory, with its digest. */
export async function readDataset(
  declaration: DatasetDeclaration,
  options: ReadOptions = {},
): Promise<Reading> {
  const examples: Example[] = []
  for await (const example of streamDataset(declaration, options)) examples.push(example)
  return { id: declaration.id, examples, digest: digestExamples(examples) }
}
