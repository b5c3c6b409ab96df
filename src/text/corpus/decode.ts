/**
 * Text from bytes. UTF-8, UTF-16 with a byte order mark and gzip are read; anything else is refused by name, since text that was
 * decoded wrongly has other tokens, and would be "not detected".
 */
import { isAscii, isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

const startsWith = (bytes: Uint8Array, ...start: readonly number[]): boolean =>
  start.every((byte, i) => bytes[i] === byte)

/** Formats that are no text, by how they begin. */
const binaries: readonly (readonly [name: string, start: readonly number[]])[] = [
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['bzip2', [0x42, 0x5a, 0x68, 0x39]],
  ['PDF', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['parquet', [0x50, 0x41, 0x52, 0x31]],
]

const isGzip = (bytes: Uint8Array): boolean => startsWith(bytes, 0x1f, 0x8b)
export const isParquet = (bytes: Uint8Array): boolean => startsWith(bytes, 0x50, 0x41, 0x52, 0x31)

function encodingOf(name: string, head: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const binary = binaries.find(([, start]) => startsWith(head, ...start))
  if (binary) throw new RangeError(`${name}: expected text, found a ${binary[0]} file`)
  if (startsWith(head, 0xff, 0xfe, 0, 0)) throw new RangeError(`${name}: expected UTF-8 text, found UTF-32`)
  if (startsWith(head, 0xff, 0xfe)) return 'utf-16le'
  if (startsWith(head, 0xfe, 0xff)) return 'utf-16be'
  return 'utf-8'
}

/** Bytes that show the format of a file. A pipe may give them one at a time. */
const SIGNATURE_BYTES = 5

const joined = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

/** Yields the first chunk and then the rest; leaving early closes the source. */
export function* resumed(first: Uint8Array, rest: Iterator<Uint8Array>): Generator<Uint8Array> {
  try {
    yield first
    for (let next = rest.next(); !next.done; next = rest.next()) yield next.value
  } finally {
    rest.return?.()
  }
}

/** Yields what the bytes of gzip archives unpack to, and other bytes as they are. */
async function* unpacked(name: string, source: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const rest = source[Symbol.iterator]()
  let first = new Uint8Array()
  for (let next = rest.next(); !next.done; next = rest.next()) {
    first = joined([first, next.value]) as Uint8Array<ArrayBuffer>
    if (first.length >= SIGNATURE_BYTES) break
  }
  const bytes = resumed(first, rest)
  if (!isGzip(first)) {
    yield* bytes
    return
  }
  const file = Readable.from(bytes)
  const archive = file.pipe(createGunzip({ chunkSize: 2 ** 18 }))
  file.once('error', (error) => archive.destroy(error))
  try {
    for await (const chunk of archive) yield chunk as Uint8Array
  } catch (error) {
    throw new RangeError(`${name}: a damaged gzip archive (${(error as Error).message})`)
  } finally {
    archive.destroy()
    file.destroy()
  }
}

/** A piece of text: decoded, or as UTF-8 of whole characters. */
export type Piece = string | Buffer

/** Returns the text of a piece. ASCII is read several times as fast by itself. */
export const pieceText = (piece: Piece): string =>
  typeof piece === 'string' ? piece : piece.toString(isAscii(piece) ? 'latin1' : 'utf8')

export async function* textOf(pieces: AsyncIterable<Piece>): AsyncGenerator<string> {
  for await (const piece of pieces) yield pieceText(piece)
}

/** Yields checked pieces of text, as bytes where they are UTF-8 of whole characters; a byte order mark is left out. */
export async function* piecesOf(name: string, source: Iterable<Uint8Array>): AsyncGenerator<Piece> {
  let decoder: TextDecoder | undefined
  let done = 0
  // whether the last piece may have ended within a character
  let within = false
  // the decoder, which has not seen the start then, must not look for a byte order mark
  const whole = (bytes: Uint8Array): Buffer | undefined => {
    if (within || decoder!.encoding !== 'utf-8' || !isUtf8(bytes)) return undefined
    if (done === 0) {
      if (startsWith(bytes, 0xef, 0xbb, 0xbf)) return undefined
      decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    }
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  const decode = (bytes?: Uint8Array): Piece => {
    let text: Piece
    try {
      const same = bytes && whole(bytes)
      text = same ?? (bytes ? decoder!.decode(bytes, { stream: true }) : decoder!.decode())
      within = same === undefined && (bytes?.at(-1) ?? 0) > 0x7f
    } catch {
      const hint =
        decoder!.encoding === 'utf-8' ? '; in another encoding, such as Latin-1, convert it first' : ''
      throw new RangeError(
        `${name}: expected ${decoder!.encoding.toUpperCase()} text, found other bytes after byte ${done}${hint}`,
      )
    }
    if (typeof text === 'string' ? text.includes('\0') : text.includes(0))
      throw new RangeError(
        `${name}: expected text, found NUL characters: a binary file, or UTF-16 without a byte order mark`,
      )
    done += bytes?.length ?? 0
    return text
  }
  let start: Uint8Array[] = []
  const begin = (): Uint8Array => {
    const bytes = joined(start)
    start = []
    decoder = new TextDecoder(encodingOf(name, bytes), { fatal: true })
    return bytes
  }
  let text: Piece
  for await (const bytes of unpacked(name, source)) {
    if (decoder === undefined) {
      start.push(bytes)
      if (start.reduce((sum, part) => sum + part.length, 0) < SIGNATURE_BYTES) continue
    }
    text = decode(decoder === undefined ? begin() : bytes)
    if (text.length > 0) yield text
  }
  if (decoder === undefined) {
    text = decode(begin())
    if (text.length > 0) yield text
  }
  text = decode()
  if (text.length > 0) yield text
}
