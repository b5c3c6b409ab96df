/** Workers and a submitter that share a bucket and nothing else. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { cell } from '../../../src/bench/cells/cell.ts'
import { sharedCells } from '../../../src/bench/cells/shared-cells.ts'
import { openStore } from '../../../src/bench/cells/store.ts'
import { requireComponent } from '../../require.ts'
import { hasRedis } from '../queue/redis.ts'
import { team } from '../queue/team.ts'
import { type S3Server, startS3 } from './server.ts'

const { client, hire, left, newFolder, newTrace, submit, traced } = team('bucket-queue')
const squares = Array.from({ length: 8 }, (_, x) => cell('square', { x }, { label: `square ${x}` }))
const total = cell('sum', {}, { label: 'total', needs: squares })
let s3: S3Server

beforeAll(async () => {
  s3 = await startS3()
})
afterAll(() => s3.end())
beforeEach(() => {
  for (const [name, value] of Object.entries(s3.env)) vi.stubEnv(name, value)
})
afterEach(() => {
  vi.unstubAllEnvs()
  s3.objects.clear()
})

/** The store of another machine. */
const machine = (url = 's3://cells/study') => openStore(url, { folder: newFolder(), warn: () => {} })

test('values travel through a bucket', async (context) => {
  requireComponent(context, 'redis', hasRedis)
  const log = newTrace()
  const stranger = hire({ store: machine('s3://cells/other'), resources: { log } })
  const { run, warnings } = submit([total], { store: machine() })
  while (!warnings.some((line) => line.endsWith('give the shared folder or bucket'))) await pause(20)
  await stranger.fire()
  expect(traced()).toEqual([])
  for (const _ of ['first', 'second']) hire({ store: machine(), resources: { log } })
  expect((await run).value(total)).toBe(140)
  expect(traced()).toHaveLength(9)
  expect([...s3.objects.keys()].filter((key) => key.startsWith('study/cells/'))).toHaveLength(9)
  expect(await left()).toEqual([])
})

test('what the submitter has and the bucket lacks reaches the workers', async (context) => {
  requireComponent(context, 'redis', hasRedis)
  const folder = newFolder()
  for (const one of squares) openStore(folder).write(one, Number(one.inputs.x) ** 2)
  hire({ store: machine(), resources: { log: newTrace() } })
  const { run } = submit([total], { store: openStore('s3://cells/study', { folder }) })
  expect((await run).value(total)).toBe(140)
  expect(traced()).toEqual(['sum'])
})

test('a value that a killed worker had put is not computed again', async (context) => {
  requireComponent(context, 'redis', hasRedis)
  const { run } = submit([total], { store: machine() })
  while ((await client().keys('uwbench:any@cpu:????????????*')).length < 8) await pause(20)
  await sharedCells(machine()).write(squares[3]!, 9)
  hire({ store: machine(), resources: { log: newTrace() } })
  expect((await run).value(total)).toBe(140)
  expect(traced()).toHaveLength(8)
  expect(traced()).not.toContain('square 3')
})

test('a worker whose credentials are wrong says so and takes no cell', async (context) => {
  requireComponent(context, 'redis', hasRedis)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'of+another/0123')
  await expect(hire({ store: machine() }).ended).rejects.toThrow(
    'bucket s3://cells/study: wrong secret key; check AWS_SECRET_ACCESS_KEY',
  )
})
