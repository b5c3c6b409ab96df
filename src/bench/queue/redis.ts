/** The connection to Redis. What can be wrong with it is said in one line; passwords are never shown. */

import { setTimeout as pause } from 'node:timers/promises'
import type { Queue, QueueEvents, UnrecoverableError, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import { wrongType } from '../../input.ts'

/** The oldest version that BullMQ runs on without warnings. */
const OLDEST = '6.2'

/** Milliseconds that a server has for an answer. Some commands are lost for good when a connection breaks: they are asked again. */
const PATIENCE = 10_000

/** The packages behind the queue, which are optional. */
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

export interface Packages {
  readonly Queue: typeof Queue
  readonly QueueEvents: typeof QueueEvents
  readonly UnrecoverableError: typeof UnrecoverableError
  readonly Worker: typeof Worker
  readonly Redis: typeof Redis
}

/** The address of a queue, checked. */
function parseQueue(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const isRedis = parsed && /^rediss?:$/.test(parsed.protocol) && parsed.hostname !== ''
  // what is wrong may hold a password: it is not shown
  if (!isRedis)
    throw wrongType('queue', 'the address of a Redis server, such as redis://localhost:6379', undefined)
  return parsed
}

/** The address without its password. */
function shown({ protocol, username, host, pathname }: URL): string {
  return `${protocol}//${username ? `${username}@` : ''}${host}${pathname}`
}

/** Why a first connection failed, in one line. */
function reason(error: NodeJS.ErrnoException | undefined): string {
  const message = error?.message ?? 'the connection was closed'
  if (/WRONGPASS|invalid password|invalid username/i.test(message)) return 'wrong user name or password'
  if (/NOAUTH/.test(message)) return 'it asks for a password: redis://:PASSWORD@HOST:PORT'
  if (error?.code === 'ECONNREFUSED') return 'nothing listens there (ECONNREFUSED)'
  if (error?.code === 'ENOTFOUND' || error?.code === 'EAI_AGAIN') return `unknown host (${error.code})`
  if (/Protocol error/.test(message)) return 'what answers is not a Redis server'
  return message.split('\n')[0]!
}

/** Whether a version is at least another. */
function isAtLeast(version: string, least: string): boolean {
  const [a = 0, b = 0] = version.split('.').map(Number)
  const [major = 0, minor = 0] = least.split('.').map(Number)
  return a > major || (a === major && b >= minor)
}

/** One try to connect; the error says in one line what is wrong. */
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
    connectTimeout: PATIENCE,
    maxRetriesPerRequest: null,
    commandTimeout: PATIENCE,
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
    problem ??= new Error(`no answer within ${PATIENCE / 1000} s`)
    redis.disconnect()
  }, PATIENCE)
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

/** What BullMQ copies for a connection that waits for events, without a limit. It is never opened itself, and so need not be closed. */
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

/** Whether Redis could not be reached, or is starting: what was asked of it may or may not have been done. */
export const isConnectionError = (error: unknown): boolean =>
  error instanceof Error && CONNECTION.test(`${error.message} ${(error as NodeJS.ErrnoException).code}`)

/** Milliseconds after which a call of BullMQ is taken to be lost: several commands, and what it waits for in between without a limit. */
const LOST = 3 * PATIENCE

/** The result of calls to Redis; a connection error where they do not end. */
export async function within<T>(asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Command timed out')), LOST).unref()
  })
  try {
    return await Promise.race([asked, limit])
  } finally {
    clearTimeout(timer)
  }
}

/** Asks Redis again until it answers, or the connection was closed for good. For what may be done twice. */
export async function persist<T>(redis: Redis, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await within(ask())
    } catch (error) {
      if (!isConnectionError(error) || redis.status === 'end') throw error
      await pause(100)
    }
  }
}

/** Whether the server refused to write because its memory is full. */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && /\bOOM\b/.test(error.message)
