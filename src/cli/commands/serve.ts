import { integer, number } from '../../input.ts'
import type { AnyWatermark } from '../../watermarks/index.ts'
import { type Command, type Input, UsageError } from './command.ts'
import { readText } from './files.ts'
import { generate } from './generate.ts'
import { type Key, keyFlags, readKey } from './key.ts'
import { checkModelName } from './model-name.ts'
import { print } from './output.ts'
import { watermarkAndModule } from './own-watermark.ts'

const PORT = 8000
/** Seconds that texts have to be finished after SIGTERM: with what comes after, at most five. */
const GRACE_SECONDS = 4

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|::1)$/.test(host)

/** A watermark with its key. */
interface Marking extends Partial<Key> {
  readonly watermark?: AnyWatermark
  readonly module?: string
}

/** Reads the watermark with its key, where one is asked for. */
async function markOf(input: Input): Promise<Marking> {
  const name = input.flag('watermark')
  if (name === undefined) {
    for (const flag of ['token-file', 'alpha', 'rate', 'decision-only', 'always'])
      if (input.flag(flag) !== undefined || input.on(flag))
        throw new UsageError(`--${flag} needs --watermark, such as 'gumbel'`)
    return {}
  }
  return { ...(await watermarkAndModule(name)), ...readKey(input) }
}

/** Reads the token of `/detect`. Without one, only this machine may ask. */
async function tokenOf(input: Input, host: string): Promise<{ token?: string }> {
  const file = input.flag('token-file')
  const token = file === undefined ? process.env.UWBENCH_TOKEN : (await readText(file)).trim()
  if (token !== undefined && token !== '') return { token }
  if (file !== undefined) throw new UsageError(`--token-file: ${file}: expected a token, found none`)
  if (input.flag('watermark') === undefined || isLoopback(host)) return {}
  throw new UsageError(
    `--host ${host}: expected a token for /detect, which others can reach: give --token-file FILE or set UWBENCH_TOKEN`,
  )
}

export const serve: Command = {
  usage: "[--model stories15m] [--watermark 'gumbel' --key-file K] [--port 8000] [--host 127.0.0.1]",
  summary:
    'Serves a model with a watermark to clients of the OpenAI API, and detection at /detect. SIGTERM ends it.',
  flags: {
    model: {
      value: 'DIR_OR_ID',
      help: 'a folder, a hub id, a GGUF file or stories15m; by default the embedded model',
    },
    watermark: generate.flags.watermark!,
    ...keyFlags,
    port: { value: 'N', help: `${PORT} by default, 0 for a free one` },
    host: { value: 'H', help: 'the address to listen at; 127.0.0.1, this machine, by default' },
    batch: { value: 'N', help: 'texts written at once; 16 by default' },
    queue: { value: 'N', help: 'texts that may wait; 64 by default, more are answered with 429' },
    'max-tokens': { value: 'N', help: 'the most tokens of a text; 4096 by default' },
    always: { help: 'refuse requests that switch the watermark off with `watermarking: false`' },
    alpha: { value: 'A', help: 'level of the decision of /detect; 0.01 by default' },
    'decision-only': { help: '/detect answers yes or no: p-values show attackers what to change' },
    'token-file': {
      value: 'FILE',
      help: 'a file with the token that /detect asks for; by default the environment variable UWBENCH_TOKEN',
    },
    rate: { value: 'N', help: 'requests to /detect per minute; 60 by default' },
  },
  async run(input, output) {
    const port = integer('--port', input.number('port') ?? PORT, 0, 65535)
    const host = input.flag('host') ?? '127.0.0.1'
    const settings = {
      ...{ host, port },
      batch: integer('--batch', input.number('batch') ?? 16, 1, 1024),
      queue: integer('--queue', input.number('queue') ?? 64, 0, 65536),
      maxTokens: integer('--max-tokens', input.number('max-tokens') ?? 4096, 1, 1_000_000),
      alpha: number('--alpha', input.number('alpha') ?? 0.01, 0, 1, true),
      rate: integer('--rate', input.number('rate') ?? 60, 1),
      ...{ mayUnmark: !input.on('always'), decisionOnly: input.on('decision-only') },
    }
    const { warning, ...mark } = await markOf(input)
    const token = await tokenOf(input, host)
    const name = input.flag('model')
    if (name !== undefined) checkModelName('--model', name)
    const { framework, startServer } = await import('../serve/start.ts')
    await framework() // if it is missing, that is said before a model is loaded
    const { embeddedModel, loadModel } = await import('../../text/models/index.ts')
    const model = name === undefined ? await embeddedModel() : await loadModel(name)
    try {
      const log = (line: string): void => output.error(`uwbench: ${line}`)
      const server = await startServer({ model, ...mark, ...token, ...settings, log })
      const line = warning?.(mark.watermark)
      if (line !== undefined) output.error(line)
      const marked = mark.watermark === undefined ? 'without a watermark' : `with ${mark.watermark.id}`
      print(output, `${model.id} ${marked} at ${server.url}/v1 (Ctrl-C to stop)`)
      await new Promise((resolve) => output.drain?.addEventListener('abort', resolve, { once: true }))
      await server.close(GRACE_SECONDS)
    } finally {
      await model.dispose()
    }
    return 0
  },
}
