/** The command line as a person runs it: the built program in a process of its own. */
import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, vi } from 'vitest'

// programs of their own take long on a busy machine, which is no reason to fail
vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 1_800_000 })

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const program = join(root, 'dist/cli/uwbench.js')

/** Builds dist/ where the source changed since the last build. */
export const build = (): void => {
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' })
}

/** A folder that is removed after the tests of the file. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `uwbench-${name}-`))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Somebody else's project, with this package and the given others installed. */
export function linkPackages(folder: string, packages: readonly string[] = []): void {
  for (const [name, target] of [
    ['uwbench', root],
    ...packages.map((name) => [name, join(root, 'node_modules', name)]),
  ] as [string, string][]) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(target, link, 'dir')
  }
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Record<string, string>
  readonly input?: string
}

/** The environment without what would change the output. */
export function plainEnvironment(env: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { NO_COLOR, FORCE_COLOR, UWBENCH_KEY, DEBUG, ...rest } = process.env
  return { ...rest, ...env }
}

/** Runs `uwbench ARGS`. */
export const uwbench = (
  args: readonly string[],
  { cwd, env, input = '' }: RunOptions = {},
): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, [program, ...args], {
    cwd,
    input,
    encoding: 'utf8',
    env: plainEnvironment(env),
  })

/** Runs a line of shell in which `uwbench` is the program. */
export const shell = (line: string, cwd: string): SpawnSyncReturns<string> =>
  spawnSync('bash', ['-c', `uwbench() { "${process.execPath}" "${program}" "$@"; }\n${line}`], {
    cwd,
    encoding: 'utf8',
    env: plainEnvironment(),
  })
