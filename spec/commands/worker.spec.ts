/** `uwbench worker` and `uwbench bench --queue` as programs. */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort, hasRedis, type RedisServer, startRedis } from '../bench/queue/redis.ts'
import { requireComponent } from '../require.ts'
import { inProcess } from './in-process.ts'
import { build, plainEnvironment, program, temporaryFolder, uwbench } from './program.ts'

const folder = temporaryFolder('worker')
let redis: RedisServer
beforeAll(async () => {
  build()
  if (hasRedis) redis = await startRedis()
})
afterAll(() => redis?.end())

const study = [
  'bench',
  '--scale',
  'smoke',
  '--tables',
  'table3,table4,samples',
  '-w',
  'gumbel',
  '--limit',
  '2',
  '--max-tokens',
  '20',
]

const key = 'a key of sixteen bytes'
const texts = ['detect', 'texts.txt', '--format', 'lines', '-w', 'gumbel', '--json']

test('the report of a queue is that of threads; a worker drains on SIGTERM', async (context) => {
  requireComponent(context, 'redis', hasRedis)
  writeFileSync(join(folder, 'texts.txt'), 'It was a dark night.\nThe lamp was out, and nobody came.\n')
  const worker = spawn(process.execPath, [program, 'worker', '--workers', '1'], {
    cwd: folder,
    env: plainEnvironment({ UWBENCH_QUEUE: redis.url, UWBENCH_KEY: key }),
  })
  let said = ''
  worker.stderr.on('data', (data) => {
    said += data
  })
  const ended = new Promise((resolve) => worker.once('close', resolve))
  const queued = uwbench([...study, '--queue', redis.url, '--store', 'a', '--out', 'queued'], { cwd: folder })
  expect(queued.stderr).toMatch(/^bench: (\d+)\/\1 cells, 100%.*, 1 worker$/m) // all tables in one run
  const [tested, expected] = [['--queue', redis.url], []].map((more) =>
    uwbench([...texts, ...more], { cwd: folder, env: { UWBENCH_KEY: key } }),
  )
  expect(tested!.stdout).toBe(expected!.stdout)
  expect(expected!.stdout).toContain('texts.txt, line 2')
  worker.kill('SIGTERM')
  expect(await ended).toBe(0)
  expect(said).toMatch(
    /^finishing the current cells; interrupt again to stop immediately\nworker: \d+ cells computed\n$/,
  )
  uwbench([...study, '--workers', '1', '--store', 'b', '--out', 'local'], { cwd: folder })
  const reports = readdirSync(join(folder, 'local'))
  expect(reports).toEqual(
    expect.arrayContaining(['table3.json', 'table4.json', 'samples.json', 'index.html']),
  )
  expect(readdirSync(join(folder, 'queued'))).toEqual(reports)
  for (const name of reports.filter((one) => /\.(json|md|csv)$/.test(one)))
    expect(readFileSync(join(folder, 'queued', name), 'utf8')).toBe(
      readFileSync(join(folder, 'local', name), 'utf8'),
    )
})

test('wrong addresses and devices: one line and an exit code', async () => {
  expect(await inProcess(['worker'])).toMatchObject({
    status: 2,
    stderr: 'uwbench: --queue: expected the address of a Redis server, got none\n',
  })
  expect((await inProcess(['worker', '--queue', 'localhost:6379'])).stderr).toMatch(
    /^uwbench: --queue: expected the address of a Redis server, such as redis:\/\/localhost:6379/,
  )
  const device = await inProcess(['worker', '--queue', 'redis://localhost', '--device', 'the first'])
  expect(device.stderr).toMatch(
    /^uwbench: --device: expected a device such as cuda or cuda:0, got 'the first'/,
  )
})

test('a submitter waits five seconds for a Redis that is not there', async () => {
  const url = `redis://127.0.0.1:${await freePort()}`
  const began = performance.now()
  const { status, stderr } = uwbench([...study, '--queue', url, '--store', 'c'], { cwd: folder })
  expect(status).toBe(3)
  expect(stderr).toContain(`queue ${url}: nothing listens there (ECONNREFUSED); trying again for 5 s\n`)
  expect(stderr).toContain(`uwbench: queue ${url}: nothing listens there (ECONNREFUSED)\n`)
  expect(performance.now() - began).toBeGreaterThan(5000)
})
