import type { Row } from './row.ts'

type Hyparquet = typeof import('hyparquet')

/**
 * Rows of a parquet file, one row group at a time. hyparquet is an optional peer, imported when a parquet file is read; tests
 * replace `load`.
 */
export async function* parquetFile(
  path: string,
  load: () => Promise<Hyparquet> = () => import('hyparquet'),
): AsyncGenerator<Row> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await load().catch((error) => {
    throw new Error(
      `${path}: reading parquet needs the package hyparquet; install it with: npm install hyparquet`,
      {
        cause: error,
      },
    )
  })
  try {
    const file = await asyncBufferFromFile(path)
    const metadata = await parquetMetadataAsync(file)
    let rowStart = 0
    for (const group of metadata.row_groups) {
      const rowEnd = rowStart + Number(group.num_rows)
      yield* await parquetReadObjects({ file, metadata, rowStart, rowEnd })
      rowStart = rowEnd
    }
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error })
  }
}
