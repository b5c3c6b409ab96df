/** A Redis and workers in this process, for the tests of a file. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type WorkOptions, work } from '../../../src/bench/cells/queue/work.ts'
import { type RunOptions, runCells } from '../../../src/bench/cells/runner.ts'
import { openStore } from '../../../src/bench/cells/store.ts'
import { temporaryFolder } from '../../commands/program.ts'
import { hasRedis, type RedisServer, startRedis } from './redis.ts'

const stepsUrl = new URL('./steps.ts', import.meta.url).href
export const otherStepsUrl = new URL('./other-steps.ts', import.meta.url).href

/** Workers and submitters of a test, on one Redis per file, which is emptied after each test. */
export function team(name: string) {
  const folder = temporaryFolder(name)
  let redis: RedisServer
  let client: Redis
  let [count, traces] = [0, 0]
  const hired: { fire(): Promise<void> }[] = []

  beforeAll(async () => {
    if (!hasRedis) return
    redis = await startRedis()
    client = new Redis(redis.url)
  })
  afterEach(async () => {
    for (const one of hired.splice(0)) await one.fire()
    await client?.config('SET', 'maxmemory', '0')
    await client?.flushall()
  })
  afterAll(async () => {
    client?.disconnect()
    await redis?.end()
  })

  const trace = () => join(folder, `trace-${traces}`)
  return {
    client: () => client,
    redis: () => redis,
    newFolder: () => join(folder, `folder-${++count}`),
    /** Lines of the computations since the last `newTrace`. */
    traced: () => (existsSync(trace()) ? readFileSync(trace(), 'utf8').trim().split('\n') : []),
    newTrace: () => {
      traces++
      return trace()
    },
    /** Starts a worker with one thread; `fire` drains it. */
    hire(options: Partial<WorkOptions> = {}) {
      const drain = new AbortController()
      const lines: string[] = []
      const ended = work({
        url: redis.url,
        steps: stepsUrl,
        threads: 1,
        lockSeconds: 5,
        signal: drain.signal,
        log: (line) => lines.push(line),
        ...options,
      })
      ended.catch(() => {}) // the test says whether it may fail
      const fire = async () => {
        drain.abort()
        await ended.catch(() => {})
      }
      hired.push({ fire })
      return { ended, lines, fire }
    },
    /** Submits cells from an empty store. */
    submit(cells: Parameters<typeof runCells>[0], options: Partial<RunOptions> = {}) {
      const warnings: string[] = []
      const run = runCells(cells, {
        steps: stepsUrl,
        queue: redis.url,
        store: openStore(join(folder, `store-${++count}`), { warn: () => {} }),
        progress: { done() {}, warn: (line) => warnings.push(line), end() {} },
        ...options,
      })
      return { run, warnings }
    },
    /** What is left in Redis, besides what BullMQ knows of an empty queue and what expires. */
    async left(): Promise<string[]> {
      const known = /^uwbench:queues$|:(meta|id|events|marker|stalled-check)$|^uwbench:(sum|workers?)/
      return (await client.keys('*')).filter((key) => !known.test(key))
    },
  }
}
