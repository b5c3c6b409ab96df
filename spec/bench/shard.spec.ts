import { describe, expect, test } from 'vitest'
import { shardOf } from '../../src/bench/cells/shard.ts'

describe('which shard a job computes', () => {
  test('everything, where nothing is said', () => {
    expect(shardOf({})).toEqual({ index: 1, count: 1 })
    expect(shardOf({ UWBENCH_SHARD: '' })).toEqual({ index: 1, count: 1 })
  })

  test('UWBENCH_SHARD comes first', () => {
    expect(shardOf({ UWBENCH_SHARD: '2/3', SLURM_ARRAY_TASK_ID: '7', SLURM_ARRAY_TASK_COUNT: '8' })).toEqual({
      index: 2,
      count: 3,
    })
  })

  test('Slurm: any first task and any step (sbatch --array=10-30:5)', () => {
    const shards = ['10', '15', '20', '25', '30'].map((id) =>
      shardOf({
        SLURM_ARRAY_TASK_ID: id,
        SLURM_ARRAY_TASK_COUNT: '5',
        SLURM_ARRAY_TASK_MIN: '10',
        SLURM_ARRAY_TASK_STEP: '5',
      }),
    )
    expect(shards.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5])
    expect(shards.every(({ count }) => count === 5)).toBe(true)
  })

  test('Kubernetes counts from 0 and needs to be told how many', () => {
    expect(shardOf({ JOB_COMPLETION_INDEX: '0', UWBENCH_SHARDS: '4' })).toEqual({ index: 1, count: 4 })
    expect(() => shardOf({ JOB_COMPLETION_INDEX: '0' })).toThrow(
      'UWBENCH_SHARDS: expected an integer of at least 1, got undefined',
    )
  })

  test('AWS Batch counts from 0 and says how many', () => {
    expect(shardOf({ AWS_BATCH_JOB_ARRAY_INDEX: '2', AWS_BATCH_JOB_ARRAY_SIZE: '3' })).toEqual({
      index: 3,
      count: 3,
    })
    expect(shardOf({ AWS_BATCH_JOB_ARRAY_INDEX: '2', UWBENCH_SHARDS: '6' })).toEqual({ index: 3, count: 6 })
  })

  test.each([
    [{ SLURM_ARRAY_TASK_ID: 'x', SLURM_ARRAY_TASK_COUNT: '3' }, /SLURM_ARRAY_TASK_ID: expected an integer/],
    [{ SLURM_ARRAY_TASK_ID: '3' }, /SLURM_ARRAY_TASK_COUNT: expected an integer/],
    // a list such as --array=1,2,9: tasks that are not evenly apart have no shard
    [
      { SLURM_ARRAY_TASK_ID: '9', SLURM_ARRAY_TASK_COUNT: '3', SLURM_ARRAY_TASK_MIN: '1' },
      /SLURM_ARRAY_TASK_ID: expected one of 3 tasks from 1 in steps of 1, got '9'/,
    ],
    [
      { AWS_BATCH_JOB_ARRAY_INDEX: '3', AWS_BATCH_JOB_ARRAY_SIZE: '3' },
      /AWS_BATCH_JOB_ARRAY_INDEX: expected/,
    ],
  ])('what makes no sense is refused: %o', (env, message) => {
    expect(() => shardOf(env)).toThrow(message)
  })
})
