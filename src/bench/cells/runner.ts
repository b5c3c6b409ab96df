/**
 * Computes the cells missing from a store. Each finished cell is stored immediately, so an interrupted run resumes. A failing cell
 * does not stop the others; errors are reported together at the end.
 */
import { wrongType } from '../../input.ts'
import { counted } from '../report/sentence.ts'
import { type Cell, closure, type Json } from './cell.ts'
import { Costs, kindOf, urgencies } from './estimate.ts'
import { openPool, workerCount } from './pool.ts'
import { progress as openProgress, type Progress } from './progress.ts'
import { openQueuePool } from './queue/submit.ts'
import { inShard, type Shard, shardOf } from './shard.ts'
import { sharedCells, sharing } from './shared-cells.ts'
import { type Steps, stepOf } from './step.ts'
import { openStore, type Store } from './store.ts'
import { cellSeconds, within } from './time-limit.ts'

export interface RunOptions {
  /** URL of the module whose `steps` compute the cells. */
  readonly steps: string
  /** Passed to the module's `open` in every worker. */
  readonly resources?: Json
  readonly store?: Store
  /** Number of worker threads; 0 computes in this thread. */
  readonly workers?: number
  /** Devices besides the processor, one worker each, for cells whose model is for a device of that kind: `cuda:0`, `cuda:1`. */
  readonly devices?: readonly string[]
  readonly shard?: Shard
  readonly title?: string
  /** The display of progress, or a function that makes it from the number of cells and the seconds that they take one worker. */
  readonly progress?: Progress | ((cells: number, cost: number) => Progress)
  /**
   * Seconds that one cell may take: by default `UWBENCH_CELL_SECONDS`, or four hours. Without workers, a step that never
   * yields to the event loop cannot be stopped.
   */
  readonly cellSeconds?: number
  readonly signal?: AbortSignal
  /** A Redis server whose workers compute the cells, instead of threads of this process: by default `UWBENCH_QUEUE`. */
  readonly queue?: string
  /** Set where the workers of the queue see the store's folder: values then travel through it, as they do through a bucket, instead of through Redis. */
  readonly shared?: boolean
  /** The share of cells that two workers of the queue compute and that must be equal, such as 0.02; none by default. */
  readonly verifyShare?: number
  /** Addresses of cells that are needed first, second and so on: a queue gives them to workers in this order. */
  readonly stages?: readonly ReadonlySet<string>[]
  /** Called when a cell was computed and is in the store. */
  readonly onStored?: (cell: Cell) => void
}

/** The cells that a run computed, found in the store, and left to others. */
export interface RunResult {
  /** The value of a cell; undefined only if it belongs to another shard. */
  value(cell: Cell): Json | undefined
  readonly computed: number
  readonly reused: number
  /** Cells of other shards that are not in the store. */
  readonly missing: readonly Cell[]
}

/**
 * Computes whichever of `cells` and their dependencies are missing from the store.
 * @example
 * const steps = 'data:text/javascript,export const steps = { double: { run: ({ n }) => 2 * n } }'
 * const double = cell('double', { n: 3 })
 * const run = await runCells([double], { steps, workers: 0, store: openStore('./store') })
 * run.value(double) // 6
 */
export async function runCells(cells: readonly Cell[], options: RunOptions): Promise<RunResult> {
  const { store = openStore(), shard = shardOf(), title = 'bench' } = options
  // All cells of this shard and their dependencies, even those of another shard.
  const mine = new Set(closure(closure(cells).filter((c) => inShard(c, shard))).map((c) => c.digest))
  const wanted = closure(cells)
  await store.bucket?.level(wanted)
  const [todo, reused]: [Cell[], Cell[]] = [[], []]
  for (const c of wanted) (mine.has(c.digest) && !store.has(c) ? todo : reused).push(c)
  const module = (await import(/* @vite-ignore */ options.steps)) as Steps
  const read = readerOf(store, module)
  if (todo.length > 0) await compute(todo, module, read, { ...options, store, title, reused })
  return {
    value: read,
    computed: todo.length,
    reused: reused.length,
    missing: wanted.filter((c) => !mine.has(c.digest) && !store.has(c)),
  }
}

/** Milliseconds between two notes of what cells cost. */
const SAVE_EVERY = 5000
type Reader = (cell: Cell) => Json | undefined

/** Reads stored values; one of the wrong shape is an error that names its file. */
const readerOf =
  (store: Store, { misfit }: Steps): Reader =>
  (c) => {
    const value = store.read(c)
    const expected = value === undefined ? undefined : misfit?.(c.step, value)
    if (expected === undefined) return value
    const { message } = wrongType(store.place?.(c) ?? c.label, `${expected}, the value of ${c.label}`, value)
    throw new TypeError(`${message}; remove the file to compute it again`)
  }

/** Runs cells in dependency order, one per worker at a time. */
async function compute(
  todo: readonly Cell[],
  module: Steps,
  read: Reader,
  options: RunOptions & { store: Store; title: string; reused: readonly Cell[] },
) {
  const { store, signal, resources = null, cellSeconds: seconds = cellSeconds() } = options
  const { queue = process.env.UWBENCH_QUEUE, workers = workerCount(), devices = [] } = options
  const unitsOf = (c: Cell): number => module.steps[c.step]?.cost?.(c.inputs) ?? 1
  const costs = new Costs(store.path)
  const costOf = (c: Cell): number => costs.seconds(kindOf(c), unitsOf(c))
  const cost = todo.reduce((sum, c) => sum + costOf(c), 0)
  // units of work that are left, kind by kind: what they cost is learnt on the way
  const open = new Map<string, number>()
  for (const c of todo) open.set(kindOf(c), (open.get(kindOf(c)) ?? 0) + unitsOf(c))
  const left = (): number =>
    [...open].reduce((sum, [kind, units]) => sum + costs.seconds(kind, units), 0) / (pool?.size ?? 1)
  const show = options.progress ?? ((cells: number) => openProgress({ title: options.title, cells, cost }))
  const report = typeof show === 'function' ? show(todo.length, cost) : show
  const isShared = options.shared || store.bucket !== undefined
  if (!queue) await store.bucket?.id() // fails where results could not be written
  const shares = sharing(store, (message) => report.warn(message))
  const pool = queue
    ? await openQueuePool({
        url: queue,
        finished: options.reused,
        ...(options.verifyShare === undefined ? {} : { verifyShare: options.verifyShare }),
        warn: (message) => report.warn(message),
        ...(isShared ? { shared: sharedCells(store) } : {}),
      })
    : workers > 0
      ? openPool(workers, { steps: options.steps, resources, devices }, seconds)
      : undefined
  const urgent = queue ? urgencies(todo, costOf, options.stages) : undefined
  const here = devices[0] === undefined ? resources : { ...(resources as object), device: devices[0] }
  const own = pool ? undefined : module.open?.(here)
  const alone = async (c: Cell, needs: () => Json[]): Promise<Json> => {
    await module.moveOn?.(own, c.inputs)
    return stepOf(module, c.step, options.steps).run(c.inputs, needs(), own)
  }
  const failures: { cell: Cell; error: Error }[] = []
  let [saved, finished] = [performance.now(), 0]
  const settled = new Map<string, Promise<boolean>>()

  const one = async (c: Cell): Promise<boolean> => {
    const ready = await Promise.all(c.needs.map((need) => settled.get(need.digest) ?? true))
    if (ready.includes(false) || signal?.aborted) return false
    try {
      const needs = () => c.needs.map((need) => read(need)!)
      let began = performance.now()
      const begun = (at = performance.now()) => {
        began = at
      }
      const value = pool
        ? await pool.run({ cell: c, needs, begun, urgency: urgent?.get(c.digest) ?? 0 })
        : await within(seconds, alone(c, needs))
      const [kind, units] = [kindOf(c), unitsOf(c)]
      // the first cell of a worker waits for modules and models: it says nothing about the others
      if (finished++ >= (pool?.size ?? 1)) costs.add(kind, units, (performance.now() - began) / 1000)
      open.set(kind, open.get(kind)! - units)
      if (performance.now() - saved > SAVE_EVERY) {
        saved = performance.now()
        costs.save()
      }
      await shares.write(c, value)
      pool?.stored?.(c)
      report.done(c.label, costOf(c), left(), pool?.note?.())
      options.onStored?.(c)
      return true
    } catch (error) {
      if (!signal?.aborted) failures.push({ cell: c, error: error as Error })
      return false
    }
  }
  const stop = () => void pool?.close()
  signal?.addEventListener('abort', stop, { once: true })
  try {
    if (pool) for (const c of todo) settled.set(c.digest, one(c))
    else for (const c of todo) settled.set(c.digest, Promise.resolve(await one(c)))
    const done = (await Promise.all(settled.values())).filter(Boolean).length
    await pool?.finish?.()
    if (signal?.aborted)
      throw new Error(
        `interrupted: ${done} of ${todo.length} cells are finished and kept in ${store.path}; rerun the command to resume`,
      )
  } finally {
    signal?.removeEventListener('abort', stop)
    report.end()
    costs.save()
    store.flush()
    await pool?.close()
  }
  if (failures.length > 0) throw failed(failures, todo.length)
  await shares.finish()
}

function failed(failures: readonly { cell: Cell; error: Error }[], total: number): Error {
  // one cause that has nothing to do with the cells, such as a full Redis or a model that cannot be fetched
  const common = failures[0]!.error
  if (failures.length > 1 && failures.every(({ error }) => error.message === common.message)) {
    common.message += '; finished cells are kept, rerun the command to resume'
    return common
  }
  const first = failures.slice(0, 3).map(({ cell, error }) => `  ${cell.label}: ${error.message}`)
  return new AggregateError(
    failures.map(({ error }) => error),
    `${failures.length} of ${counted(total, 'cell')} failed; finished cells are kept\n${first.join('\n')}`,
  )
}
