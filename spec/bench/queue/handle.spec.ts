/** A cell in a worker, without Redis: what is opened for it, and what is published about it. */
import type { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { cell } from '../../../src/bench/cells/cell.ts'
import { packageVersion } from '../../../src/bench/cells/code.ts'
import { type CellJobs, cellHandler } from '../../../src/bench/cells/queue/handle.ts'
import type { Packages } from '../../../src/bench/cells/queue/redis.ts'

/** Handles one job with a worker whose look at the job's files fails; returns the outcome and what was said. */
async function handled(more: { readonly id?: string; readonly data?: unknown }) {
  const { step, inputs, code, label, digest } = cell('human', { data: 'accounts.csv' }, { code: 'mine' })
  const [published, logged]: [string[], string[]] = [[], []]
  let opened = 0
  const handle = cellHandler({
    packages: {} as Packages,
    redis: {} as Redis,
    id: 'me',
    module: {
      here: () => async () => {
        opened++
        throw new Error('accounts.csv: expected JSON, found user,hunter2')
      },
    },
    log: (line) => logged.push(line),
    refused: (reason) => published.push(reason),
  })
  let delayed = 0
  const own = { step, inputs, code, label, needs: [], values: [], version: packageVersion() }
  const data = 'data' in more ? more.data : own
  const moveToDelayed = async () => void delayed++
  const job = { id: more.id ?? digest, data, moveToDelayed } as unknown as CellJobs
  const outcome = await handle({ run: () => Promise.reject() } as never, job, 'token', () => {})
  return { outcome, published, logged, opened, delayed }
}

test('a job whose address does not fit is refused before anything that it names is opened', async () => {
  expect(await handled({ id: 'f'.repeat(64) })).toEqual({
    ...{ outcome: 'refused', published: ['its address does not fit its content'], logged: [] },
    ...{ opened: 0, delayed: 1 },
  })
})

test.each([
  ['nothing', null],
  ['a label that is no text', { label: { toString: null, valueOf: null } }],
  ['no step', { label: 'x', needs: [] }],
  ['no list of needs', { label: 'x', step: 'human', needs: 1 }],
])('a job that is no cell (%s) is refused, and ends no worker', async (_, data) => {
  expect(await handled({ data })).toMatchObject({
    ...{ outcome: 'refused', opened: 0, delayed: 1 },
    published: [`it is no cell of version ${packageVersion()}`],
  })
})

test('what could not be read is told to the log, and published without its content', async () => {
  const { outcome, published, logged, opened } = await handled({})
  expect([outcome, opened]).toEqual(['refused', 1])
  expect(published).toEqual([
    expect.stringMatching(/cannot be opened on this machine; the log of the worker/),
  ])
  expect(logged).toEqual([expect.stringContaining('hunter2')])
})
