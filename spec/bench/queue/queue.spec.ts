/** Cells on workers behind a real Redis. */
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Queue } from 'bullmq'
import { describe, expect, test } from 'vitest'
import { cell } from '../../../src/bench/cells/cell.ts'
import { urgencies } from '../../../src/bench/cells/estimate.ts'
import { deviceOf, queueOf } from '../../../src/bench/cells/queue/job.ts'
import { refusalOf } from '../../../src/bench/cells/queue/refusal.ts'
import { openStore } from '../../../src/bench/cells/store.ts'
import { requireComponent } from '../../require.ts'
import { hasRedis } from './redis.ts'
import { otherStepsUrl, team } from './team.ts'

const { client, hire, left, newFolder, newTrace, redis, submit, traced } = team('queue')

const squares = (count: number, model?: string) =>
  Array.from({ length: count }, (_, x) =>
    cell('square', { x, ...(model ? { model: { id: model } } : {}) }, { label: `square ${x}` }),
  )
const total = (count: number) => cell('sum', {}, { label: 'total', needs: squares(count) })

describe('on a real Redis', () => {
  test('values come back, and nothing stays in Redis', async (context) => {
    requireComponent(context, 'redis', hasRedis)
    hire()
    hire()
    const cells = total(12)
    const { run } = submit([cells])
    const result = await run
    expect(result.computed).toBe(13)
    expect(result.value(cells)).toBe(506)
    expect(await left()).toEqual([])
  })

  test('values travel through a shared folder', async (context) => {
    requireComponent(context, 'redis', hasRedis)
    const shared = newFolder()
    const { run, warnings } = submit([total(3)], { store: openStore(shared), shared: true })
    const stranger = hire({ store: openStore(newFolder()) })
    while (stranger.lines.length === 0) await pause(20)
    expect(stranger.lines[0]).toMatch(
      /^worker \S+ refuses 'square \d': its store is not the one given by --store; give the shared folder or bucket$/,
    )
    while (!warnings.includes(stranger.lines[0]!)) await pause(20)
    hire({ store: openStore(shared) })
    expect((await run).value(total(3))).toBe(5)
    expect(await left()).toEqual([])
  })

  test('a failing cell is tried three times, parked, and tried again by the next run', async (context) => {
    requireComponent(context, 'redis', hasRedis)
    const bad = cell('fail', {}, { label: 'the bad one' })
    for (const _ of ['first', 'second']) {
      const { fire } = hire({ resources: { log: newTrace() } })
      await expect(submit([bad, ...squares(2)]).run).rejects.toThrow(
        /^1 of 3 cells failed.*\n {2}the bad one: this step always fails \(tried 3 times\)$/,
      )
      await fire()
    }
    expect(await client().exists(`uwbench:any@cpu:${bad.digest}`)).toBe(1)
  })

  test('a cell that takes its workers down is parked', async (context) => {
    requireComponent(context, 'redis', hasRedis)
    const { Worker } = await import('bullmq')
    const { run } = submit([cell('square', { x: 2 }, { label: 'the deadly one' })])
    const connection = client().duplicate({ maxRetriesPerRequest: null })
    const careless = new Worker('any@cpu', null, {
      connection,
      prefix: 'uwbench',
      lockDuration: 50,
      autorun: false,
    })
    while (!(await careless.getNextJob('gone', { block: false }))) await pause(20)
    hire({ tries: 1, lockSeconds: 0.2 })
    await expect(run).rejects.toThrow('the deadly one: its worker ended while computing it')
    await careless.close()
    connection.disconnect()
  })

  test('cells of another version are refused, and nobody ends', async (context) => {
    requireComponent(context, 'redis', hasRedis)
    const { run, warnings } = submit(squares(1))
    const older = hire({ steps: otherStepsUrl })
    while (older.lines.length === 0) await pause(20)
    expect(older.lines[0]).toMatch(
      /^worker \S+ refuses 'square 0': the code of step 'square', or a package that it uses, differs \(digest older here, none there\); install the same packages$/,
    )
    while (!warnings.includes(older.lines[0]!)) await pause(20)
    hire()
    expect((await run).computed).toBe(1)
    await older.fire()
    expect(await older.ended).toBe(0)
  })

  test('a submitter says which versions the workers have', async (context) => {
    requireComponent(context, 'redis', hasRedis)
    await client().set('uwbench:worker:old', JSON.stringify({ threads: 1, version: '0.1.0' }))
    await client().sadd('uwbench:workers', 'old')
    const { run, warnings } = submit(squares(1))
    while (warnings.length === 0) await pause(20)
    expect(warnings[0]).toMatch(
      /^queue: its workers have uwbench 0\.1\.0, this submitter has [\d.]+; workers compute cells of their own version$/,
    )
    hire()
    await run
  })

  test('cells that every worker refuses keep nobody waiting', async (context) => {
    requireComponent(context, 'redis', hasRedis)
    const dies = new AbortController()
    // 100 cells of a module that the worker lacks: it may compute those of the code '' alone
    const lacking = Array.from({ length: 100 }, (_, x) => cell('square', { x }, { code: 'step mark' }))
    const starved = submit(lacking, { signal: dies.signal })
    while ((await client().keys('uwbench:any@cpu:????????????*')).length < 100) await pause(20)
    const { lines } = hire()
    while (lines.length === 0) await pause(20)
    const began = performance.now()
    expect((await submit(squares(20)).run).computed).toBe(20)
    expect(performance.now() - began).toBeLessThan(20_000)
    dies.abort()
    await expect(starved.run).rejects.toThrow('0 of 100 cells')
  })

  test('a queue with a name of another program, and a job that is no cell, end no worker', async (context) => {
    requireComponent(context, 'redis', hasRedis)
    await client().sadd('uwbench:queues', 'a:b@cpu', 'x@cpu:1')
    const queue = new Queue('any@cpu', { prefix: 'uwbench', connection: { url: redis().url } })
    await queue.add('x', { label: { toString: null, valueOf: null } }, { jobId: 'f'.repeat(64) })
    await queue.add('x', null, { attempts: 3, backoff: { type: 'no such' } })
    const { lines } = hire()
    expect((await submit(squares(5)).run).computed).toBe(5)
    while (!lines.some((line) => line.includes('it is no cell of version'))) await pause(20)
    await queue.close()
  })

  test('verifyShare: two workers compute a cell, and both values are compared', async (context) => {
    requireComponent(context, 'redis', hasRedis)
    const log = newTrace()
    hire({ resources: { log, name: 'honest' } })
    const alone = submit(squares(3), { verifyShare: 1 })
    const needsTwo = /^queue: --verify-share needs two workers, and there is one; start another: /
    while (!alone.warnings.some((line) => needsTwo.test(line))) await pause(20)
    expect(traced()).toHaveLength(3)
    hire({ resources: { log, name: 'liar' } })
    expect((await alone.run).computed).toBe(3)
    expect(await left()).toEqual([])
    expect(traced().sort()).toEqual([0, 0, 1, 1, 2, 2].map((x) => `square ${x}`))
    await expect(submit([cell('whose', {})], { verifyShare: 1 }).run).rejects.toThrow(
      /whose: two workers computed different values \(digests \w{8} and \w{8}\)/,
    )
  })

  test('a Redis that fills up while workers compute says so to both sides, once', async (context) => {
    requireComponent(context, 'redis', hasRedis)
    const { run, warnings } = submit(squares(4))
    while ((await client().keys('uwbench:any@cpu:????????????*')).length < 4) await pause(20)
    await client().config('SET', 'maxmemory', '1')
    const { lines } = hire()
    const full = /^queue: Redis is out of memory; raise its maxmemory/
    while (lines.length === 0 || !warnings.some((line) => full.test(line))) await pause(20)
    await pause(1000)
    expect(lines).toEqual([expect.stringMatching(full)])
    await client().config('SET', 'maxmemory', '0')
    expect((await run).computed).toBe(4)
    expect(warnings.filter((line) => full.test(line))).toHaveLength(1)
  })

  test('a Redis that is out of memory ends the run with one line', async (context) => {
    requireComponent(context, 'redis', hasRedis)
    await client().config('SET', 'maxmemory', '1')
    await expect(submit(squares(5)).run).rejects.toThrow(
      /^queue: Redis is out of memory; raise its maxmemory, or let values travel through a shared folder: --shared; finished/,
    )
  })

  test('a Redis that lost everything gets the cells again', async (context) => {
    requireComponent(context, 'redis', hasRedis)
    const { run } = submit(squares(4))
    while ((await client().keys('uwbench:any@cpu:*')).length < 6) await pause(20)
    await client().flushall()
    hire()
    expect((await run).computed).toBe(4)
  })

  test('without its submitter a queue empties itself; the next one takes the results', async (context) => {
    requireComponent(context, 'redis', hasRedis)
    const dies = new AbortController()
    const { run } = submit([total(4)], { signal: dies.signal })
    while ((await client().keys('uwbench:any@cpu:????????????*')).length < 4) await pause(20)
    dies.abort()
    await expect(run).rejects.toThrow('interrupted: 0 of 5 cells are finished')
    hire({ resources: { log: newTrace() } })
    while ((await client().zcard('uwbench:any@cpu:completed')) < 4) await pause(20)
    expect(traced()).not.toContain('sum') // which waits for somebody to submit it
    expect((await submit([total(4)]).run).value(total(4))).toBe(14)
    expect(traced().sort()).toEqual(['square 0', 'square 1', 'square 2', 'square 3', 'sum'])
    expect(await left()).toEqual([])
  })

  test('a worker prefers the model that it has loaded', async (context) => {
    requireComponent(context, 'redis', hasRedis)
    const { run } = submit(['a', 'b', 'c'].flatMap((model) => squares(5, model)))
    while ((await client().keys('uwbench:?@cpu:????????????*')).length < 15) await pause(20)
    hire({ resources: { log: newTrace() } })
    await run
    const models = traced().map((line) => line.split(' ')[0])
    expect(models.filter((model, i) => model !== models[i - 1])).toHaveLength(3)
  })

  test('the longest chain goes first', async (context) => {
    requireComponent(context, 'redis', hasRedis)
    const needed = cell('square', { x: 100 })
    const chain = cell('sum', {}, { needs: [cell('sum', {}, { needs: [needed] })] })
    const { run } = submit([...squares(6), chain])
    while ((await client().keys('uwbench:any@cpu:????????????*')).length < 7) await pause(20)
    hire({ resources: { log: newTrace() } })
    await run
    expect(traced()[0]).toBe('square 100')
  })

  test('a worker that is asked to end finishes its cell', async (context) => {
    requireComponent(context, 'redis', hasRedis)
    const { run } = submit(squares(3))
    const log = newTrace()
    const first = hire({ resources: { log, pause: 300 } })
    while (!existsSync(log)) await pause(20)
    await first.fire()
    expect(await first.ended).toBe(1)
    expect(await client().zcard('uwbench:any@cpu:prioritized')).toBe(2)
    expect(await client().smembers('uwbench:workers')).toEqual([])
    hire()
    expect((await run).computed).toBe(3)
  })
})

test('a cell is as urgent as the longest chain that begins with it', () => {
  const [a, b] = [cell('square', { x: 1 }), cell('square', { x: 2 })]
  const c = cell('sum', {}, { needs: [a] })
  const urgent = urgencies([a, b, c], ({ step }) => (step === 'sum' ? 9 : 1))
  expect([a, b, c].map(({ digest }) => urgent.get(digest))).toEqual([1, 0.1, 0.9])
})

test('cells of an earlier stage are more urgent, however short their chain', () => {
  const [a, b] = [cell('square', { x: 1 }), cell('square', { x: 2 })]
  const c = cell('sum', {}, { needs: [a] })
  const stages = [new Set([b.digest]), new Set([a.digest, b.digest, c.digest])]
  const urgent = urgencies([a, b, c], ({ step }) => (step === 'sum' ? 9 : 1), stages)
  expect([a, b, c].map(({ digest }) => urgent.get(digest))).toEqual([0.5, 0.55, 0.45])
})

test('a queue per model and device', () => {
  const of = (inputs: object) => queueOf({ inputs: inputs as never })
  expect(of({})).toBe('any@cpu')
  expect(of({ model: { id: 'facebook/opt-1.3b', device: 'cuda' } })).toBe('facebook-opt-1.3b@cuda')
  expect(of({ model: { id: 'a' }, paraphraser: { id: 'b' } })).toBe('b@cpu')
  expect(of({ model: { id: 'a', device: 'cuda:1' } })).toBe('a@cuda')
  expect(deviceOf('gpt2@cuda:1')).toBe('cuda')
})

describe('why a cell is refused', () => {
  const inputs = {
    watermark: 'mine',
    model: { id: 'gpt2', digest: 'one' },
    data: { name: 'c4', digest: 'two' },
  }
  const c = cell('generate', inputs, { code: 'step resources mark' })
  const job = { ...c, needs: [], version: '0.2.0' }
  const here = { code: c.code, inputs }
  const reason = (mine: Partial<typeof here>, version = '0.2.0') =>
    refusalOf(job, c.digest, { ...here, ...mine }, version)

  test('the same everything is not', () => {
    expect(reason({})).toBeUndefined()
    expect(reason({}, '0.3.0')).toBeUndefined() // other version, same code
  })
  test('other version', () => {
    expect(reason({ code: 'other resources mark' }, '0.3.0')).toBe(
      'submitted by uwbench 0.2.0, this worker has 0.3.0; install the same version',
    )
  })
  test("other module of the user's own", () => {
    expect(reason({ code: 'step resources mine' })).toBe(
      'the code of mine differs (digest mine here, mark there)',
    )
  })
  test('other model files, other data', () => {
    expect(reason({ inputs: { ...inputs, model: { id: 'gpt2', digest: 'new' } } })).toBe(
      'model gpt2 differs (digest new here, one there)',
    )
    expect(reason({ inputs: { ...inputs, data: { name: 'c4', digest: 'new' } } })).toBe(
      'data c4 differs (digest new here, two there)',
    )
  })
  test('a job whose address is not that of its content', () => {
    expect(refusalOf({ ...job, needs: ['x'] }, c.digest, here, '0.2.0')).toBe(
      'its address does not fit its content',
    )
  })
})
