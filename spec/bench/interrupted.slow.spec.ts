/** Ctrl-C and SIGTERM while a benchmark runs: it stops within a second, says so, and leaves no process. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { plainEnvironment, root, temporaryFolder } from '../commands/program.ts'

const folder = temporaryFolder('interrupted')

/** Seconds that the machine may be busy with other things; the steps never end. */
const BUSY = 15

/** Processes of a group that run: those that ended may wait for a parent to hear of it, and are not counted (on Linux). */
function running(group: number): string[] {
  if (!existsSync('/proc/self/stat')) return []
  return readdirSync('/proc').filter((pid) => {
    try {
      const [state, , pgrp] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
      return Number(pgrp) === group && state !== 'Z' && state !== 'X'
    } catch {
      return false
    }
  })
}

/** Starts the benchmark as a program, or through a shell as npm does; resolves once it is under way. */
async function start(command: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(command, args, {
    cwd: root,
    env: plainEnvironment({ UWBENCH_STORE: join(folder, 'store'), ...env }),
    detached: true,
  })
  let output = ''
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  await new Promise<void>((resolve, reject) => {
    const read = (data: Buffer) => {
      output += data
      if (output.includes('0/2 cells')) resolve()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.on('exit', () => reject(new Error(output)))
  })
  await setTimeout(700) // the workers are in their loops
  return { child, group: child.pid!, ended, output: () => output }
}

const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const run = [vitest, 'run', '--config', join(root, 'spec/bench/interrupted/vitest.config.mjs')]

/** Waits until nothing of the group runs; returns the seconds that took. */
async function gone(group: number, began: number): Promise<number> {
  while (running(group).length > 0 && performance.now() - began < 60_000) await setTimeout(20)
  expect(running(group)).toEqual([])
  return (performance.now() - began) / 1000
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s to the run', async (signal, code) => {
  const { child, group, ended, output } = await start(process.execPath, run)
  const began = performance.now()
  child.kill(signal)
  expect(await ended).toBe(code)
  expect(await gone(group, began)).toBeLessThan(1 + BUSY)
  expect(output()).toContain('interrupted; rerun to resume\n')
})

test('SIGTERM to the shell that npm starts it with, which passes nothing on', async () => {
  const line = `'${process.execPath}' ${run.map((part) => `'${part}'`).join(' ')}; exit $?`
  const { child, group, output } = await start('sh', ['-c', line], { npm_lifecycle_event: 'bench' })
  const began = performance.now()
  child.kill('SIGTERM')
  expect(await gone(group, began)).toBeLessThan(1 + BUSY)
  expect(output()).toContain('interrupted; rerun to resume\n')
})
