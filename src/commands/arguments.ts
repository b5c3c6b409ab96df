/** Reads the arguments of a command. Nothing is ignored: what a command does not know is refused. */
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { didYouMean } from '../input.ts'
import { type Command, type Input, UsageError } from './command.ts'

const see = (name: string): string => `(see uwbench ${name} --help)`

type Options = NonNullable<ParseArgsConfig['options']>

/** What was given for each option, by its long name, and the arguments besides. */
function tokensOf(command: Command, args: readonly string[]) {
  const options: Options = { help: { type: 'boolean', short: 'h' } }
  for (const [name, { value, short }] of Object.entries(command.flags))
    options[name] = { type: value === undefined ? 'boolean' : 'string', ...(short && { short }) }
  const { tokens } = parseArgs({
    args: [...args],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  return { tokens, options }
}

/**
 * The arguments of a command line by the command's flags. Errors show no value of an option except
 * numbers, since one may be a key.
 * @param config values of options that are not given, for the commands that have them
 */
export function readArguments(
  name: string,
  command: Command,
  args: readonly string[],
  config: Readonly<Record<string, string>> = {},
): Input {
  const usage = (problem: string) => new UsageError(`${problem} ${see(name)}`)
  const { tokens, options } = tokensOf(command, args)
  const given = new Map<string, string | true>()
  const words: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (words.length >= (command.words ?? 0)) throw usage(`unexpected argument '${token.value}'`)
      words.push(token.value)
    }
    if (token.kind !== 'option') continue
    const { rawName, value, inlineValue } = token
    if (!Object.hasOwn(options, token.name)) {
      const known = Object.keys(options).map((option) => `--${option}`)
      throw usage(`unknown option '${rawName}'${didYouMean(rawName, known)}`)
    }
    const wantsValue = options[token.name]!.type === 'string'
    if (given.has(token.name)) throw usage(`option '--${token.name}' is given twice`)
    if (!wantsValue && value !== undefined) throw usage(`option '${rawName}' takes no value`)
    if (wantsValue && value === undefined) throw usage(`option '${rawName}' needs a value`)
    if (wantsValue && !inlineValue && /^-./.test(value!))
      throw usage(
        `option '${rawName}' needs a value; one that begins with '-' is given as --${token.name}=...`,
      )
    given.set(token.name, value ?? true)
  }
  const flag = (option: string): string | undefined => {
    const value = given.get(option)
    if (value !== undefined) return value === true ? undefined : value
    // a key of the command line comes before the key file of the project
    if (!Object.hasOwn(command.flags, option) || (option === 'key-file' && given.has('key'))) return undefined
    return Object.hasOwn(config, option) ? config[option] : undefined
  }
  return {
    words,
    flag,
    on: (option) => given.get(option) === true,
    number(option) {
      const text = flag(option)
      if (text === undefined) return undefined
      if (text.trim() === '' || !Number.isFinite(Number(text)))
        throw usage(`--${option}: expected a number, got '${text}'`)
      return Number(text)
    },
  }
}

/** Whether help was asked for, before any `--`. */
export function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === '--help' || arg === '-h')
}
