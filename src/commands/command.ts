/** What a command of the command line is. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type ParseArgsConfig, parseArgs } from 'node:util'

/** A mistake in how the command was called: one line, exit code 2. */
export class UsageError extends Error {}

export interface Command {
  /** The line after `uwbench NAME`. */
  readonly usage: string
  readonly summary: string
  /** The largest number of words besides flags; none by default. */
  readonly words?: number
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Reads the words of a command line by the command's flags. */
export function readInput(name: string, command: Command, args: readonly string[]): Input {
  const usage = (problem: string) => new UsageError(`${problem} (uwbench ${name} --help says more)`)
  const options: NonNullable<ParseArgsConfig['options']> = { help: { type: 'boolean', short: 'h' } }
  for (const [name, { value, short }] of Object.entries(command.flags))
    options[name] = { type: value === undefined ? 'boolean' : 'string', ...(short && { short }) }
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const extra = positionals[command.words ?? 0]
    if (extra !== undefined) throw usage(`one word too many: '${extra}'`)
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
    if (error instanceof UsageError) throw error
    // the first sentence says which option; the rest is advice on `--` that fits few cases
    throw usage(
      messageOf(error)
        .split(/\. |\n/)[0]!
        .replace(/\.$/, ''),
    )
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
function readText<T>(path: string, read: (path: string) => T): T {
  try {
    return read(path)
  } catch (error) {
    throw new UsageError(
      `${path}: ${(error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : messageOf(error)}`,
    )
  }
}

/** Whether to print colours: on a terminal or with FORCE_COLOR, never with NO_COLOR. */
export const coloured = (): boolean =>
  !process.env.NO_COLOR && (process.stdout.isTTY === true || Boolean(process.env.FORCE_COLOR))

/** Refuses an output file that cannot be written because its folder is not there, before any work is done. */
export function checkFolderOf(file: string): void {
  if (!existsSync(dirname(file))) throw new UsageError(`${file}: no such folder`)
}

/** The text of a file, or of standard input for `-`. */
export const readTextFile = (path: string): string =>
  readText(path, (name) => readFileSync(name === '-' ? 0 : name, 'utf8'))

export const keyFlags: Record<string, Flag> = {
  key: { value: 'K', help: 'the secret key (seen by others on this machine: prefer --key-file)' },
  'key-file': {
    value: 'FILE',
    help: 'a file whose bytes are the secret key (all of them, a final newline too)',
  },
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
