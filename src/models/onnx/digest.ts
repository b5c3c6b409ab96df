import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** SHA-256 of files, one after the other with their lengths between them, in hexadecimal. */
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
