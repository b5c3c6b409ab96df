import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { describe, expect, test, vi } from 'vitest'
import { detect } from '../../src/core/detect/entry.ts'
import { awaitChange, Connection } from '../../src/gate/testee/connection.ts'
import { testeeWatermark } from '../../src/gate/testee/declaration.ts'
import { checkTestee, TesteeFailure } from '../../src/gate/testee/entry.ts'
import { readInfo } from '../../src/gate/testee/protocol.ts'
import { Rows } from '../../src/gate/testee/rows.ts'
import { inProcess } from '../commands/in-process.ts'
import { temporaryFolder } from '../commands/program.ts'
import { isGone } from './gone.ts'

const folder = temporaryFolder('testee')
const bad = fileURLToPath(new URL('./bad.mjs', import.meta.url))
const command = (...args: string[]): string[] => [process.execPath, bad, ...args]

const p = Float64Array.of(0.5, 0.25, 0.125, 0.125)
const place = { key: '0123456789abcdef', tokens: [1, 2], seed: 7 }

/** Starts the testee, asks for q, or for a p-value, and stops it. */
function ask(wrong: string, limits: { timeout?: number; startTimeout?: number } = {}): Float64Array {
  const connection = new Connection({ command: command(wrong), ...limits })
  try {
    if (connection.info.capabilities.includes('detect'))
      return Float64Array.of(
        detect(testeeWatermark(connection), [1, 2], { key: 'k'.repeat(16), vocabSize: 4 }).pValue,
      )
    const q = new Float64Array(2 * p.length)
    new Rows(connection).reweight(p, [place, place], q)
    return q
  } finally {
    connection.close()
  }
}

const messageOf = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(TesteeFailure)
    return (error as Error).message
  }
  return 'no failure'
}

describe('a correct testee', () => {
  test.each(['nothing', 'json', 'floods standard error', 'ignores stop'])('%s: gives q', (wrong) => {
    expect([...ask(wrong)]).toEqual([...p, ...p])
  })
})

test('a testee gets neither the key nor secrets of clouds, unless they are named', async () => {
  const names = ['UWBENCH_KEY', 'UWBENCH_QUEUE', 'AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN'].concat([
    'UWBENCH_SERVER_TOKEN',
    'UWBENCH_API_KEY',
    'CF_API_TOKEN',
    'SCW_SECRET_KEY',
    'OS_PASSWORD',
    'PGPASSWORD',
  ])
  for (const name of [...names, 'HARMLESS', 'HF_TOKEN', 'TOKENIZERS_PARALLELISM']) vi.stubEnv(name, 'value')
  const seen = (run: () => unknown, file: string): string[] => {
    run()
    return Object.keys(JSON.parse(readFileSync(file, 'utf8')) as object)
  }
  try {
    const file = join(folder, 'environment')
    const open = (env: Record<string, string>) => () =>
      new Connection({ command: command('tells its environment', file), env }).close()
    const plain = seen(open({}), file)
    expect(plain).toEqual(expect.arrayContaining(['HARMLESS', 'HF_TOKEN', 'TOKENIZERS_PARALLELISM']))
    expect(names.filter((name) => plain.includes(name))).toEqual([])
    expect(seen(open({ AWS_SECRET_ACCESS_KEY: 'x' }), file)).toContain('AWS_SECRET_ACCESS_KEY')
    const line = `'${process.execPath}' '${bad}' 'tells its environment' '${file}'`
    await inProcess(['check', '--testee', line, '--testee-env', 'UWBENCH_KEY', '--law', 'detectable'])
    expect(seen(() => {}, file)).toContain('UWBENCH_KEY')
  } finally {
    vi.unstubAllEnvs()
  }
})

describe('one line for each way to break the protocol', () => {
  test.each([
    ['dies at once', /exited with code 7 .*no module named torch/],
    [
      'dies',
      /exited with code 139 \(last request: seq 1, reweight\); its standard error ends: Segmentation fault/,
    ],
    ['is killed', /was ended by SIGKILL \(last request: seq 1, reweight\)/],
    ['garbage', /answered "reweight" with something other than JSON: Loading the model\.\.\./],
    ['a number', /something other than an object: 42/],
    ['the wrong seq', /answered out of order: expected seq 1, got 2/],
    ['no ok', /answered "reweight" without ok, error or skipped/],
    ['an error', /reported an error: out of memory on line 2 \(last request: seq 1, reweight\)/],
    ['floods one line', /wrote more than 67108864 bytes in one line/],
    ['floods lines', /something other than JSON: all work and no play/],
    [
      'NaN in base64',
      /broke the protocol in its answer to "reweight": q: expected 2 rows of 4 numbers, got NaN in row 0/,
    ],
    ['null in a row', /q: expected 2 rows of 4 numbers, got null in row 0/],
    ['too few rows', /q: expected 2 rows of 4 numbers, got 1 rows/],
    ['too many bytes', /q: expected 2 rows of 4 numbers, got 72 bytes/],
    ['short rows', /q: expected 2 rows of 4 numbers, got 3 numbers in row 0/],
    ['no q', /q: expected 2 rows of 4 numbers, got neither rows nor/],
    ['a token outside', /tokens\[0\]: expected an integer from 0 to 3, got 1000000/],
    ['half a token', /tokens\[0\]: expected an integer from 0 to 3, got 0\.5/],
    ['a p-value of 2', /pValues\[0\]: expected a number from 0 to 1, got 2/],
    ['a p-value of null', /pValues\[0\]: expected a number from 0 to 1, got null/],
    ['p-values in words', /pValues: expected a list of 1 numbers, got 'none'/],
    ['another protocol', /protocol: this uwbench speaks 1, the testee 2/],
    ['no id', /id: expected a printable name, got undefined/],
  ])('%s', (wrong, message) => {
    const found = messageOf(() => ask(wrong))
    expect(found).toMatch(message)
    expect(found).toMatch(/^testee '.*bad\.mjs/)
    expect(found).not.toContain('\n')
  })

  test('a second answer is noticed with the next request', () => {
    const connection = new Connection({ command: command('two answers') })
    const q = new Float64Array(p.length)
    const rows = new Rows(connection)
    rows.reweight(p, [place], q)
    expect(messageOf(() => rows.reweight(p, [place], q))).toMatch(/without being asked|out of order/)
    connection.close()
  })

  test.each([
    ['hangs at once', { startTimeout: 300 }, /did not answer "start" within 0\.3 s/],
    ['hangs', { timeout: 300 }, /did not answer "reweight" within 0\.3 s/],
  ])('%s: ended after the time limit', (wrong, limits, message) => {
    expect(messageOf(() => ask(wrong, limits))).toMatch(message)
  })

  test('no such program', () => {
    const run = () => new Connection({ command: ['no-such-program-here'] })
    expect(messageOf(run)).toMatch(/^testee 'no-such-program-here' could not be started: .*ENOENT/)
  })
})

test.each([
  ['an empty id', { id: ' ' }, /id: expected a printable name/],
  ['a claim in words', { unbiased: 'yes' }, /unbiased: expected true or false/],
  ['a claim of length 0', { unbiasedUpTo: 0 }, /unbiasedUpTo: expected an integer/],
  [
    'no capability',
    { capabilities: [] },
    /capabilities: expected at least one of reweight, sample, detect, score/,
  ],
  ['an unknown capability', { capabilities: ['fly'] }, /capabilities: expected/],
  ['tiny vocabularies', { vocabSizes: [8, 16] }, /vocabSizes: expected integers, one of at least 1000/],
  ['no precision', { dtype: 'float16' }, /dtype: expected 'float64' or 'float32'/],
  ['a wide tolerance', { tolerance: 0.1 }, /tolerance: expected a number from 0 to 0\.001/],
  ['no state', { state: 'stateful' }, /state: expected 'context' or 'text'/],
  ['an encoding', { encoding: 'msgpack' }, /encoding: expected 'base64' or 'json'/],
])('the answer to start is checked: %s', (_, wrong, message) => {
  const info = {
    protocol: 1,
    id: 'x',
    unbiased: true,
    capabilities: ['detect'],
    dtype: 'float64',
    state: 'context',
  }
  expect(readInfo(info)).toEqual(info)
  expect(() => readInfo({ ...info, ...wrong })).toThrow(message)
})

describe('no process is left behind', () => {
  test.each(['hangs', 'ignores stop', 'nothing'])('%s', async (wrong) => {
    const file = join(folder, `${wrong}.pid`)
    const connection = new Connection({ command: command(wrong, file), timeout: 400 })
    if (wrong === 'hangs') expect(() => new Rows(connection).reweight(p, [place], p.slice())).toThrow()
    connection.close()
    expect(await isGone(Number(readFileSync(file, 'utf8')))).toBe(true)
  })

  test('nor what a testee started itself', async () => {
    const file = join(folder, 'grandchild.pid')
    const connection = new Connection({ command: command('grandchild', file) })
    connection.close()
    expect(await isGone(Number(readFileSync(file, 'utf8')))).toBe(true)
  })
})

test.each([
  ['nothing', undefined, 'testee: expected'],
  ['a line of shell', { command: 'python3 x.py' }, 'command: expected a program and its arguments'],
  ['no program', { command: [] }, 'command: expected a program and its arguments'],
  ['a number', { command: ['node', 7] }, 'command: expected a program and its arguments'],
  ['no time', { command: ['node'], timeout: 0 }, 'timeout: expected'],
  ['an unknown option', { command: ['node'], shell: true }, 'shell'],
])('a wrong argument is refused before anything is started: %s', async (_, testee, message) => {
  await expect(checkTestee(testee as never)).rejects.toThrow(message)
})

describe('uwbench check --testee', () => {
  const line = (wrong: string) => `'${process.execPath}' '${bad}' '${wrong}'`
  const check = (wrong: string, ...args: string[]) =>
    inProcess(['check', '--testee', line(wrong), '--law', 'reweight gives a distribution', ...args])

  test.each(['dies', 'hangs', 'floods lines', 'too few rows'])('%s: one line, exit code 3', async (wrong) => {
    const { status, stdout, stderr } = await check(wrong, '--timeout', '0.4')
    expect(stderr).toMatch(/^uwbench: testee '.*\n$/)
    expect(stderr.trim()).not.toContain('\n')
    expect(stdout).toBe('')
    expect(status).toBe(3)
  })

  test('a testee that does nothing: the law holds, exit code 0', async () => {
    const { status, stdout } = await check('nothing')
    expect(stdout).toMatch(/^bad\n {2}holds {2}reweight gives a distribution/)
    expect(status).toBe(0)
  })

  test('a law whose requests are skipped does not apply', async () => {
    const { stdout } = await check('skips')
    expect(stdout).toMatch(/n\/a +reweight gives a distribution +skipped by the testee: no vocabulary of 8/)
  })

  test('a testee that skips everything passed nothing: exit code 3', async () => {
    const { status, stderr } = await inProcess(['check', '--testee', line('skips'), '--effort', 'quick'])
    expect(stderr).toMatch(/^uwbench: testee 'bad' gave nothing to check: no law applies\n$/)
    expect(status).toBe(3)
  })

  test.each([
    ['two sources', ['gumbel', '--testee', 'x'], 'not several of them'],
    ['an empty command', ['--testee', ' '], "expected a command such as 'python3 my_watermark.py'"],
    ['unbalanced quotes', ['--testee', "python3 'x"], 'unbalanced quotes'],
    ['a time limit for a module', ['gumbel', '--timeout', '3'], 'only with --testee'],
    ['no time', ['--testee', 'x', '--timeout', '0'], 'expected seconds, more than 0'],
    ['an empty file name', ['gumbel', '--junit', ''], 'expected the name of a file to write'],
  ])('%s: exit code 2', async (_, args, message) => {
    const { status, stderr } = await inProcess(['check', ...args])
    expect(stderr).toContain(message)
    expect(status).toBe(2)
  })
})

describe('a wait for an answer', () => {
  test('goes on after a late notification of the last answer', async () => {
    const count = new Int32Array(new SharedArrayBuffer(4))
    const early = `
      const { workerData: count } = require('node:worker_threads')
      const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
      for (let i = 0; i < 10; i++) { pause(); Atomics.notify(count, 0) }
      Atomics.store(count, 0, 1)
      Atomics.notify(count, 0)`
    const worker = new Worker(early, { eval: true, workerData: count })
    awaitChange(count, 0, 60_000)
    expect(Atomics.load(count, 0)).toBe(1)
    await worker.terminate()
  })

  test('ends at its time limit', () => {
    awaitChange(new Int32Array(new SharedArrayBuffer(4)), 0, 20)
  })
})
