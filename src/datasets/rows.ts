import { outOfRange } from '../input.ts'
import { csvFile } from './csv.ts'
import { jsonFile, jsonLines } from './json.ts'
import { parquetFile } from './parquet.ts'
import type { Row } from './row.ts'

const readers: readonly (readonly [suffix: RegExp, read: (path: string) => AsyncGenerator<Row>])[] = [
  [/\.jsonl(\.gz)?$/, jsonLines],
  [/\.json(\.gz)?$/, jsonFile],
  [/\.csv(\.gz)?$/, csvFile],
  [/\.parquet$/, (path) => parquetFile(path)],
]

/**
 * The rows of a file, streamed; the format follows from its name: `.jsonl`, `.json`, `.csv`, each also with `.gz`, or `.parquet`.
 */
export function readRows(path: string): AsyncGenerator<Row> {
  const reader = readers.find(([suffix]) => suffix.test(path))
  if (reader === undefined)
    throw outOfRange('path', 'a file that ends in .jsonl, .json, .csv (or these with .gz) or .parquet', path)
  return reader[1](path)
}
