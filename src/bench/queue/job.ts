/**
 * What is in the queue. A job is a cell: its id is the cell's address, so that a cell is in the queue once, whoever submits it and
 * however often. Code never travels: a job names a step, and a worker computes it with the code that it has, if that is the same.
 *
 * There is one queue per model and device, so that a worker can prefer cells of the model that it has loaded.
 */
import type { Cell, Json } from '../cell.ts'
import { canonical, digestOf } from '../cell.ts'

/** All keys in Redis begin with it. */
export const PREFIX = 'uwbench'

/** Own keys, beside those of BullMQ. */
export const keys = {
  /** The names of all queues. */
  queues: `${PREFIX}:queues`,
  /** The ids of all workers. */
  workers: `${PREFIX}:workers`,
  /** What a worker says of itself, for a few seconds. */
  worker: (id: string) => `${PREFIX}:worker:${id}`,
  /** The digest of a cell's first value; others must be equal. */
  sum: (digest: string) => `${PREFIX}:sum:${digest}`,
  /** That two workers computed different values of a cell. */
  conflict: (digest: string) => `${PREFIX}:conflict:${digest}`,
}

/** Seconds for which Redis keeps what nobody removed: results of a run whose submitter never came back, digests of values. */
export const KEPT_SECONDS = 24 * 3600

/** How often a cell is tried, and how often it may take its worker down, before it is parked with its error. */
export const TRIES = 3

/** A cell as it travels. */
export interface CellJob extends Pick<Cell, 'step' | 'inputs' | 'code' | 'label'> {
  /** Addresses of the dependencies. */
  readonly needs: readonly string[]
  /** Their values, unless they are in the shared store. */
  readonly values?: readonly Json[]
  /** The identity of the store that submitter and workers share. */
  readonly store?: string
  /** The version of the package that submitted it. */
  readonly version: string
}

/** The result of a job. */
export interface CellResult {
  /** The digest of the value. */
  readonly sum: string
  /** The value, unless it is in the shared store. */
  readonly value?: Json
  /** Seconds that it took. */
  readonly seconds: number
}

export const sumOf = (value: Json): string => digestOf(canonical(value))

interface Model {
  readonly id: string
  readonly device?: string
}

/** The queue of cells without a model. */
export const ANY = 'any@cpu'

/** The queue of a cell: `MODEL@DEVICE`, or {@link ANY}. */
export function queueOf({ inputs }: Pick<Cell, 'inputs'>): string {
  const model = (inputs.paraphraser ?? inputs.model) as unknown as Model | undefined
  return model ? `${model.id.replace(/[^\w.-]+/g, '-')}@${model.device ?? 'cpu'}` : ANY
}

/** The device of a queue, without its number: `cuda` of `gpt2@cuda:0`. */
export const deviceOf = (queue: string): string => queue.slice(queue.lastIndexOf('@') + 1).split(':')[0]!
