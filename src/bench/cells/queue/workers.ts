/** The workers of a queue: each reports its state every few seconds, under a key that expires. */
import type { Redis } from 'ioredis'
import { keys } from './job.ts'

/** The state that a worker reports. */
export interface Presence {
  readonly threads: number
  /** The version of its package. */
  readonly version?: string
  /** The reason for which it refused its last cell. */
  readonly refuses?: string
}

export interface Crew {
  readonly workers: number
  /** Cells that they compute at a time. */
  readonly threads: number
  /** The reasons for which some of them refuse cells, one line each. */
  readonly refusals: readonly string[]
  /** Their versions, each once. */
  readonly versions: readonly string[]
}

export const NOBODY: Crew = { workers: 0, threads: 0, refusals: [], versions: [] }

/** Milliseconds between two signs of life. */
const PRESENCE_EVERY = 2000
/** Seconds after the last sign of life for which a worker counts as present. */
const PRESENT_SECONDS = 10

/** Counts the workers that are present; those that are gone are forgotten. */
export async function crewOf(redis: Redis): Promise<Crew> {
  const ids = await redis.smembers(keys.workers)
  if (ids.length === 0) return NOBODY
  const found = await redis.mget(ids.map(keys.worker))
  const gone = ids.filter((_, i) => found[i] === null)
  if (gone.length > 0) await redis.srem(keys.workers, ...gone)
  const present = found.filter((text) => text !== null).map((text) => JSON.parse(text) as Presence)
  return {
    workers: present.length,
    threads: present.reduce((sum, { threads }) => sum + threads, 0),
    refusals: present.flatMap(({ refuses }) => refuses ?? []),
    versions: [...new Set(present.map(({ version = 'unknown' }) => version))].sort(),
  }
}

/** Reports the state of a worker, which `say` returns, until it is ended. */
export function bePresent(redis: Redis, id: string, say: () => Presence) {
  const beat = async (): Promise<void> => {
    await redis.set(keys.worker(id), JSON.stringify(say()), 'EX', PRESENT_SECONDS)
    await redis.sadd(keys.workers, id)
  }
  void beat().catch(() => {})
  const timer = setInterval(() => void beat().catch(() => {}), PRESENCE_EVERY)
  return {
    beat: () => beat().catch(() => {}),
    async end() {
      clearInterval(timer)
      await redis.del(keys.worker(id))
      await redis.srem(keys.workers, id)
    },
  }
}
