/** What a command of the command line is. */
import type { Output } from './output.ts'

/** A mistake in how the command was called or in what it was given: one line, exit code 2. */
export class UsageError extends Error {}

export interface Command {
  /** The line after `uwbench NAME`. */
  readonly usage: string
  readonly summary: string
  /** The largest number of words besides flags; none by default. */
  readonly words?: number
  /** Flags with a line of help each. */
  readonly flags: Record<string, Flag>
  /** Returns the exit code. */
  run(input: Input, output: Output): Promise<number>
}

export interface Flag {
  readonly help: string
  /** Name of the value in the help; a flag without one is on or off. */
  readonly value?: string
  readonly short?: string
}

export interface Input {
  readonly words: readonly string[]
  readonly flag: (name: string) => string | undefined
  readonly on: (name: string) => boolean
  readonly number: (name: string) => number | undefined
}

export const exitCodes = `exit codes:
  0  yes: done, detected, all laws hold
  1  no: not detected, a law fails
  2  usage: an argument or an input file is wrong
  3  failure outside: a file cannot be written, a model or a package cannot be loaded
  130, 143  interrupted by Ctrl-C or SIGTERM
`

/** The help of one command. */
export function helpOf(name: string, command: Command): string {
  const lines = Object.entries({ ...command.flags, help: { short: 'h', help: 'this help' } as Flag }).map(
    ([flag, { value, short, help }]) => {
      const left = `${short ? `-${short}, ` : ''}--${flag}${value ? ` ${value}` : ''}`
      return `  ${left.padEnd(26)} ${help}`
    },
  )
  return `${command.summary}\n\nusage: uwbench ${name} ${command.usage}\n\n${lines.join('\n')}\n\n${exitCodes}`
}
