/** What can be wrong with a queue's address or server: one clear line each, never with the password. */
import { createServer, type Server } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { connect, loadPackages } from '../../../src/bench/cells/queue/redis.ts'
import { requireComponent } from '../../require.ts'
import { freePort, hasRedis, type RedisServer, startRedis } from './redis.ts'

let guarded: RedisServer
const servers: Server[] = []

beforeAll(async () => {
  if (hasRedis) guarded = await startRedis(['--requirepass', 'open sesame'])
})
afterAll(async () => {
  for (const server of servers) server.close()
  await guarded?.end()
})

/** A server that answers every command with the same bytes. */
async function answering(bytes: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('data', (data) => socket.write(bytes.repeat(`${data}`.match(/^\*\d+\r$/gm)?.length ?? 1)))
    socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await new Promise((resolve) => server.once('listening', resolve))
  return `redis://127.0.0.1:${(server.address() as { port: number }).port}`
}

/** The line of a connection that fails, and what was said on the way. */
async function problem(url: string, seconds = 0): Promise<{ message: string; said: string[] }> {
  const said: string[] = []
  const packages = await loadPackages()
  const error = await connect(packages, url, (line) => said.push(line), seconds).then(
    (redis) => redis.disconnect() as undefined,
    (error: Error) => error,
  )
  expect(error?.message.split('\n')).toHaveLength(1)
  expect([error?.message, ...said].join()).not.toContain('secret')
  return { message: error!.message, said }
}

test.each(['localhost:6379', 'http://:secret@localhost', 'redis://', '', 'secret'])(
  'an address that is none: %j',
  async (url) => {
    expect((await problem(url)).message).toMatch(
      /^queue: expected the address of a Redis server, such as redis:\/\/localhost:6379/,
    )
  },
)

test('nothing listens there', async () => {
  const url = `redis://:secret@127.0.0.1:${await freePort()}/2`
  const where = url.replace(':secret@', '')
  const { message, said } = await problem(url, 1)
  expect(message).toBe(`queue ${where}: nothing listens there (ECONNREFUSED)`)
  expect(said).toEqual([`${message}; trying again for 1 s`])
})

test('an unknown host', async () => {
  expect((await problem('redis://nowhere.invalid:6379')).message).toMatch(
    /^queue redis:\/\/nowhere.invalid:6379: unknown host \(E/,
  )
})

test('another kind of server', async () => {
  const url = await answering('HTTP/1.1 400 Bad Request\r\n\r\n')
  expect((await problem(url)).message).toBe(`queue ${url}: what answers is not a Redis server`)
})

test('a Redis that is too old', async () => {
  const info = '# Server\r\nredis_version:5.0.14\r\n'
  const url = await answering(`$${info.length}\r\n${info}\r\n`)
  expect((await problem(url)).message).toBe(`queue ${url}: Redis 5.0.14 is too old; expected 6.2 or later`)
})

test('a wrong password, and none', async (context) => {
  requireComponent(context, 'redis', hasRedis)
  const host = `127.0.0.1:${guarded.port}`
  expect((await problem(`redis://:secret@${host}`)).message).toBe(
    `queue redis://${host}: wrong user name or password`,
  )
  expect((await problem(`redis://${host}`)).message).toBe(
    `queue redis://${host}: it asks for a password: redis://:PASSWORD@HOST:PORT`,
  )
})

test('what is opened while Redis is away works once it is back', async (context) => {
  requireComponent(context, 'redis', hasRedis)
  const [packages, server] = [await loadPackages(), await startRedis()]
  const redis = await connect(packages, server.url, () => {}, 5)
  await server.stop()
  // a worker opens a second connection
  const worker = new packages.Worker('away', null, { connection: redis, autorun: false })
  worker.on('error', () => {})
  await pause(300)
  await server.start()
  await expect(worker.waitUntilReady()).resolves.toBeUndefined()
  await worker.close(true)
  redis.disconnect()
  await server.end()
})

test('a missing package is named with its install line', async () => {
  vi.doMock('bullmq', () => {
    throw new Error('Cannot find package')
  })
  await expect(loadPackages()).rejects.toThrow(
    'a queue needs the packages bullmq and ioredis: npm install bullmq ioredis',
  )
  vi.doUnmock('bullmq')
})
