/**
 * Parquet, by hyparquet, in a thread of its own: a damaged file can make its reader loop for ever, and only a thread can be stopped.
 * hyparquet is an optional peer, imported when a parquet file is read.
 */
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Entry } from './entry.ts'

/** Sends the rows of one row group for each message that it gets, and then nothing. */
const thread = `
const { parentPort, workerData: { url, path } } = require('node:worker_threads')
const asked = () => new Promise((resolve) => parentPort.once('message', resolve))
void (async () => {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import(url)
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file)
  let rowStart = 0
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows)
    const rows = await parquetReadObjects({ file, metadata, rowStart, rowEnd })
    const next = asked()
    parentPort.postMessage({ rows })
    await next
    rowStart = rowEnd
  }
  parentPort.postMessage({})
})().catch((error) => parentPort.postMessage({ problem: error.message }))
`

/** Seconds that a row group may take: some to start, and one for each megabyte of the file. */
const secondsFor = (path: string): number => 8 + Math.ceil(statSync(path).size / 1e6)

/** Returns the address of the package, or throws with the command that installs it. */
export function packageUrl(path: string, from: string = import.meta.url): string {
  try {
    return pathToFileURL(createRequire(from).resolve('hyparquet')).href
  } catch (error) {
    throw new Error(
      `${path}: reading parquet needs the package hyparquet; install it with: npm install hyparquet`,
      { cause: error },
    )
  }
}

/** Yields the rows of a parquet file, reading one row group at a time. Tests give fewer `seconds`. */
export async function* parquetFile(
  path: string,
  { url = packageUrl(path), seconds = secondsFor(path) }: { url?: string; seconds?: number } = {},
): AsyncGenerator<Entry> {
  const damaged = (reason: string) => new RangeError(`${path}: a damaged parquet file (${reason})`)
  const reader = new Worker(thread, { eval: true, workerData: { url, path } })
  try {
    for (let line = 0; ; reader.postMessage('more')) {
      const signal = AbortSignal.timeout(1000 * seconds)
      const [{ rows, problem }] = await once(reader, 'message', { signal }).catch((error: Error) => {
        throw damaged(signal.aborted ? `a row group takes over ${seconds} seconds` : error.message)
      })
      if (problem !== undefined) throw damaged(problem)
      if (rows === undefined) return
      for (const value of rows) yield { where: `${path}, row ${++line}`, line, value }
    }
  } finally {
    await reader.terminate()
  }
}
