/** Jobs of somebody who can write to Redis: a worker opens nothing that they name, and tells nothing that it read. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Queue } from 'bullmq'
import { expect, test } from 'vitest'
import { cell, type Json } from '../../../src/bench/cells/cell.ts'
import { cellCode } from '../../../src/bench/cells/cell-code.ts'
import { packageVersion } from '../../../src/bench/cells/code.ts'
import { stepsUrl } from '../../../src/bench/run/experiment.ts'
import { hereOf } from '../../../src/bench/steps/here.ts'
import { steps } from '../../../src/bench/steps/index.ts'
import { inProcess } from '../../commands/in-process.ts'
import { temporaryFolder } from '../../commands/program.ts'
import { requireComponent } from '../../require.ts'
import { hasRedis } from './redis.ts'
import { team } from './team.ts'

const { client, hire, redis } = team('hostile-jobs')
const folder = temporaryFolder('hostile-jobs')
const secret = join(folder, 'accounts.csv')
writeFileSync(secret, 'user,hunter2\nroot,hunter3\n')

const code = cellCode(steps.human!)
const reads = (name: string) => cell('human', { data: { name, limit: 1, digest: 'x' } }, { code })

/** Puts a job into Redis and returns the lines of a worker that finds it. */
async function linesFor(
  job: ReturnType<typeof reads>,
  { id = job.digest, only }: { readonly id?: string; readonly only?: Json } = {},
) {
  const queue = new Queue('any@cpu', { prefix: 'uwbench', connection: client() })
  await client().sadd('uwbench:queues', 'any@cpu')
  const { step, inputs, label } = job
  const data = { step, inputs, code: job.code, label, needs: [], values: [], version: packageVersion() }
  await queue.add(label, data, { jobId: id })
  const { lines } = hire({ steps: stepsUrl, resources: only === undefined ? {} : { only } })
  while (!lines.some((line) => line.includes('refuses'))) await pause(20)
  const known = await client().mget((await client().keys('uwbench:worker:*')).concat('none'))
  return { lines, published: known.filter((text) => text !== null).join('\n') }
}

test('a file that the settings do not name is not opened', async (context) => {
  requireComponent(context, 'redis', hasRedis)
  const { lines } = await linesFor(reads(secret), { only: { models: [], data: [] } })
  expect(lines).toEqual([
    expect.stringContaining(`the settings of this worker do not name the data ${secret}; name the file`),
  ])
})

test('a job whose address does not fit is refused before anything is opened', async (context) => {
  requireComponent(context, 'redis', hasRedis)
  const { lines } = await linesFor(reads(secret), { id: 'f'.repeat(64) })
  expect(lines).toEqual([expect.stringMatching(/refuses 'human': its address does not fit its content$/)])
})

test('a file that cannot be read is published without its content', async (context) => {
  requireComponent(context, 'redis', hasRedis)
  const { lines, published } = await linesFor(reads(secret), { only: { models: [], data: [secret] } })
  expect(lines.at(-1)).toMatch(/cannot be opened on this machine; the log of the worker says why$/)
  expect(published).not.toContain('hunter2')
})

test('models and data of the settings, the flags and our own names are allowed', async () => {
  const here = hereOf(steps)({ only: { models: ['mine/model'], data: [secret] } })
  const refuses = async (inputs: Record<string, Json>) => (await here('human', inputs, code)).refuses
  expect(await refuses({ model: { id: 'other/model', digest: 'x' } })).toBe(
    'the settings of this worker do not name the model other/model; name it with --model',
  )
  expect(
    await refuses({ model: { id: 'toy', digest: 'x' }, data: { name: 'toy', limit: 1 } }),
  ).toBeUndefined()
  expect(await refuses({ watermark: 'nobody' })).toBe(
    "this worker has no watermark 'nobody'; name its module with --watermark",
  )
})

test('--verify-share is a share, and needs a queue', async () => {
  expect((await inProcess(['bench', '--scale', 'smoke', '--verify-share', '0.5'])).stderr).toBe(
    'uwbench: --verify-share needs --queue URL\n',
  )
  const over = [
    'bench',
    '--scale',
    'smoke',
    '--verify-share',
    '2',
    '--queue',
    redis()?.url ?? 'redis://localhost',
  ]
  expect((await inProcess(over)).stderr).toContain('--verify-share: expected a number in [0, 1], got 2')
})
