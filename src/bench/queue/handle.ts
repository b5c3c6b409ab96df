/** What a worker does with one cell: checks that it may compute it, computes it, and delivers the value. */
import type { Job } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Cell, Json } from '../cell.ts'
import type { Pool } from '../pool.ts'
import type { SharedCells } from '../shared-cells.ts'
import { packageVersion } from '../version.ts'
import { type CellJob, type CellResult, KEPT_SECONDS, keys, sumOf } from './job.ts'
import { type Packages, persist } from './redis.ts'
import { type Refusal, refusalOf, type Verified } from './refusal.ts'

export type CellJobs = Job<CellJob, CellResult>

export interface HandlerOptions {
  readonly packages: Packages
  readonly redis: Redis
  readonly module: Verified
  readonly resources?: Json
  /** The cells that are shared with the submitter, and their identity. */
  readonly shared?: SharedCells & { readonly name: string }
  readonly log: (line: string) => void
  /** Hears of every cell that was refused. */
  readonly refused: (refusal: Refusal, label: string) => void
}

/** What BullMQ says when a job is not, or no longer, this worker's: gone, unlocked, not active, locked by another. */
const LOST: ReadonlySet<unknown> = new Set([-1, -2, -3, -6])

const isLost = (error: unknown): boolean => LOST.has((error as { code?: unknown } | null)?.code)

/** Handles the job that a thread has taken under its token. */
export function cellHandler(options: HandlerOptions) {
  const { packages, redis, shared, log } = options
  const here = options.module.here?.(options.resources ?? null)
  const version = packageVersion()

  const refusal = async ({ data, id: digest }: CellJobs): Promise<Refusal | undefined> => {
    if (data.store !== undefined && data.store !== shared?.name)
      return {
        reason: 'its store is not the one given by --store; give the shared folder or bucket',
        always: false,
      }
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

  /** The value of a cell, computed or found among the shared ones. */
  const compute = async (pool: Pool, data: CellJob, cell: Cell): Promise<Json> => {
    if (data.store === undefined) return pool.run({ cell, needs: () => data.values! })
    const known = await shared!.read(cell)
    if (known !== undefined) return known
    const needs = await Promise.all(cell.needs.map((need) => valueIn(shared!, need, data.label)))
    return pool.run({ cell, needs: () => needs })
  }

  /** Computes a cell and shares its value, if that is the first one or equal to it. */
  const outcomeOf = async (pool: Pool, data: CellJob, cell: Cell): Promise<CellResult> => {
    const began = performance.now()
    const value = await compute(pool, data, cell)
    const [sum, seconds] = [sumOf(value), (performance.now() - began) / 1000]
    await persist(redis, () => compare(cell, sum))
    if (data.store === undefined) return { sum, seconds, value }
    await shared!.write(cell, value)
    return { sum, seconds }
  }

  /** @param computed called when there is an outcome: from then on the lock need not be renewed, since what is left takes milliseconds */
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
      const result = await outcomeOf(pool, job.data, cellOf(job.data, job.id!)).finally(computed)
      await persist(redis, () => job.moveToCompleted(result, token, false))
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

async function valueIn(shared: SharedCells, need: Cell, label: string): Promise<Json> {
  const value = await shared.read(need)
  if (value === undefined)
    throw new Error(`${label}: expected ${need.digest.slice(0, 8)} in the shared store, got none`)
  return value
}
