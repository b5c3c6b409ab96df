/**
 * What commands print. Texts, names and file contents may hold escape sequences that move the cursor, retitle the window or turn the
 * direction of the line around: none of them reaches a terminal.
 */
import { printable } from '../report/escape.ts'

export interface Output {
  /** Standard output as it is. */
  raw(text: string): void
  /** Standard error, one message. */
  error(message: string): void
  /** Whether standard output is a terminal, and shows colours. */
  readonly isTerminal: boolean
  readonly colours: boolean
  /** Asks a command that runs for ever to finish what it has begun. */
  readonly drain?: AbortSignal
}

/** The longest message that is printed. */
const MAX_MESSAGE = 2000

/** Text with its line ends, without other control characters. */
export const safeText = (text: string): string => text.split('\n').map(printable).join('\n')

/** A message in one line. */
export const safeLine = (text: string): string => {
  const line = printable(text)
  return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE)}...` : line
}

/** Prints lines for people. */
export const print = (output: Output, text: string): void => output.raw(`${safeText(text)}\n`)

/** What JSON leaves in place: DEL, C1 controls, and what turns the direction of text around. */
const leftByJson = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

const escaped = (json: string): string =>
  json.replace(leftByJson, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Prints a value as JSON, of ASCII control characters and their like only escapes. */
export const printJson = (output: Output, value: unknown): void =>
  output.raw(`${escaped(JSON.stringify(value, null, 2))}\n`)

/** A value as JSON in one line, without its line end. */
export const jsonLine = (value: unknown): string => escaped(JSON.stringify(value))

/** Prints a value as one line of JSON Lines. */
export const printJsonLine = (output: Output, value: unknown): void => output.raw(`${jsonLine(value)}\n`)
