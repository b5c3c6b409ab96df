/**
 * The jobs of a queue. A job is a cell: its id is the cell's address, so that a cell is in the queue once, however often it is
 * submitted. Code never travels: a job names a step, and a worker computes it with the code that it has, if that is the same.
 *
 * There is one queue per model and device, so that a worker can prefer cells of the model that it has loaded.
 */
import { type Addressed, type Cell, canonical, digestOf, type Json } from '../cell.ts'
import { kindOfDevice, modelsIn } from '../cell-models.ts'

/** All keys in Redis begin with it. */
export const PREFIX = 'uwbench'

/** Own keys, beside those of BullMQ. */
export const keys = {
  queues: `${PREFIX}:queues`,
  workers: `${PREFIX}:workers`,
  /** The state of a worker, for a few seconds. */
  worker: (id: string) => `${PREFIX}:worker:${id}`,
  /** The digest of a cell's first value; others must be equal. */
  sum: (digest: string) => `${PREFIX}:sum:${digest}`,
  /** That two workers computed different values of a cell. */
  conflict: (digest: string) => `${PREFIX}:conflict:${digest}`,
}

/** Seconds for which Redis keeps what nobody removed: results of a run whose submitter never came back, digests of values. */
export const KEPT_SECONDS = 24 * 3600

/** The number of times that a cell is tried, and that it may take its worker down, before it is parked with its error. */
export const TRIES = 3

/** A cell as it travels. */
export interface CellJob extends Addressed, Pick<Cell, 'label'> {
  /** The values of the dependencies, unless they are in the shared store. */
  readonly values?: readonly Json[]
  /** The identity of the store that submitter and workers share. */
  readonly store?: string
  /** The worker that computed it before: this second computation is for another one, and is compared. */
  readonly not?: string
  /** The version of the package that submitted it. */
  readonly version: string
}

export interface CellResult {
  readonly sum: string
  /** The worker that computed it. */
  readonly by: string
  /** The value, unless it is in the shared store. */
  readonly value?: Json
  /** Seconds that it took. */
  readonly seconds: number
}

/** The id of a cell's job, and of its second computation. */
export const idOf = (digest: string, not?: string): string => (not === undefined ? digest : `${digest}-again`)

/** Returns the address of the cell that a job computes. */
export const digestIn = (id: string): string => id.replace(/-again$/, '')

export const sumOf = (value: Json): string => digestOf(canonical(value))

/** The queue of cells without a model. */
export const ANY = 'any@cpu'

/** Returns the queue of a cell: `MODEL@DEVICE`, or {@link ANY}. */
export function queueOf({ inputs }: Pick<Cell, 'inputs'>): string {
  const [model] = modelsIn(inputs)
  return model ? `${model.id.replace(/[^\w.-]+/g, '-')}@${kindOfDevice(model.device ?? 'cpu')}` : ANY
}

/** Tells whether `queueOf` can give the name: another one in the list of queues is not ours, and may be none that BullMQ takes. */
export const isQueue = (name: string): boolean => /^[\w.-]+@\w+$/.test(name)

/** Returns the device of a queue, without its number: `cuda` of `gpt2@cuda:0`. */
export const deviceOf = (queue: string): string => kindOfDevice(queue.slice(queue.lastIndexOf('@') + 1))
