/**
 * Printing. Texts, names and file contents may hold escape sequences that move the cursor, retitle the window or reverse the direction
 * of a line. None of them reaches a terminal.
 */
import { printable } from '../../bench/report/index.ts'

export interface Output {
  /** Writes to standard output as is. */
  raw(text: string): void
  /** Writes one message to standard error. */
  error(message: string): void
  /** True if standard output is a terminal. */
  readonly isTerminal: boolean
  readonly colours: boolean
  /** Asks a command that runs until it is stopped to finish its current work. */
  readonly drain?: AbortSignal
}

/** Length at which messages are cut, in characters. */
const MAX_MESSAGE = 2000

/** Columns of a terminal. */
export const MAX_COLUMNS = 80

/** Replaces control characters other than line ends. */
export const safeText = (text: string): string => text.split('\n').map(printable).join('\n')

/** Returns a message as one printable line. */
export const safeLine = (text: string): string => {
  const line = printable(text)
  return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE)}...` : line
}

/** Breaks a text into lines of at most 80 columns: the first begins with `first`, the others with `indent`. */
export function wrap(text: string, first: string, indent: string): string {
  const lines: string[] = []
  let line = first
  for (const word of text.split(' ').filter(Boolean)) {
    const joined = line.trim() === '' || line.endsWith(' ') ? `${line}${word}` : `${line} ${word}`
    if (joined.length <= MAX_COLUMNS || line.trim() === '') line = joined
    else {
      lines.push(line)
      line = `${indent}${word}`
    }
  }
  return [...lines, line].join('\n')
}

export const print = (output: Output, text: string): void => output.raw(`${safeText(text)}\n`)

/** Prints `first` and a text, which a terminal gets in lines of at most 80 columns. */
export const printLine = (output: Output, first: string, text: string, indent: string): void =>
  print(output, output.isTerminal ? wrap(text, first, indent) : `${first}${text}`)

/** Characters that JSON does not escape: DEL, C1 controls, and marks that reverse the direction of text. */
const leftByJson = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

const escaped = (json: string): string =>
  json.replace(leftByJson, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Prints a value as indented JSON with every control character escaped. */
export const printJson = (output: Output, value: unknown): void =>
  output.raw(`${escaped(JSON.stringify(value, null, 2))}\n`)

/** Returns a value as JSON in one line, without a line end. */
export const jsonLine = (value: unknown): string => escaped(JSON.stringify(value))

export const printJsonLine = (output: Output, value: unknown): void => output.raw(`${jsonLine(value)}\n`)
