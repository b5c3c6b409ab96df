/** What a worker does with one cell: checks that it may compute it, computes it, and delivers the value. */
import type { Job } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Cell, Json } from '../cell.ts'
import type { Pool } from '../pool.ts'
import type { Store } from '../store.ts'
import { packageVersion } from '../version.ts'
import { type CellJob, type CellResult, KEPT_SECONDS, keys, sumOf } from './job.ts'
import { type Packages, persist } from './redis.ts'
import { type Refusal, refusalOf, type Verified } from './refusal.ts'
import { storeId } from './store-id.ts'

export type CellJobs = Job<CellJob, CellResult>

export interface HandlerOptions {
  readonly packages: Packages
  readonly redis: Redis
  readonly module: Verified
  readonly resources?: Json
  /** The folder that is shared with the submitter. */
  readonly store?: Store
  readonly log: (line: string) => void
  /** Hears of every cell that was refused. */
  readonly refused: (refusal: Refusal, label: string) => void
}

/** What BullMQ says when a job is not, or no longer, this worker's: gone, unlocked, not active, locked by another. */
const LOST: ReadonlySet<unknown> = new Set([-1, -2, -3, -6])

const isLost = (error: unknown): boolean => LOST.has((error as { code?: unknown } | null)?.code)

/** Handles the job that a thread has taken under its token. */
export function cellHandler(options: HandlerOptions) {
  const { packages, redis, store, log } = options
  const here = options.module.here?.(options.resources ?? null)
  const version = packageVersion()
  const ownStore = store && storeId(store.path)

  const refusal = async ({ data, id: digest }: CellJobs): Promise<Refusal | undefined> => {
    if (data.store !== undefined && data.store !== ownStore)
      return { reason: 'its store is not the one given by --store; give the shared folder', always: false }
    try {
      const own = here ? await here(data.step, data.inputs) : { code: '', inputs: data.inputs }
      return refusalOf(data, digest!, own, version)
    } catch (error) {
      if (data.version !== version) return refusalOf(data, '', { code: '', inputs: {} }, version)
      return { reason: (error as Error).message.split('\n')[0]!, always: false }
    }
  }

  /** Compares a value with the first one that was computed of its cell. */
  const compare = async ({ digest, label }: Cell, sum: string): Promise<void> => {
    await redis.set(keys.sum(digest), sum, 'EX', KEPT_SECONDS, 'NX')
    const first = (await redis.get(keys.sum(digest))) ?? sum
    if (first === sum) return
    const message = `${label}: two workers computed different values (digests ${first.slice(0, 8)} and ${sum.slice(0, 8)}); expected the same bytes on every machine`
    await redis.set(keys.conflict(digest), message, 'EX', KEPT_SECONDS)
    log(message)
    throw new packages.UnrecoverableError(message)
  }

  /** The value of a cell, computed or found in the shared store. */
  const compute = async (pool: Pool, data: CellJob, cell: Cell): Promise<Json> => {
    const known = data.store === undefined ? undefined : store!.read(cell)
    const needs = () => data.values ?? cell.needs.map((need) => valueIn(store!, need, data.label))
    return known ?? pool.run({ cell, needs })
  }

  /** Delivers a value: the first one of a cell, or one that is equal to it. */
  const deliver = async (job: CellJobs, token: string, cell: Cell, value: Json, seconds: number) => {
    const sum = sumOf(value)
    await persist(redis, () => compare(cell, sum))
    const isShared = job.data.store !== undefined
    if (isShared && !store!.has(cell)) store!.write(cell, value)
    const result = { sum, seconds, ...(isShared ? {} : { value }) }
    await persist(redis, () => job.moveToCompleted(result, token, false))
  }

  /** @param computed called when there is an outcome: from then on the lock need not be renewed, since delivery takes milliseconds */
  return async (
    pool: Pool,
    job: CellJobs,
    token: string,
    computed: () => void,
  ): Promise<'done' | 'failed' | 'refused'> => {
    try {
      // too many workers ended while computing it
      if (job.deferredFailure) throw new packages.UnrecoverableError(job.deferredFailure)
      const refused = await refusal(job)
      if (refused) {
        await persist(redis, () => job.moveToWait(token))
        options.refused(refused, job.data.label)
        return 'refused'
      }
      const began = performance.now()
      const cell = cellOf(job.data, job.id!)
      const value = await compute(pool, job.data, cell).finally(computed)
      await deliver(job, token, cell, value, (performance.now() - began) / 1000)
      return 'done'
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error))
      if (isLost(error)) log(`${job.data.label}: taken over by another worker; this result is not used`)
      else
        await persist(redis, () => job.moveToFailed(failure, token, false)).catch((second) => {
          log(`${job.data.label}: ${second.message.split('\n')[0]}`) // its lock expires, and others take it over
        })
      return 'failed'
    }
  }
}

/** A cell as the store and the pool see it; its address was checked before. */
function cellOf({ step, inputs, code, label, needs }: CellJob, digest: string): Cell {
  const nothing = { step: '', inputs: {}, code: '', needs: [], label: `what ${label} needs` }
  return { step, inputs, code, label, digest, needs: needs.map((need) => ({ ...nothing, digest: need })) }
}

function valueIn(store: Store, need: Cell, label: string): Json {
  const value = store.read(need)
  if (value === undefined)
    throw new Error(`${label}: expected ${need.digest.slice(0, 8)} in the shared store, got none`)
  return value
}
