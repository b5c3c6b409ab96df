/** The command line in this process: fast enough for thousands of runs. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { main } from '../../src/cli/commands/main.ts'

export interface Ran {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
  /** Seconds of computation: not the time on the wall, which a busy machine stretches. */
  readonly seconds: number
}

export interface Terminal {
  readonly isTerminal?: boolean
  readonly colours?: boolean
}

/** Runs `uwbench ARGS` with an empty standard input. */
export async function inProcess(args: readonly string[], terminal: Terminal = {}): Promise<Ran> {
  const { readSync } = fs
  Object.assign(fs, {
    readSync: (file: number, ...rest: [Uint8Array]) => (file === 0 ? 0 : readSync(file, ...rest)),
  })
  syncBuiltinESMExports()
  const [out, err]: [string[], string[]] = [[], []]
  const began = process.cpuUsage()
  try {
    const status = await main(args, {
      raw: (text) => out.push(text),
      error: (message) => err.push(`${message}\n`),
      isTerminal: terminal.isTerminal ?? false,
      colours: terminal.colours ?? false,
    })
    const { user, system } = process.cpuUsage(began)
    return { status, stdout: out.join(''), stderr: err.join(''), seconds: (user + system) / 1e6 }
  } finally {
    Object.assign(fs, { readSync })
    syncBuiltinESMExports()
  }
}

/** Everything that moves a cursor, rings, retitles or turns text around; line ends apart. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
export const unsafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

/** A text that would take over a terminal: a window title, a colour, a bell, a C1 sequence, a bidi override. */
export const takeover = '\u001b]0;owned\u0007\u001b[31mred\u009b2J\u0090x\u009c\u202ekrow\u2066\u0008\r\u007f'
