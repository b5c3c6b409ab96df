/** Reads the arguments of a command. Nothing is ignored: unknown arguments are refused. */
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { didYouMean } from '../../input.ts'
import { type Command, type Input, UsageError } from './command.ts'

type Options = NonNullable<ParseArgsConfig['options']>

/** Splits arguments into options, by their long names, and words. */
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
 * Reads a command line by the command's flags. Errors show no value of an option except numbers, since one may be a key.
 * @param config values for options that the command has and the command line does not give
 */
export function readArguments(
  name: string,
  command: Command,
  args: readonly string[],
  config: Readonly<Record<string, string>> = {},
): Input {
  const usage = (problem: string) => new UsageError(`${problem} (see uwbench ${name} --help)`)
  const { tokens, options } = tokensOf(command, args)
  const given = new Map<string, string | true>()
  const again = new Map<string, string[]>()
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
    const repeated = given.has(token.name)
    if (repeated && !command.flags[token.name]?.repeatable)
      throw usage(`option '--${token.name}' is given twice`)
    if (!wantsValue && value !== undefined) throw usage(`option '${rawName}' takes no value`)
    if (wantsValue && value === undefined) throw usage(`option '${rawName}' needs a value`)
    if (wantsValue && !inlineValue && /^-./.test(value!))
      throw usage(
        `option '${rawName}' needs a value; one that begins with '-' is written --${token.name}=...`,
      )
    if (repeated) again.set(token.name, [...(again.get(token.name) ?? []), value!])
    else given.set(token.name, value ?? true)
  }
  const flag = (option: string): string | undefined => {
    const value = given.get(option)
    if (value !== undefined) return value === true ? undefined : value
    // a key on the command line comes before the key file of the project
    if (!Object.hasOwn(command.flags, option) || (option === 'key-file' && given.has('key'))) return undefined
    return Object.hasOwn(config, option) ? config[option] : undefined
  }
  return {
    words,
    flag,
    all: (option) => [flag(option) ?? [], again.get(option) ?? []].flat(),
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

/** Returns true if the arguments before any `--` ask for help. */
export function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === '--help' || arg === '-h')
}
