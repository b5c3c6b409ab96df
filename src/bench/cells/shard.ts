/**
 * `UWBENCH_SHARD=i/n` (1-based) computes one shard of the cells; merge the results by copying the stores together. Shards are
 * assigned by digest, so machines need no coordination. A cell is in the shard of its first dependency: a text is generated and
 * scored on the same machine.
 *
 * In an array job the shard is the task's place in the array: Slurm, Kubernetes (an Indexed Job) and AWS Batch say it in variables
 * of their own. Kubernetes does not say how many there are: `UWBENCH_SHARDS=n` does.
 */
import { wrongType } from '../../input.ts'
import type { Cell } from './cell.ts'

/** One share of the cells: the `index`-th of `count`, from 1. */
export interface Shard {
  readonly index: number
  readonly count: number
}

/** Parses `i/n`; an empty or missing text means everything. */
export function parseShard(text: string | undefined): Shard {
  if (!text) return { index: 1, count: 1 }
  const match = /^(\d+)\/(\d+)$/.exec(text)
  const [index, count] = [Number(match?.[1]), Number(match?.[2])]
  if (!match || index < 1 || index > count)
    throw wrongType('UWBENCH_SHARD', "'i/n' with 1 <= i <= n, such as 2/3", text)
  return { index, count }
}

/** Variables in which array jobs number their tasks. `low` and `step`: the number of the first, and the distance between two. */
const arrays = [
  {
    index: 'SLURM_ARRAY_TASK_ID',
    count: 'SLURM_ARRAY_TASK_COUNT',
    low: 'SLURM_ARRAY_TASK_MIN',
    step: 'SLURM_ARRAY_TASK_STEP',
  },
  { index: 'JOB_COMPLETION_INDEX', count: 'UWBENCH_SHARDS' },
  { index: 'AWS_BATCH_JOB_ARRAY_INDEX', count: 'AWS_BATCH_JOB_ARRAY_SIZE' },
] as const

type Environment = Readonly<Record<string, string | undefined>>

function integerIn(env: Environment, name: string, least: number, otherwise?: number): number {
  const text = env[name]
  if (!text && otherwise !== undefined) return otherwise
  if (!text || !/^\d+$/.test(text) || Number(text) < least)
    throw wrongType(name, `an integer of at least ${least}`, text)
  return Number(text)
}

/**
 * Returns the shard that the environment asks for: `UWBENCH_SHARD`, or the place in an array job; everything where there is neither.
 * @example shardOf({ SLURM_ARRAY_TASK_ID: '3', SLURM_ARRAY_TASK_COUNT: '8', SLURM_ARRAY_TASK_MIN: '1' }) // { index: 3, count: 8 }
 */
export function shardOf(env: Environment = process.env): Shard {
  if (env.UWBENCH_SHARD) return parseShard(env.UWBENCH_SHARD)
  const array = arrays.find(({ index }) => env[index])
  if (array === undefined) return parseShard(undefined)
  const count = integerIn(
    env,
    array.count,
    1,
    env.UWBENCH_SHARDS ? integerIn(env, 'UWBENCH_SHARDS', 1) : undefined,
  )
  const low = 'low' in array ? integerIn(env, array.low, 0, 0) : 0
  const step = 'step' in array ? integerIn(env, array.step, 1, 1) : 1
  const index = (integerIn(env, array.index, 0) - low) / step + 1
  if (!Number.isInteger(index) || index < 1 || index > count)
    throw wrongType(array.index, `one of ${count} tasks from ${low} in steps of ${step}`, env[array.index])
  return { index, count }
}

const anchor = (cell: Cell): Cell => (cell.needs[0] ? anchor(cell.needs[0]) : cell)

export const inShard = (cell: Cell, { index, count }: Shard): boolean =>
  Number.parseInt(anchor(cell).digest.slice(0, 12), 16) % count === index - 1
