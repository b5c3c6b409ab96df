/** Handles one cell in a worker: checks that it may compute it, computes it, and delivers the value. */
import type { Job } from 'bullmq'
import type { Redis } from 'ioredis'
import { printable } from '../../../input.ts'
import { addressOf, type Cell, type Json } from '../cell.ts'
import { packageVersion } from '../code.ts'
import type { Pool } from '../pool.ts'
import type { SharedCells } from '../shared-cells.ts'
import { type CellJob, type CellResult, digestIn, KEPT_SECONDS, keys, sumOf } from './job.ts'
import { type Packages, persist } from './redis.ts'
import { refusalOf, type Verified } from './refusal.ts'

export type CellJobs = Job<CellJob, CellResult>

export interface HandlerOptions {
  readonly packages: Packages
  readonly redis: Redis
  /** The name of this worker. */
  readonly id: string
  readonly module: Verified
  readonly resources?: Json
  /** The cells that are shared with the submitter, and their identity. */
  readonly shared?: SharedCells & { readonly name: string }
  readonly log: (line: string) => void
  /** Hears of every cell that was refused. */
  readonly refused: (reason: string, label: string) => void
}

/** Milliseconds for which a refused cell is delayed: at least, per cell that this worker refused lately, and at most. It bounds the refusals per second. */
const DELAYED = [500, 20, 10_000] as const

/** Codes of BullMQ for a job that is not, or no longer, this worker's: gone, unlocked, not active, locked by another. */
const LOST: ReadonlySet<unknown> = new Set([-1, -2, -3, -6])

const isLost = (error: unknown): boolean => LOST.has((error as { code?: unknown } | null)?.code)

/** Tells whether a job has the shape of a cell: other programs can add jobs to the queue. */
const isCell = ({ data }: CellJobs): boolean =>
  typeof data?.label === 'string' && typeof data.step === 'string' && Array.isArray(data.needs)

/** Handles the job that a thread has taken under its token. */
export function cellHandler(options: HandlerOptions) {
  const { packages, redis, shared, log } = options
  const here = options.module.here?.(options.resources ?? null)
  const version = packageVersion()
  /** When each cell was refused last. */
  const putOff = new Map<string, number>()

  /** Delays a cell that this worker refuses: others may take it, and meanwhile nobody waits behind it. */
  const putBack = async (job: CellJobs, token: string): Promise<void> => {
    putOff.delete(job.id!)
    putOff.set(job.id!, Date.now())
    for (const [id, at] of putOff) if (at < Date.now() - 2 * DELAYED[2]) putOff.delete(id)
    const delay = Math.min(Math.max(DELAYED[0], DELAYED[1] * putOff.size), DELAYED[2])
    await persist(redis, () => job.moveToDelayed(Date.now() + delay, token))
  }

  const refusal = async (job: CellJobs): Promise<string | undefined> => {
    if (!isCell(job)) return `it is no cell of version ${version}`
    const { data, id } = job
    const digest = digestIn(id!)
    if (data.store !== undefined && data.store !== shared?.name)
      return 'its store is not the one given by --store; give the shared folder or bucket'
    try {
      // before anything that the job names is opened
      if (addressOf(data) !== digest) return 'its address does not fit its content'
      const own = here ? await here(data.step, data.inputs, data.code) : { code: '', inputs: data.inputs }
      return refusalOf(data, digest, own, version)
    } catch (error) {
      if (data.version !== version) return refusalOf(data, '', { code: '', inputs: {} }, version)
      // the message may hold parts of a file, and reasons are published
      log(`${printable(data.label)}: ${printable((error as Error).message.split('\n')[0]!)}`)
      return 'a model, data or package that it needs cannot be opened on this machine; the log of the worker says why'
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

  /** Returns the value of a cell, computed or found among the shared ones. */
  const compute = async (pool: Pool, data: CellJob, cell: Cell): Promise<Json> => {
    if (data.store === undefined) return pool.run({ cell, needs: () => data.values! })
    const known = data.not === undefined ? await shared!.read(cell) : undefined
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
    if (data.store === undefined) return { sum, seconds, by: options.id, value }
    await shared!.write(cell, value)
    return { sum, seconds, by: options.id }
  }

  /** @param computed called when there is an outcome: from then on the lock need not be renewed, since what is left takes milliseconds */
  return async (
    pool: Pool,
    job: CellJobs,
    token: string,
    computed: () => void,
  ): Promise<'done' | 'failed' | 'refused'> => {
    const label = isCell(job) ? job.data.label : 'a job without a label'
    try {
      // too many workers ended while computing it
      if (job.deferredFailure) throw new packages.UnrecoverableError(job.deferredFailure)
      if (job.data?.not === options.id) {
        await putBack(job, token)
        return 'refused'
      }
      const refused = await refusal(job)
      if (refused) {
        await putBack(job, token)
        options.refused(refused, label)
        return 'refused'
      }
      const result = await outcomeOf(pool, job.data, cellOf(job.data, digestIn(job.id!))).finally(computed)
      await persist(redis, () => job.moveToCompleted(result, token, false))
      return 'done'
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error))
      if (isLost(error)) log(`${label}: taken over by another worker; this result is not used`)
      else
        await persist(redis, () => job.moveToFailed(failure, token, false)).catch((second) => {
          log(`${label}: ${second.message.split('\n')[0]}`) // its lock expires, and others take it over
        })
      return 'failed'
    }
  }
}

/** Returns a cell as the store and the pool see it; its address was checked before. */
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
