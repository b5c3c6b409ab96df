/**
 * The constants of a Python module: `NAME = literal` at the start of a line, where the literal is made of strings, tuples and lists.
 * Enough to read prompts that a project publishes only inside its code; anything else in the module is passed over.
 */
export type Literal = string | readonly Literal[]

export function pythonConstants(source: string): Map<string, Literal> {
  const constants = new Map<string, Literal>()
  for (const match of source.matchAll(/^([A-Za-z_]\w*)\s*=\s*(?=["'([])/gm)) {
    const reader = new LiteralReader(source, match.index + match[0].length)
    const value = reader.value()
    if (value !== undefined) constants.set(match[1]!, value)
  }
  return constants
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  "'": "'",
  '"': '"',
}

/** Reads one literal from a position on; undefined where something else stands there, such as a comprehension. */
class LiteralReader {
  private readonly source: string
  private at: number

  constructor(source: string, at: number) {
    this.source = source
    this.at = at
  }

  value(): Literal | undefined {
    this.skip()
    const c = this.source[this.at]
    if (c === '"' || c === "'") return this.strings()
    if (c === '[' || c === '(') return this.sequence(c === '[' ? ']' : ')')
    return undefined
  }

  /** Adjacent strings are one. */
  private strings(): string | undefined {
    let text = ''
    while (`"'`.includes(this.source[this.at] ?? ' ')) {
      const match = /("""|'''|"|')((?:\\[\s\S]|(?!\1)[\s\S])*)\1/y
      match.lastIndex = this.at
      const found = match.exec(this.source)
      if (found === null) return undefined
      text += found[2]!.replace(/\\([\s\S])/g, (whole, c: string) => escapes[c] ?? whole)
      this.at = match.lastIndex
      this.skip()
    }
    return text
  }

  private sequence(close: string): Literal | undefined {
    const items: Literal[] = []
    let commas = 0
    this.at++
    for (;;) {
      this.skip()
      if (this.source[this.at] === close) break
      const item = this.value()
      if (item === undefined) return undefined
      items.push(item)
      this.skip()
      if (this.source[this.at] !== ',') break
      commas++
      this.at++
    }
    if (this.source[this.at] !== close) return undefined
    this.at++
    return close === ')' && commas === 0 && items.length === 1 ? items[0] : items // (x) is x, (x,) a tuple
  }

  private skip(): void {
    const blank = /(?:\s|#.*)*/y
    blank.lastIndex = this.at
    blank.exec(this.source)
    this.at = blank.lastIndex
  }
}
