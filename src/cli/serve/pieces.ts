/** The text of tokens as they come, and the names of tokens. */
import type { Tokenizer } from '../../text/decode/index.ts'

const INCOMPLETE = '\ufffd'

/**
 * Decodes a text as it grows. Each piece is what a token adds to the text of the tokens just before it, since tokenizers treat the
 * beginning of a text in ways of their own; bytes wait for the rest of their character.
 */
export class GrowingText {
  readonly #tokenizer: Tokenizer
  readonly #alone: (token: number) => string
  readonly #tokens: number[] = []
  /** Tokens `#from .. #read - 1` have been decoded as `#before`. */
  #from = 0
  #read = 0
  #before = ''
  #given = ''

  /** @param alone the text of one token, remembered: most steps then decode once */
  constructor(tokenizer: Tokenizer, alone: (token: number) => string) {
    this.#tokenizer = tokenizer
    this.#alone = alone
  }

  /** Returns what a token adds; nothing while a character is incomplete. */
  add(token: number): string {
    this.#tokens.push(token)
    const now = this.#tokenizer.decode(this.#tokens.slice(this.#from))
    if (now.length <= this.#before.length || now.endsWith(INCOMPLETE)) return ''
    const piece = now.slice(this.#before.length)
    this.#from = this.#read
    this.#read = this.#tokens.length
    const isOne = this.#read - this.#from === 1
    this.#before = isOne ? this.#alone(token) : this.#tokenizer.decode(this.#tokens.slice(this.#from))
    this.#given += piece
    return piece
  }

  /** Returns the rest of the text at its end: characters that stayed incomplete. */
  rest(): string {
    const text = this.#tokenizer.decode(this.#tokens)
    const piece = text.startsWith(this.#given) ? text.slice(this.#given.length) : ''
    this.#given += piece
    return piece
  }
}

/** Remembers the text of every token of a vocabulary. */
function remembered(textOf: (token: number) => string): (token: number) => string {
  const known = new Map<number, string>()
  return (token) => {
    const text = known.get(token) ?? textOf(token)
    known.set(token, text)
    return text
  }
}

/** Returns functions from a token to its text alone and to its name, the text that it has behind another token. */
export function tokenTexts(tokenizer: Tokenizer) {
  // many tokenizers drop a blank at the beginning of a text
  const before = tokenizer.encode('1').slice(-1)
  const skipped = tokenizer.decode(before).length
  return {
    alone: remembered((token) => tokenizer.decode([token])),
    nameOf: remembered((token) => tokenizer.decode([...before, token]).slice(skipped)),
  }
}
