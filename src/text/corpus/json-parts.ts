/**
 * Splits a JSON document into its entries without holding all of it: the entries of a list, or objects that follow one another. Only
 * quotes and brackets are looked at; what an entry says is left to JSON.parse.
 */
import type { Entry } from './entry.ts'
import { checkLength, parseJson } from './lines.ts'

/** The position of the scanner: its depth inside brackets, and whether it is inside a string. */
class Scanner {
  depth = 0
  inString = false
  readonly #outside = /["{}[\],]/g
  readonly #inside = /["\\]/g
  #escaped = false

  /** Returns the next quote, bracket or comma from `from` on, or -1; strings are skipped over. */
  next(text: string, from: number): number {
    let at = from
    if (this.#escaped && at < text.length) {
      this.#escaped = false
      at++
    }
    for (;;) {
      const pattern = this.inString ? this.#inside : this.#outside
      pattern.lastIndex = at
      const found = pattern.exec(text)
      if (found === null) return -1
      at = found.index
      if (text[at] === '\\') {
        this.#escaped = at + 2 > text.length
        at += 2
      } else if (text[at] === '"') {
        this.inString = !this.inString
        at++
      } else return at
      if (at >= text.length) return -1
    }
  }
}

/**
 * Yields the entries of a document.
 * @param list whether the document is one list, rather than objects one after the other
 */
export async function* jsonParts(
  name: string,
  pieces: AsyncIterable<string>,
  list: boolean,
): AsyncGenerator<Entry> {
  const scanner = new Scanner()
  const inside = list ? 1 : 0
  let parts: string[] = []
  let length = 0
  let number = 0
  let ended = false
  const keep = (text: string): void => {
    parts.push(text)
    length += text.length
    checkLength(`${name}, entry ${number + 1}`, 'entry', length)
  }
  const end = (): Entry | undefined => {
    const text = parts.join('').trim()
    parts = []
    length = 0
    if (text === '') return undefined
    const where = `${name}, entry ${++number}`
    return { where, line: number, value: parseJson(text, where) }
  }
  for await (const piece of pieces) {
    let start = 0
    for (let at = scanner.next(piece, 0); at >= 0; at = scanner.next(piece, at + 1)) {
      const c = piece[at]!
      if (ended) break
      if (c === '{' || c === '[') {
        if (list && scanner.depth === 0) start = at + 1
        scanner.depth++
      } else if (c !== ',') scanner.depth--
      const closes = list ? scanner.depth === 0 : scanner.depth === 0 && c !== ','
      if (closes || (c === ',' && list && scanner.depth === inside)) {
        keep(piece.slice(start, list ? at : at + 1))
        start = at + 1
        const part = end()
        if (part) yield part
        else if (c === ',') throw new SyntaxError(`${name}, entry ${number + 1}: expected a value, found ','`)
        ended = list && closes
      }
    }
    if (ended) {
      if (piece.slice(start).trim() !== '')
        throw new SyntaxError(`${name}: expected nothing after the list, found more`)
    } else keep(piece.slice(start))
  }
  if (!ended && (list || parts.join('').trim() !== ''))
    throw new SyntaxError(`${name}, entry ${number + 1}: not JSON: the document ends inside an entry`)
}
