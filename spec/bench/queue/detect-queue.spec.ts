/** `uwbench detect --queue`: texts are tested by workers that have the key, which Redis never sees. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { stepsUrl } from '../../../src/bench/run/experiment.ts'
import { detectMany } from '../../../src/core/detect/entry.ts'
import { seededRandom } from '../../../src/core/keys/stream.ts'
import { gumbel } from '../../../src/watermarks/entry.ts'
import { inProcess } from '../../commands/in-process.ts'
import { temporaryFolder } from '../../commands/program.ts'
import { requireComponent } from '../../require.ts'
import { hasRedis } from './redis.ts'
import { team } from './team.ts'

const { client, hire, left, redis } = team('detect-queue')
const folder = temporaryFolder('detect-queue')

const key = 'the key that only workers know'
const base64 = Buffer.from(key).toString('base64')
const keyFile = join(folder, 'key')
writeFileSync(keyFile, key)

/** Texts of several batches, with two equal batches among them. */
const stream = seededRandom('detect-queue')
const block = Array.from({ length: 256 }, (_, i) =>
  Array.from({ length: stream.below(30) }, () => stream.below(i % 2 ? 5 : 500)),
)
const texts = [...block, ...block, ...block.slice(0, 40)]
const corpus = join(folder, 'corpus.jsonl')
writeFileSync(corpus, texts.map((tokens, id) => JSON.stringify({ id, tokens })).join('\n'))

const detect = (...more: string[]) =>
  inProcess([
    ...['detect', corpus, '-w', 'gumbel', '--key-file', keyFile, '--vocab-size', '500', '--json', ...more],
  ])

test('the same lines as without a queue, and Redis never sees the key', async (context) => {
  requireComponent(context, 'redis', hasRedis)
  const seen: string[] = []
  const monitor = await client().monitor()
  monitor.on('monitor', (_time: string, args: string[]) => seen.push(args.join(' ')))
  hire({ steps: stepsUrl, resources: { key: base64 } })
  const queued = await detect('--queue', redis().url)
  expect(await left()).toEqual([])
  monitor.disconnect()
  const { status, stdout, stderr } = await detect()
  expect(queued).toMatchObject({ status, stdout, stderr })
  expect(queued.stdout.trim().split('\n')).toHaveLength(texts.length + 1)
  // what is watched is what travels: the ids are there, the key is not, however it is written
  const [first] = detectMany(gumbel(), [texts[0]!], { key, vocabSize: 500 })
  const all = seen.join('\n')
  expect(all).toContain(Buffer.from(Int32Array.from(texts[0]!).buffer).toString('base64').slice(0, 24))
  expect(all).toContain(String(first!.statistic))
  for (const written of [key, base64, Buffer.from(key).toString('hex'), encodeURIComponent(key)])
    expect(all).not.toContain(written)
})

test('a worker without the key, or with another, refuses and says why', async (context) => {
  requireComponent(context, 'redis', hasRedis)
  const run = detect('--queue', redis().url)
  for (const other of [undefined, Buffer.from('another key of some length').toString('base64')]) {
    const stranger = hire({ steps: stepsUrl, resources: other === undefined ? {} : { key: other } })
    while (stranger.lines.length === 0) await pause(20)
    expect(stranger.lines[0]).toMatch(
      /^worker \S+ refuses 'gumbel, batch \d': key of detection differs \(digest (none|[0-9a-f]{8}) here, [0-9a-f]{8} there\)$/,
    )
    await stranger.fire()
  }
  hire({ steps: stepsUrl, resources: { key: base64 } })
  const { status, stdout } = await detect()
  expect(await run).toMatchObject({ status, stdout })
  expect((await run).stderr).not.toContain(key)
})

test('threads and a queue exclude each other', async () => {
  expect(await detect('--queue', 'redis://localhost', '--threads', '2')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('give --threads or --queue, not both'),
  })
})
