/** The connection to Redis. What can be wrong with it is said in one line; passwords are never shown. */

import { setTimeout as pause } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { wrongType } from '../../../input.ts'
import { within } from '../time-limit.ts'

/** The oldest version that BullMQ runs on without warnings. */
const OLDEST = '6.2'

/** Milliseconds that a server has for an answer. Some commands are lost for good when a connection breaks: they are asked again. */
const TIMEOUT_MS = 10_000

/** Imports the packages behind the queue, which are optional. */
export async function loadPackages(): Promise<Packages> {
  try {
    const [{ Queue, QueueEvents, UnrecoverableError, Worker }, { Redis }] = await Promise.all([
      import('bullmq'),
      import('ioredis'),
    ])
    return { Queue, QueueEvents, UnrecoverableError, Worker, Redis }
  } catch (cause) {
    throw new Error('a queue needs the packages bullmq and ioredis: npm install bullmq ioredis', { cause })
  }
}

export type Packages = Pick<
  typeof import('bullmq') & typeof import('ioredis'),
  'Queue' | 'QueueEvents' | 'UnrecoverableError' | 'Worker' | 'Redis'
>

function parseQueue(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const isRedis = parsed && /^rediss?:$/.test(parsed.protocol) && parsed.hostname !== ''
  // what is wrong may hold a password: it is not shown
  if (!isRedis)
    throw wrongType('queue', 'the address of a Redis server, such as redis://localhost:6379', undefined)
  return parsed
}

function shown({ protocol, username, host, pathname }: URL): string {
  return `${protocol}//${username ? `${username}@` : ''}${host}${pathname}`
}

/** Says why a first connection failed, in one line. */
function reason(error: NodeJS.ErrnoException | undefined): string {
  const message = error?.message ?? 'the connection was closed'
  if (/WRONGPASS|invalid password|invalid username/i.test(message)) return 'wrong user name or password'
  if (/NOAUTH/.test(message)) return 'it asks for a password: redis://:PASSWORD@HOST:PORT'
  if (error?.code === 'ECONNREFUSED') return 'nothing listens there (ECONNREFUSED)'
  if (error?.code === 'ENOTFOUND' || error?.code === 'EAI_AGAIN') return `unknown host (${error.code})`
  if (/Protocol error/.test(message)) return 'what answers is not a Redis server'
  return message.split('\n')[0]!
}

function isAtLeast(version: string, least: string): boolean {
  const [a = 0, b = 0] = version.split('.').map(Number)
  const [major = 0, minor = 0] = least.split('.').map(Number)
  return a > major || (a === major && b >= minor)
}

/** Tries once to connect; the error says in one line what is wrong. */
async function tryToConnect(
  { Redis }: Packages,
  url: string,
  warn: (message: string) => void,
): Promise<Redis> {
  const where = `queue ${shown(parseQueue(url))}`
  let [ready, lost] = [false, false]
  let problem: NodeJS.ErrnoException | undefined
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: null,
    commandTimeout: TIMEOUT_MS,
    retryStrategy: (times) => (ready ? Math.min(1000, 50 * 2 ** times) : null),
  })
  redis.on('error', (error) => {
    problem ??= error
  })
  redis.on('reconnecting', () => {
    if (!lost) warn(`${where}: connection lost; trying again`)
    lost = true
  })
  redis.on('ready', () => {
    if (lost) warn(`${where}: connected again`)
    lost = false
  })
  const limit = setTimeout(() => {
    problem ??= new Error(`no answer within ${TIMEOUT_MS / 1000} s`)
    redis.disconnect()
  }, TIMEOUT_MS)
  try {
    await redis.connect()
    const info = await redis.info('server')
    const version = /redis_version:([\d.]+)/.exec(info)?.[1] ?? 'of unknown version'
    if (!isAtLeast(version, OLDEST))
      problem = new Error(`Redis ${version} is too old; expected ${OLDEST} or later`)
    if (problem) throw problem
  } catch (error) {
    redis.disconnect()
    const cause = problem ?? (error as Error)
    throw new Error(`${where}: ${reason(cause)}`, { cause })
  } finally {
    clearTimeout(limit)
  }
  ready = true
  // BullMQ opens further connections like this one. Lazy ones that fail at first are given up for good, others try again.
  redis.options.lazyConnect = false
  return redis
}

/** Makes a connection without a time limit, which BullMQ copies to wait for events. It is never opened itself, and so need not be closed. */
export function patientLike(redis: Redis): Redis {
  const pattern = redis.duplicate({ commandTimeout: undefined as never, lazyConnect: true })
  pattern.options.lazyConnect = false
  return pattern
}

/**
 * Connects to a queue's server. A connection that is lost later is opened again, however long that takes.
 * @param warn hears that it was lost, and that it is back
 * @param seconds for which a server that is not there yet is waited for
 */
export async function connect(
  packages: Packages,
  url: string,
  warn: (message: string) => void,
  seconds: number,
): Promise<Redis> {
  const began = performance.now()
  for (let tries = 0; ; tries++) {
    try {
      return await tryToConnect(packages, url, warn)
    } catch (error) {
      const { message, cause } = error as Error
      if (!isConnectionError(cause) || performance.now() - began > 1000 * seconds) throw error
      if (tries === 0) warn(`${message}; trying again for ${seconds} s`)
      await pause(250)
    }
  }
}

const CONNECTION =
  /Connection is closed|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|LOADING|Command aborted|Command timed out|isn't writeable/

/** Returns whether Redis could not be reached, or is starting: a command may or may not have been carried out. */
export const isConnectionError = (error: unknown): boolean =>
  error instanceof Error && CONNECTION.test(`${error.message} ${(error as NodeJS.ErrnoException).code}`)

/** Seconds after which a call of BullMQ counts as lost: several commands, with waits between them that have no limit. */
const LOST_SECONDS = (3 * TIMEOUT_MS) / 1000

/** Returns the result of calls to Redis; fails with a connection error where they do not end. */
export const answered = <T>(asked: Promise<T>): Promise<T> => within(LOST_SECONDS, asked, 'Command timed out')

/** Asks Redis again until it answers, or the connection was closed for good. For what may be done twice. */
export async function persist<T>(redis: Redis, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await answered(ask())
    } catch (error) {
      if (!isConnectionError(error) || redis.status === 'end') throw error
      await pause(100)
    }
  }
}

/** Returns whether the server refused to write because its memory is full. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && /\bOOM\b/.test(error.message)

export const OUT_OF_MEMORY =
  'queue: Redis is out of memory; raise its maxmemory, or let values travel through a shared folder: --shared'

/** Returns whether the memory that the server may use is full: it answers, and accepts no cell and no result. */
export async function isFull(redis: Redis): Promise<boolean> {
  const info = await redis.info('memory')
  const [used, most] = ['used_memory', 'maxmemory'].map((name) =>
    Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0),
  )
  return most! > 0 && used! > most!
}
