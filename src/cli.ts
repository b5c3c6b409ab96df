#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { audit } from './commands/audit.ts'
import { check } from './commands/check.ts'
import { type Command, helpOf, readInput, UsageError } from './commands/command.ts'
import { detect } from './commands/detect.ts'
import { generate } from './commands/generate.ts'
import { list } from './commands/list.ts'
import { report } from './commands/report.ts'

const commands: Record<string, Command> = { list, generate, detect, check, audit, report }

const help = `uwbench: test, generate and detect unbiased language-model watermarks

usage: uwbench COMMAND [options]     (uwbench COMMAND --help says more)

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`)
  .join('\n')}
`

const version = (): string =>
  (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string })
    .version

async function main([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(help)
    return name === undefined ? 2 : 0
  }
  if (name === '--version') {
    console.log(version())
    return 0
  }
  const command = commands[name]
  if (command === undefined)
    throw new UsageError(`no command '${name}': expected one of ${Object.keys(commands).join(', ')}`)
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(helpOf(name, command))
    return 0
  }
  return command.run(readInput(name, command, args))
}

// a reader that closes the pipe (`uwbench list | head`) is no error, and the exit code stays what it would have been
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const usage = error instanceof UsageError || error instanceof RangeError || error instanceof TypeError
  console.error(`uwbench: ${error instanceof Error ? error.message.split('\n')[0] : error}`)
  if (!usage && process.env.DEBUG) console.error(error)
  process.exitCode = 2
}
