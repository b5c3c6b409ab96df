/** `uwbench playground` as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { plainEnvironment, program } from '../commands/program.ts'

export interface Playground {
  readonly url: string
  /** The exit code; null where the signal itself ended it. */
  stop(): Promise<number | null>
}

const exit = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once('exit', (code) => resolve(code)))

/** Resolves when the address is printed. */
export async function startPlayground(
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<Playground> {
  const child = spawn(process.execPath, [program, 'playground', ...args], { cwd, env: plainEnvironment(env) })
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      said += chunk
      const [, found] = /playground at (http:\S+)/.exec(said) ?? []
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', (code) => reject(new Error(`exit code ${code}: ${said}`)))
  })
  return {
    url,
    stop() {
      const ended = exit(child)
      child.kill('SIGINT')
      return ended
    },
  }
}
