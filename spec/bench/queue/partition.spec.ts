/**
 * A partition: the network between a worker and Redis stalls for longer than the lock. The cell is done elsewhere, and the late result
 * is accepted only if it is equal.
 */
import { createServer, connect as open, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { cell } from '../../../src/bench/cells/cell.ts'
import { requireComponent } from '../../require.ts'
import { hasRedis } from './redis.ts'
import { team } from './team.ts'

const { client, hire, newTrace, redis, submit, traced } = team('partition')
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A way to a port that can be stalled: nothing is lost, but nothing arrives. */
async function proxy(port: number) {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = open(port, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => [near, far].map((one) => one.destroy()))
    }
    near.pipe(far)
    far.pipe(near)
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await new Promise((resolve) => server.once('listening', resolve))
  const each = (act: (socket: Socket) => void) => {
    for (const socket of sockets) act(socket)
  }
  return {
    url: `redis://127.0.0.1:${(server.address() as { port: number }).port}`,
    stall: () => each((socket) => socket.unpipe().pause()),
    resume: () => {
      const pairs = [...sockets]
      for (let i = 0; i < pairs.length; i += 2) {
        pairs[i]!.pipe(pairs[i + 1]!)
        pairs[i + 1]!.pipe(pairs[i]!)
      }
    },
  }
}

/** The cell is begun behind the proxy, which stalls; another worker takes it over; then the first is heard again. */
async function partition(names: readonly [string, string]) {
  const way = await proxy(redis().port)
  const log = newTrace()
  const whose = cell('whose', {}, { label: 'whose' })
  // a second cell keeps the run open until the late result is in
  const last = cell('square', { x: 3, model: { id: 'later' } }, { label: 'last' })
  const { run } = submit([whose, last])
  run.catch(() => {})
  const common = { lockSeconds: 0.5, tries: 10 }
  const jobs = ['uwbench:any@cpu:prioritized', 'uwbench:later@cpu:prioritized']
  while ((await client().exists(...jobs)) < 2) await pause(20)
  await client().srem('uwbench:queues', 'later@cpu')
  const late = hire({ ...common, url: way.url, resources: { log, name: names[0], pause: 1500 } })
  while (!traced()[0]) await pause(20)
  way.stall()
  const other = hire({ ...common, resources: { log, name: names[1] } })
  while (traced().length < 2) await pause(20)
  await pause(1500) // the first has its result by now, and cannot say so
  way.resume()
  while (late.lines.every((line) => !/whose/.test(line))) await pause(20)
  await client().sadd('uwbench:queues', 'later@cpu')
  return { run, whose, lines: [...late.lines, ...other.lines].filter((line) => line.includes('whose')) }
}

test('a late result that is equal: nothing to say but that it is late', async (context) => {
  requireComponent(context, 'redis', hasRedis)
  const { run, whose, lines } = await partition(['same', 'same'])
  expect((await run).value(whose)).toBe('same')
  expect(lines).toEqual(['whose: taken over by another worker; this result is not used'])
})

test('a late result that differs: both are named, and the run fails', async (context) => {
  requireComponent(context, 'redis', hasRedis)
  const { run, lines } = await partition(['early', 'late'])
  const message =
    /^whose: two workers computed different values \(digests \w{8} and \w{8}\); expected the same bytes on every machine$/
  await expect(run).rejects.toThrow(message)
  expect(lines[0]).toMatch(message)
})
