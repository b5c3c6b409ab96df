/** `npm run mutants` that is interrupted: no process and no file stays, but for the results of these very sources. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root, temporaryFolder } from '../commands/program.ts'

const folder = temporaryFolder('mutants')
const temporary = join(folder, 'tmp')

/** Tells whether a process is there. */
const lives = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Processes that were started by another. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

test.skipIf(process.platform !== 'linux')('leaves nothing but what was computed, by code', async () => {
  mkdirSync(temporary)
  const child = spawn(process.execPath, [join(root, 'scripts/mutants.mjs'), '--part=table', '--seed=1'], {
    cwd: folder,
    env: { ...process.env, TMPDIR: temporary },
  })
  const ended = new Promise((resolve) => child.on('exit', resolve))
  for await (const line of child.stderr) if (String(line).includes('1/')) break
  const workers = childrenOf(child.pid!)
  expect(workers.length).toBeGreaterThan(0)
  expect(readdirSync(temporary).filter((name) => name.startsWith('uwbench-mutants-'))).toHaveLength(1)
  child.kill('SIGINT')
  expect(await ended).toBe(130)
  await expect.poll(() => workers.filter(lives), { timeout: 10_000 }).toEqual([])
  expect(readdirSync(temporary).filter((name) => name.startsWith('uwbench-mutants-'))).toEqual([])
  expect(existsSync(join(folder, 'reports'))).toBe(false)
  const [code, ...others] = readdirSync(join(folder, '.uwbench/mutants'))
  expect(code).toMatch(/^[0-9a-f]{16}$/)
  expect(others).toEqual([])
  expect(readdirSync(join(folder, '.uwbench/mutants', code!)).sort()).toEqual(['1', 'seed'])
})
