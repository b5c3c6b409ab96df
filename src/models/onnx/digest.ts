import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** SHA-256 in hexadecimal of the files' contents, each followed by its length. */
export async function digestFiles(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const path of paths) {
    let bytes = 0
    for await (const chunk of createReadStream(path)) {
      hash.update(chunk)
      bytes += chunk.length
    }
    hash.update(`;${bytes};`)
  }
  return hash.digest('hex')
}
