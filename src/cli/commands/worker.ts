import type { Config } from '../../bench/config/index.ts'
import { integer, outOfRange } from '../../input.ts'
import { listed } from './bench-study.ts'
import type { Command, Input } from './command.ts'
import { UsageError } from './command.ts'
import { projectConfig } from './config.ts'
import { readKey } from './key.ts'
import { watermarksOf } from './own-watermark.ts'

/** Returns the queue that is asked for: `--queue` or the environment variable. */
export const queueFlag = (input: Input): string | undefined =>
  input.flag('queue') ?? process.env.UWBENCH_QUEUE

/** Modules of watermarks, by the worker's own paths: code never comes from the queue. */
async function modulesOf(text: string | undefined): Promise<string[]> {
  const names = (text ?? '').split(',').map((name) => name.trim())
  const found = await Promise.all(names.filter(Boolean).map((name) => watermarksOf(name)))
  return found.flatMap((one) => one.module ?? [])
}

/** Names the models and data that jobs may name: those of the settings and of the scales, and what `--model` and `--data` add. */
async function allowed(input: Input, config: Config) {
  const { needsOf, studyOf } = await import('../../bench/study/index.ts')
  const needs = ['paper', 'small'].flatMap((scale) => needsOf(studyOf(scale, config)))
  const more = (name: 'model' | 'data'): string[] => listed(input.flag(name) ?? '').filter(Boolean)
  return {
    models: [...needs.flatMap((need) => (need.kind === 'model' ? [need.ref.id] : [])), ...more('model')],
    data: more('data'),
  }
}

/** Returns the bucket of the environment: a bucket is shared wherever it is named, a folder only where `--store` says so. */
const bucketIn = ({ UWBENCH_STORE: store }: NodeJS.ProcessEnv): string | undefined =>
  store?.startsWith('s3://') ? store : undefined

/** Chooses a GPU for the whole process, before anything is loaded. */
function chooseDevice(device: string | undefined): void {
  if (device === undefined) return
  const [, kind, index] = /^([a-z]+)(?::(\d+))?$/.exec(device) ?? []
  if (kind === undefined) throw outOfRange('--device', 'a device such as cuda or cuda:0', device)
  if (kind === 'cuda' && index !== undefined) process.env.CUDA_VISIBLE_DEVICES = index
}

/** Reads the worker's own key, which never comes from the queue. */
function ownKey(input: Input): { readonly key?: string } {
  if (input.flag('key-file') === undefined && !process.env.UWBENCH_KEY) return {}
  return { key: Buffer.from(readKey(input).key).toString('base64') }
}

export const worker: Command = {
  usage: '--queue redis://HOST:6379 [--workers N] [--device cuda:0] [--store DIR]',
  summary:
    'Computes cells for `uwbench bench --queue` and tests texts for `uwbench detect --queue`, on any number of machines.',
  flags: {
    queue: { value: 'URL', help: 'the Redis server; by default the environment variable UWBENCH_QUEUE' },
    workers: { value: 'N', help: 'worker threads; one per core by default, one with --device' },
    device: { value: 'D', help: 'also take cells for this device, such as cuda:0' },
    store: {
      value: 'DIR',
      help: 'the folder that is shared with `bench --shared`, or the bucket of `bench --store s3://...`',
    },
    model: {
      value: 'LIST',
      help: 'models that jobs may name, besides those of your settings and of the scales',
    },
    data: { value: 'FILES', help: 'files of prompts that jobs may name, separated by commas' },
    'key-file': {
      value: 'FILE',
      help: 'the secret key of `detect --queue`; by default the environment variable UWBENCH_KEY',
    },
    watermark: {
      value: 'LIST',
      short: 'w',
      help: 'modules of your own watermarks (./mine.ts), separated by commas',
    },
  },
  async run(input, output) {
    const url = queueFlag(input)
    if (url === undefined) throw new UsageError('--queue: expected the address of a Redis server, got none')
    const device = input.flag('device')
    chooseDevice(device)
    const [{ work }, { stepsUrl }, { cellSeconds }, { openStore }, { workerCount }, { studyOf }] =
      await Promise.all([
        import('../../bench/cells/index.ts'),
        import('../../bench/run/index.ts'),
        import('../../bench/cells/index.ts'),
        import('../../bench/cells/index.ts'),
        import('../../bench/cells/index.ts'),
        import('../../bench/study/index.ts'),
      ])
    // where this machine has the paper's data; what ships with the package needs no path
    const config = await projectConfig()
    const { paths = {}, threads: session } = studyOf('paper', config)
    const threads = integer(
      '--workers',
      input.number('workers') ?? (device === undefined ? workerCount() : 1),
      1,
    )
    const store = input.flag('store') ?? bucketIn(process.env)
    const log = (line: string): void => output.error(line)
    const done = await work({
      url,
      threads,
      steps: stepsUrl,
      resources: {
        data: paths,
        only: await allowed(input, config),
        modules: await modulesOf(input.flag('watermark')),
        ...(session ? { threads: session } : {}),
        ...ownKey(input),
      },
      cellSeconds: cellSeconds(),
      ...(device === undefined ? {} : { device }),
      ...(store === undefined ? {} : { store: openStore(store, { warn: log }) }),
      signal: output.drain ?? new AbortController().signal,
      log,
    })
    output.error(`worker: ${done} cells computed`)
    return 0
  },
}
