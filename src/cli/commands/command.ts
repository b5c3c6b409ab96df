/** The shape of a command, and its help. */
import { type Output, wrap } from './output.ts'

/** A mistake in the arguments or the input of a command: one line, exit code 2. */
export class UsageError extends Error {}

export interface Command {
  /** The line after `uwbench NAME`. */
  readonly usage: string
  readonly summary: string
  /** The largest number of words besides flags; 0 by default. */
  readonly words?: number
  readonly flags: Record<string, Flag>
  /** Returns the exit code. */
  run(input: Input, output: Output): Promise<number>
}

export interface Flag {
  readonly help: string
  /** Name of the value in the help; a flag without one is on or off. */
  readonly value?: string
  readonly short?: string
  /** True if it may be given several times. */
  readonly repeatable?: true
}

export interface Input {
  readonly words: readonly string[]
  /** Returns the value of a flag; of one that is given several times the first. */
  readonly flag: (name: string) => string | undefined
  /** Returns all values of a flag that may be given several times. */
  readonly all: (name: string) => readonly string[]
  readonly on: (name: string) => boolean
  readonly number: (name: string) => number | undefined
}

export const exitCodes = `exit codes:
  0  yes: done, detected, all laws hold
  1  no: not detected, a law fails
  2  usage: an argument or an input file is wrong
  3  failure outside: a file cannot be written, a model cannot be loaded
  130, 143  interrupted by Ctrl-C or SIGTERM
`

/** The column at which the help of an option begins. */
const INDENT = 29

/** Returns the help of one command. */
export function helpOf(name: string, command: Command): string {
  const flags: Record<string, Flag> = { ...command.flags, help: { short: 'h', help: 'print this help' } }
  const lines = Object.entries(flags).map(([flag, { value, short, help }]) => {
    const left = `  ${short ? `-${short}, ` : ''}--${flag}${value ? ` ${value}` : ''} `
    return wrap(help, left.padEnd(INDENT), ' '.repeat(INDENT))
  })
  const usage = wrap(`uwbench ${name} ${command.usage}`, 'usage: ', '         ')
  return `${wrap(command.summary, '', '')}\n\n${usage}\n\n${lines.join('\n')}\n\nuwbench --help lists the exit codes.\n`
}
