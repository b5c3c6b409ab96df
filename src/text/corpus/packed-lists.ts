/**
 * JSON Lines without JSON.parse for their lists of token ids, which are nearly all of a corpus: those are read from the bytes into an
 * Int32Array, and JSON.parse gets the line with `[]` in the place of each.
 *
 * Why that is the same: a list is only cut out behind the colon of a key of the outermost record, and only if it is integers in
 * the grammar of JSON. One list for another leaves a document valid or invalid, so JSON.parse still judges the line, and everything
 * this scan is not sure of (escapes in keys, a key twice with other values, ids of ten digits) is left to JSON.parse alone.
 */
const [TAB, NEWLINE, RETURN, SPACE, QUOTE, COMMA] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x2c]
const [ZERO, NINE, COLON, OPEN, BACKSLASH, CLOSE] = [0x30, 0x39, 0x3a, 0x5b, 0x5c, 0x5d]
const [BEGIN, END] = [0x7b, 0x7d]

/** The most digits of an id: all such numbers are below 2^31. */
const MAX_DIGITS = 9

/** The digits that are read at once. */
const DIGITS_AT_ONCE = 5

/** Ids in one block of memory, which many lists share. */
const BLOCK = 2 ** 16

/** No such thing here: the line is left to JSON.parse. */
const NONE = -1

// Every loop below ends at the line end behind the line at the latest: it is no digit, no space between values, and not part of a string.

function afterSpace(bytes: Uint8Array, at: number): number {
  let i = at
  for (let c = bytes[i]!; c === SPACE || c === TAB || c === RETURN; c = bytes[i]!) i++
  return i
}

/** Returns the position behind the string whose quote is at `at`. */
function afterString(bytes: Uint8Array, at: number): number {
  for (let i = at + 1; ; i++) {
    const c = bytes[i]!
    if (c === QUOTE) return i + 1
    if (c === BACKSLASH) i++
    if (c < SPACE || bytes[i] === NEWLINE) return NONE
  }
}

/** Returns the position behind the value at `at`, whatever it is: the comma or bracket that ends it. */
function afterValue(bytes: Uint8Array, at: number): number {
  let depth = 0
  for (let i = at; ; ) {
    const c = bytes[i]!
    if (c === QUOTE) {
      i = afterString(bytes, i)
      if (i === NONE) return NONE
      continue
    }
    if (c === NEWLINE) return NONE
    if (depth === 0 && (c === COMMA || c === END || c === CLOSE)) return i
    if (c === OPEN || c === BEGIN) depth++
    else if (c === CLOSE || c === END) depth--
    i++
  }
}

/** Returns a record with its lists in their places; undefined where one of them is not the value of its key. */
function withLists(
  rest: string,
  keys: readonly string[],
  lists: readonly Int32Array[],
): Record<string, unknown> | undefined {
  let record: Record<string, unknown>
  try {
    record = JSON.parse(rest) as Record<string, unknown>
  } catch {
    return undefined // errors are about the line as it stands
  }
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!
    const held = record[key]
    if (key.includes('\\') || !Array.isArray(held) || held.length > 0) return undefined
    record[key] = lists[i]!
  }
  return record
}

/** Returns -1 (all bits) for a digit and 0 for any other character, given its distance from `0`. */
const whereDigit = (d: number): number => ~((d | (9 - d)) >> 31)

/** Reads the lists of lines. Lists of neighbouring lines share memory. */
export class PackedLists {
  #block = new Int32Array(BLOCK)
  #used = 0
  #read = 0

  /** Returns the position behind the list at `at`, whose `#read` integers it leaves from `#used` on; NONE for any other value. */
  #list(bytes: Uint8Array, at: number, end: number): number {
    const most = (end - at) >> 1
    if (this.#used + most > this.#block.length) {
      this.#block = new Int32Array(Math.max(BLOCK, most))
      this.#used = 0
    }
    const [block, from] = [this.#block, this.#used]
    let to = from
    let i = afterSpace(bytes, at + 1)
    if (bytes[i] === CLOSE) {
      this.#read = 0
      return i + 1
    }
    for (;;) {
      // Ids of up to five digits that end with a comma, without a branch for each digit: how many there are cannot be predicted, and a
      // wrong guess costs the processor as much as a whole id. Everything else is for the plain loop below.
      while (i + DIGITS_AT_ONCE <= end) {
        if (bytes[i] === SPACE) i++
        const d0 = bytes[i]! - ZERO
        const d1 = bytes[i + 1]! - ZERO
        const d2 = bytes[i + 2]! - ZERO
        const d3 = bytes[i + 3]! - ZERO
        const d4 = bytes[i + 4]! - ZERO
        const m1 = whereDigit(d1)
        const m2 = m1 & whereDigit(d2)
        const m3 = m2 & whereDigit(d3)
        const m4 = m3 & whereDigit(d4)
        const behind = i + 1 - m1 - m2 - m3 - m4
        if (bytes[behind] !== COMMA || d0 < 0 || d0 > 9 || (d0 === 0 && m1 !== 0)) break
        let id = d0 + ((Math.imul(9, d0) + d1) & m1)
        id += (Math.imul(9, id) + d2) & m2
        id += (Math.imul(9, id) + d3) & m3
        id += (Math.imul(9, id) + d4) & m4
        block[to++] = id
        i = behind + 1
      }
      let c = bytes[i]!
      if (c < ZERO || c > NINE) {
        i = afterSpace(bytes, i)
        c = bytes[i]!
        if (c < ZERO || c > NINE) return NONE
      }
      const first = i
      let id = c - ZERO
      for (c = bytes[++i]!; c >= ZERO && c <= NINE; c = bytes[++i]!) id = 10 * id + c - ZERO
      if (i - first > MAX_DIGITS || (bytes[first] === ZERO && i - first > 1)) return NONE
      block[to++] = id
      if (c !== COMMA) {
        i = afterSpace(bytes, i)
        c = bytes[i]!
        if (c === CLOSE) break
        if (c !== COMMA) return NONE
      }
      i++
    }
    this.#read = to - from
    return i + 1
  }

  /** Returns the numbers of the list that `#list` read last. */
  #take(): Int32Array {
    const list = this.#block.subarray(this.#used, this.#used + this.#read)
    this.#used += this.#read
    return list
  }

  /**
   * Returns the value of a line that has lists of integers; undefined for every other line.
   * @param end where the line ends, with a line end: `bytes[end]` is 0x0a
   */
  valueOf(bytes: Buffer, start: number, end: number): unknown {
    let i = afterSpace(bytes, start)
    if (bytes[i] === OPEN) {
      i = this.#list(bytes, i, end)
      return i !== NONE && afterSpace(bytes, i) === end ? this.#take() : undefined
    }
    if (bytes[i] !== BEGIN) return undefined
    const keys: string[] = []
    const lists: Int32Array[] = []
    let rest = ''
    let kept = start
    do {
      const key = afterSpace(bytes, i + 1)
      const behind = bytes[key] === QUOTE ? afterString(bytes, key) : NONE
      if (behind === NONE) return undefined
      i = afterSpace(bytes, behind)
      if (bytes[i] !== COLON) return undefined
      const value = afterSpace(bytes, i + 1)
      i = bytes[value] === OPEN ? this.#list(bytes, value, end) : NONE
      if (i === NONE) i = afterValue(bytes, value)
      else {
        keys.push(bytes.toString('utf8', key + 1, behind - 1))
        lists.push(this.#take())
        rest += `${bytes.toString('utf8', kept, value)}[]`
        kept = i
      }
      if (i === NONE) return undefined
      i = afterSpace(bytes, i)
    } while (bytes[i] === COMMA)
    if (lists.length === 0) return undefined
    const last = kept + 1 === end ? String.fromCharCode(bytes[kept]!) : bytes.toString('utf8', kept, end)
    return withLists(rest + last, keys, lists)
  }
}
