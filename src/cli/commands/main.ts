/** The command line as a function: arguments in, output and exit code out. */
import { packageVersion } from '../../bench/cells/index.ts'
import { didYouMean } from '../../input.ts'
import { asksForHelp, readArguments } from './arguments.ts'
import { attack } from './attack.ts'
import { audit } from './audit.ts'
import { auditModel } from './audit-model.ts'
import { bench } from './bench.ts'
import { calibrate } from './calibrate.ts'
import { check } from './check.ts'
import { type Command, exitCodes, helpOf, UsageError } from './command.ts'
import { compare } from './compare.ts'
import { completionOf } from './completion.ts'
import { readConfig } from './config.ts'
import { detect } from './detect.ts'
import { evaluate } from './eval.ts'
import { generate } from './generate.ts'
import { init } from './init.ts'
import { list } from './list.ts'
import { models } from './models.ts'
import { type Output, safeLine, safeText, wrap } from './output.ts'
import { plan } from './plan.ts'
import { playground } from './playground.ts'
import { report } from './report.ts'
import { serve } from './serve.ts'
import { verify } from './verify.ts'
import { worker } from './worker.ts'

const commands: Record<string, Command> = {
  list,
  generate,
  detect,
  calibrate,
  attack,
  check,
  'audit-model': auditModel,
  bench,
  worker,
  eval: evaluate,
  report,
  compare,
  verify,
  audit,
  models,
  plan,
  playground,
  serve,
  init,
  completion: completionOf(() => commands),
}

const help = `uwbench: test, generate and detect unbiased language-model watermarks

usage: uwbench COMMAND [options]     (see uwbench COMMAND --help)

${Object.entries(commands)
  .map(([name, { summary }]) => wrap(summary, `  ${name.padEnd(13)}`, ' '.repeat(15)))
  .join('\n')}

uwbench --version prints the version. With --trust-config a command runs the
uwbench.config.* of a folder that is not the root of a project.

${exitCodes}`

/** The option of every command. */
const TRUST = '--trust-config'

async function run([name, ...given]: readonly string[], output: Output): Promise<number> {
  const end = given.includes('--') ? given.indexOf('--') : given.length
  const args = given.filter((arg, i) => arg !== TRUST || i >= end)
  if (name === undefined) {
    output.raw(help)
    return 2
  }
  const alone = { '--version': `${packageVersion()}\n`, '--help': help, '-h': help, help }
  if (Object.hasOwn(alone, name)) {
    if (args.length > 0) throw new UsageError(`unexpected argument '${args[0]}' (see uwbench --help)`)
    output.raw(alone[name as keyof typeof alone])
    return 0
  }
  if (!Object.hasOwn(commands, name)) {
    const kind = name.startsWith('-') ? 'option' : 'command'
    const names = Object.keys(commands)
    const near = didYouMean(name, [...names, '--version', '--help'])
    throw new UsageError(
      `unknown ${kind} '${name}', expected ${names.join(', ')}${near} (see uwbench --help)`,
    )
  }
  const command = commands[name]!
  if (asksForHelp(args)) {
    output.raw(helpOf(name, command))
    return 0
  }
  return command.run(
    readArguments(name, command, args, await readConfig(name, args.length < given.length)),
    output,
  )
}

/** Parameters of the library whose option has another name. */
const renamed: Record<string, string> = { maxNewTokens: 'max-tokens' }

/** Names options in an error of the library: `--max-tokens: expected ...`, not `maxNewTokens: expected ...`. */
function inFlags(message: string, command: Command | undefined): string {
  const [, name] = /^([a-z]+[A-Za-z]*): expected /.exec(message) ?? []
  if (name === undefined || command === undefined) return message
  const flag = renamed[name] ?? name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)
  return Object.hasOwn(command.flags, flag) ? `--${flag}${message.slice(name.length)}` : message
}

/** Tells errors about arguments and inputs from errors that come from outside. */
const isUsage = (error: unknown): boolean =>
  error instanceof UsageError ||
  error instanceof RangeError ||
  error instanceof TypeError ||
  error instanceof SyntaxError

/**
 * Runs `uwbench ARGS` and returns its exit code. Each error is printed in one line; DEBUG adds the stack.
 */
export async function main(args: readonly string[], output: Output): Promise<number> {
  try {
    return await run(args, { ...output, error: (message) => output.error(safeLine(message)) })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const command = Object.hasOwn(commands, args[0] ?? '') ? commands[args[0]!] : undefined
    const [first = '', ...rest] = message.split('\n')
    output.error(`uwbench: ${safeLine(inFlags(first, command))}`)
    // several mistakes, a line each
    if (error instanceof AggregateError) for (const line of rest) output.error(safeLine(line))
    if (process.env.DEBUG && error instanceof Error) output.error(safeText(String(error.stack)))
    return isUsage(error) ? 2 : 3
  }
}
