import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { cell, closure } from '../../src/bench/cells/cell.ts'
import { openPool } from '../../src/bench/cells/pool.ts'
import { type RunOptions, runCells } from '../../src/bench/cells/runner.ts'
import { inShard, parseShard } from '../../src/bench/cells/shard.ts'
import { openStore } from '../../src/bench/cells/store.ts'
import { cellSeconds } from '../../src/bench/cells/time-limit.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { expectedTotal, grid, stepsUrl } from './grid.ts'

const root = mkdtempSync(join(tmpdir(), 'uwbench-runner-'))
afterAll(() => rmSync(root, { recursive: true }))
const silent = { done() {}, warn() {}, end() {} }
let folder: string
let runs = 0
beforeEach(() => {
  folder = join(root, `run-${runs++}`)
})
const options = (more: Partial<RunOptions> = {}): RunOptions => ({
  steps: stepsUrl,
  store: openStore(folder),
  workers: 2,
  progress: silent,
  ...more,
})
const lines = (file: string): string[] => readFileSync(file, 'utf8').trim().split('\n')
/** All cells of a store with their content; what they cost differs from run to run. */
const contents = (store: string) =>
  readdirSync(join(store, 'cells'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'))
    .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')])
    .sort()

describe('a run', () => {
  test.each([0, 2])('computes each cell once, needs first, with %i workers', async (workers) => {
    const { pairs, total } = grid(8)
    const log = join(root, `once-${workers}`)
    const result = await runCells([...pairs, total], options({ workers, resources: { log } }))
    expect(result.value(total)).toBe(expectedTotal(8))
    expect(result.computed).toBe(16)
    expect(new Set(lines(log)).size).toBe(16)
    expect(lines(log).length).toBe(16)
    const again = await runCells([...pairs, total], options({ workers, resources: { log } }))
    expect([again.computed, again.reused]).toEqual([0, 16])
    expect(lines(log).length).toBe(16)
  })

  test('a stored value of the wrong shape is an error that names its file', async () => {
    const source = `
      export const steps = { twice: { run: (_, [text]) => text + text } }
      export const misfit = (step, value) => (typeof value === 'string' ? undefined : 'a text')`
    const steps = `data:text/javascript,${encodeURIComponent(source)}`
    const text = cell('text', {}, { label: 'the text' })
    const twice = cell('twice', {}, { needs: [text] })
    const store = openStore(folder)
    store.write(text, { not: 'a text' })
    const file = join(folder, 'cells', text.digest.slice(0, 2), text.digest)
    const run = runCells([twice], { steps, store, workers: 0, progress: silent })
    await expect(run).rejects.toThrow(
      `${file}: expected a text, the value of the text, got an object with not; remove the file to compute it again`,
    )
  })

  test('one failing cell does not stop the others; the error names it', async () => {
    const { pairs } = grid(4)
    const bad = cell('fail', {}, { label: 'the bad one' })
    const after = cell('sum', { name: 'after' }, { needs: [bad] })
    await expect(runCells([bad, after, ...pairs], options())).rejects.toThrow(
      /1 of 9 cells failed.*\n.*the bad one: this step always fails/,
    )
    expect(pairs.every((c) => openStore(folder).has(c))).toBe(true)
  })

  test('an unknown step is an error that lists the known ones', async () => {
    await expect(runCells([cell('cube', {})], options())).rejects.toThrow(
      /no step 'cube'.*square, sum, endless, exit, fail/,
    )
  })

  test('an abort keeps what is finished and says how to go on', async () => {
    const { squares } = grid(40)
    const stop = new AbortController()
    let done = 0
    const progress = { ...silent, done: () => void (++done === 5 && stop.abort()) }
    const run = runCells(squares, options({ signal: stop.signal, progress, resources: { pause: 5 } }))
    await expect(run).rejects.toThrow(/interrupted: \d+ of 40 cells.*rerun the command to resume/)
    const rest = await runCells(squares, options())
    expect(rest.computed).toBeLessThanOrEqual(35)
    expect(rest.computed + rest.reused).toBe(40)
  })
})

describe('workers that hang or exit', () => {
  const others = [...grid(6).pairs]

  test.each([
    [2, true],
    [1, true],
    [1, false],
    [0, false],
  ])('%i workers, busy %s: a step without end is named, the rest is done', async (workers, busy) => {
    const endless = cell('endless', { busy }, { label: 'the endless one' })
    const run = runCells([endless, ...others], options({ workers, cellSeconds: 2 }))
    await expect(run).rejects.toThrow(
      /^1 of 12 cells failed.*\n {2}the endless one: no result within 2 s; raise UWBENCH_CELL_SECONDS/,
    )
    expect(others.every((c) => openStore(folder).has(c))).toBe(true)
  })

  test('a worker that exits in a cell: the cell is named, the rest is done', async () => {
    const bad = cell('exit', { x: 1, after: false }, { label: 'the exiting one' })
    await expect(runCells([bad, ...others], options({ workers: 1 }))).rejects.toThrow(
      /^1 of 12 cells failed.*\n {2}the exiting one: the worker exited with code 7/,
    )
    expect(others.every((c) => openStore(folder).has(c))).toBe(true)
  })

  test('a worker that exits between two cells is replaced', async () => {
    const pool = openPool(1, { steps: stepsUrl, resources: null }, 60)
    try {
      for (let x = 0; x < 4; x++) {
        expect(await pool.run({ cell: cell('exit', { x, after: true }), needs: () => [] })).toBe(x)
        // before, while and after the worker exits
        await setTimeout([0, 1, 20, 300][x])
      }
    } finally {
      await pool.close()
    }
  })

  test('a module that ends its worker on import fails its cells', async () => {
    const steps = 'data:text/javascript,process.exit(3);export const steps = {}'
    const pool = openPool(1, { steps, resources: null }, 60)
    const run = pool.run({ cell: cell('any', {}), needs: () => [] })
    await expect(run).rejects.toThrow('the worker exited with code 3')
    await pool.close()
  })

  test('UWBENCH_CELL_SECONDS', () => {
    expect(cellSeconds({})).toBe(4 * 3600)
    expect(cellSeconds({ UWBENCH_CELL_SECONDS: '0' })).toBe(Number.POSITIVE_INFINITY)
    expect(() => cellSeconds({ UWBENCH_CELL_SECONDS: 'long' })).toThrow(
      "UWBENCH_CELL_SECONDS: expected a number of seconds, or 0 for no limit, got 'long'",
    )
  })
})

describe('shards', () => {
  test('every cell belongs to exactly one share, with the cell it builds on first', () => {
    const cells = closure([...grid(50).pairs, grid(50).total])
    for (const count of [1, 2, 3, 7]) {
      const shares = Array.from({ length: count }, (_, i) => ({ index: i + 1, count }))
      for (const c of cells) {
        const owners = shares.filter((share) => inShard(c, share))
        expect(owners.length).toBe(1)
        if (c.needs[0]) expect(inShard(c.needs[0], owners[0]!)).toBe(true)
      }
    }
  })

  test('the merged stores of all shares are the store of one whole run', async () => {
    const { pairs, total } = grid(20)
    const whole = await runCells([...pairs, total], options())
    const merged = join(root, 'merged')
    for (const index of [1, 2, 3]) {
      const store = join(root, `share-${index}`)
      const shard = { index, count: 3 }
      const part = await runCells([...pairs, total], options({ store: openStore(store), shard }))
      expect(part.missing.length).toBeGreaterThan(0)
      cpSync(store, merged, { recursive: true })
    }
    const result = await runCells([...pairs, total], options({ store: openStore(merged) }))
    expect(result.computed).toBe(0)
    expect(result.value(total)).toBe(whole.value(total))
    expect(contents(merged)).toEqual(contents(folder))
  })

  test.each(['0/2', '3/2', 'x', '1'])('UWBENCH_SHARD=%s is refused', (text) => {
    expect(() => parseShard(text)).toThrow(/UWBENCH_SHARD: expected 'i\/n'/)
  })
})

/** Starts a run in a process of its own and kills it once it has traced so many computations, if it is still going. */
async function killed(store: string, log: string, size: number, after: number): Promise<boolean> {
  const script = fileURLToPath(new URL('./run-grid.mjs', import.meta.url))
  const before = traced(log)
  const child = spawn(process.execPath, [script, store, log, String(size), '3', '2'], { stdio: 'ignore' })
  const watch = setInterval(() => traced(log) - before >= after && child.kill('SIGKILL'), 2)
  const whole = await new Promise<boolean>((resolve) => child.on('exit', (code) => resolve(code === 0)))
  clearInterval(watch)
  return whole
}

const traced = (log: string): number => (existsSync(log) ? lines(log).length : 0)

describe('kills', () => {
  test('killed at random points, it resumes: nothing is lost or computed twice', async () => {
    const size = 120
    const { pairs, total } = grid(size)
    const log = join(root, 'killed-log')
    writeFileSync(log, '')
    const random = seededRandom('kill')
    let kills = 0
    while (!(await killed(folder, log, size, 10 + random.below(60)))) kills++
    expect(kills).toBeGreaterThan(0)
    const warnings: string[] = []
    const store = openStore(folder, { warn: (message) => warnings.push(message) })
    const result = await runCells([...pairs, total], options({ store }))
    expect(result.value(total)).toBe(expectedTotal(size))
    expect(warnings).toEqual([])
    // A step can have been traced and killed before its value was stored: at most two at once, per kill.
    const computed = lines(log)
    expect(computed.length - new Set(computed).size).toBeLessThanOrEqual(2 * kills)

    const clean = join(root, 'never-killed')
    await runCells([...pairs, total], options({ store: openStore(clean) }))
    expect(contents(folder)).toEqual(contents(clean))
  })

  test('two processes can share one store', async () => {
    const log = join(root, 'shared-log')
    const both = await Promise.all([killed(folder, log, 60, Infinity), killed(folder, log, 60, Infinity)])
    expect(both).toEqual([true, true])
    const { pairs, total } = grid(60)
    const result = await runCells([...pairs, total], options())
    expect([result.computed, result.value(total)]).toEqual([0, expectedTotal(60)])
  })
})
