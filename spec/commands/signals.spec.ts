/** Ctrl-C and SIGTERM: the program stops within a second, says so, and leaves no process. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { build, plainEnvironment, program, temporaryFolder } from './program.ts'

const folder = temporaryFolder('signals')
beforeAll(() => {
  build()
  // an alignment that takes far longer than any test, in one loop that never yields
  const tokens = Array.from({ length: 3000 }, (_, i) => (i * 7919) % 50_000)
  writeFileSync(join(folder, 'prompts.txt'), 'The whale\n'.repeat(100_000))
  const watermark = 'expEdit(keyLength=4096)'
  writeFileSync(join(folder, 'long.json'), JSON.stringify({ tokens, vocabSize: 50_000, watermark }))
})

/** Seconds that the machine may be busy with other things; the computations take minutes. */
const BUSY = 15

/** Waits until the program listens for signals (on Linux, where that can be seen), and its command is under way. */
async function listening(pid: number): Promise<void> {
  const caught = (): boolean => {
    const mask = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    const both = (1n << 1n) | (1n << 14n) // SIGINT and SIGTERM
    return mask !== null && (BigInt(`0x${mask[1]}`) & both) === both
  }
  if (existsSync('/proc/self/status')) while (!caught()) await setTimeout(50)
  else await setTimeout(5000)
  await setTimeout(1500)
}

test.each([
  ['a long computation', ['detect', 'long.json', '--runs', '99999'], 'SIGINT', 130],
  ['a long computation', ['detect', 'long.json', '--runs', '99999'], 'SIGTERM', 143],
  ['a wait for input', ['detect', '-w', 'gumbel'], 'SIGINT', 130],
  // each of these was an abort in most runs: a model computes in native code
  ...[1, 2, 3, 4].map(
    (i) => ['texts', ['generate', '--prompts', 'prompts.txt', '--out', `${i}.jsonl`], 'SIGINT', 130] as const,
  ),
  ['the laws', ['check', 'synthid(layers=20)', '--bias', '0.001'], 'SIGTERM', 143],
] as const)('%s: uwbench %s, %s', async (_, args, signal, expected) => {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: plainEnvironment({ UWBENCH_KEY: 'a secret that nobody guesses' }),
    detached: true,
  })
  let stderr = ''
  child.stderr.on('data', (data) => {
    stderr += data
  })
  const ended = new Promise<number>((resolve) =>
    child.on('exit', (code, by) => resolve(code ?? (by === signal ? expected : -1))),
  )
  await listening(child.pid!)
  expect(child.exitCode).toBeNull()
  const began = performance.now()
  child.kill(signal)
  expect(await ended).toBe(expected)
  expect((performance.now() - began) / 1000).toBeLessThan(1 + BUSY)
  expect(stderr).toBe('interrupted; rerun to resume\n')
  // nothing is left of its process group
  expect(() => process.kill(-child.pid!, 0)).toThrow('ESRCH')
})
