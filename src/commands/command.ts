/** What a command of the command line is. */
import { readFileSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'

/** A mistake in how the command was called: one line, exit code 2. */
export class UsageError extends Error {}

export interface Command {
  /** The line after `uwbench NAME`. */
  readonly usage: string
  readonly summary: string
  /** Flags with a line of help each. */
  readonly flags: Record<string, Flag>
  /** Returns the exit code: 0 detected or all laws hold, 1 not. */
  run(input: Input): Promise<number>
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

const unquoted = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Reads the words of a command line by the command's flags. */
export function readInput(command: Command, args: readonly string[]): Input {
  const options: NonNullable<ParseArgsConfig['options']> = { help: { type: 'boolean', short: 'h' } }
  for (const [name, { value, short }] of Object.entries(command.flags))
    options[name] = { type: value === undefined ? 'boolean' : 'string', ...(short && { short }) }
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const flag = (name: string): string | undefined => values[name] as string | undefined
    return {
      words: positionals,
      flag,
      on: (name) => values[name] === true,
      number(name) {
        const text = flag(name)
        if (text === undefined) return undefined
        if (text.trim() === '' || !Number.isFinite(Number(text)))
          throw new UsageError(`--${name}: expected a number, got '${text}'`)
        return Number(text)
      },
    }
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(unquoted(error))
  }
}

/** The secret key: --key, --key-file or UWBENCH_KEY. */
export function readKey(input: Input): string | Uint8Array {
  const given = input.flag('key')
  const file = input.flag('key-file')
  if (given !== undefined && file !== undefined) throw new UsageError('give --key or --key-file, not both')
  if (file !== undefined) return new Uint8Array(readText(file, (path) => readFileSync(path)))
  const key = given ?? process.env.UWBENCH_KEY
  if (key === undefined || key === '')
    throw new UsageError('no key: give --key K, --key-file FILE or set UWBENCH_KEY')
  return key
}

/** Reads a file, or says in one line why it cannot be read. */
export function readText<T>(path: string, read: (path: string) => T): T {
  try {
    return read(path)
  } catch (error) {
    throw new UsageError(
      `${path}: ${(error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : unquoted(error)}`,
    )
  }
}

/** The text of a file, or of standard input for `-`. */
export const readTextFile = (path: string): string =>
  readText(path, (name) => readFileSync(name === '-' ? 0 : name, 'utf8'))

export const keyFlags: Record<string, Flag> = {
  key: { value: 'K', help: 'the secret key (seen by others on this machine: prefer --key-file)' },
  'key-file': { value: 'FILE', help: 'a file whose bytes are the secret key' },
}

/** The help of one command. */
export function helpOf(name: string, command: Command): string {
  const lines = Object.entries({ ...command.flags, help: { short: 'h', help: 'this help' } as Flag }).map(
    ([flag, { value, short, help }]) => {
      const left = `${short ? `-${short}, ` : ''}--${flag}${value ? ` ${value}` : ''}`
      return `  ${left.padEnd(26)} ${help}`
    },
  )
  return `${command.summary}\n\nusage: uwbench ${name} ${command.usage}\n\n${lines.join('\n')}\n`
}
