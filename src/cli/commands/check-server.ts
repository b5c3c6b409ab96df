/** `uwbench check --server`: the laws of a watermark where it runs. */
import type { ServerUnderTest } from '../../gate/server/index.ts'
import { openSource, textOfEntry } from '../../text/corpus/index.ts'
import type { Checked } from './checked.ts'
import { type Flag, type Input, UsageError } from './command.ts'
import { outputFile } from './files.ts'
import { keyFlags, readKey } from './key.ts'
import { lockFile } from './lock.ts'
import { watermarkOf } from './own-watermark.ts'

export const serverFlags: Record<string, Flag> = {
  server: { value: 'URL', help: 'check a running OpenAI-style server, such as http://127.0.0.1:8000/v1' },
  model: { value: 'NAME', help: 'with --server: its model' },
  prompts: { value: 'FILE', help: 'with --server: prompts, one per line or record; by default shipped ones' },
  off: { value: 'JSON', help: 'fields of a request without the mark; by default {"watermarking":false}' },
  reference: { value: 'URL', help: 'instead of --off: a server with the same model and no mark' },
  context: { value: 'N', help: "tokens that a code depends on; by default the watermark's, else 2" },
  watermark: { value: 'ID', help: 'with --key-file: the watermark with its codes, for detection' },
  ...keyFlags,
  'vocab-size': { value: 'N', help: "with --watermark: width of the model's logits" },
  tokenizer: { value: 'DIR_OR_ID', help: 'turns texts into ids where the server gives none' },
  requests: { value: 'N', help: 'requests to spend; 2000 by default' },
  minutes: { value: 'N', help: 'ask for nothing new after this time' },
  concurrency: { value: 'N', help: 'requests side by side; 16 by default' },
  'max-tokens': { value: 'N', help: 'tokens of one text; 100 by default' },
  chat: { help: 'ask /chat/completions' },
  out: { value: 'FILE', help: 'save all answers (JSON Lines); a later run resumes from them' },
  'pair-alarm': { value: 'A', help: 'false-alarm rate of the test of pairs of texts, such as 1e-3' },
}

/** Options that say how to test a watermark of this machine. */
const others = ['bias', 'effort', 'path', 'law', 'timeout', 'testee-env'] as const

function offOf(input: Input): Record<string, unknown> | undefined {
  const given = input.flag('off')
  if (given === undefined) return undefined
  try {
    const fields: unknown = JSON.parse(given)
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields))
      return fields as Record<string, unknown>
  } catch {
    // told below
  }
  throw new UsageError(`--off: expected fields as JSON, such as '{"watermarking":false}', got ${given}`)
}

async function promptsOf(file: string): Promise<string[]> {
  const prompts: string[] = []
  for await (const entry of (await openSource(file, undefined, 'lines')).entries()) {
    const record = entry.value as { prompt?: unknown } | null
    const field = typeof record === 'object' && typeof record?.prompt === 'string' ? 'prompt' : undefined
    prompts.push(String(textOfEntry(entry, { field })))
  }
  return prompts
}

/** Removes options that were not given. */
const given = <T extends object>(options: T): T =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T

/** Checks the server that the arguments describe. */
export async function checkRunning(input: Input): Promise<Checked> {
  const [url, model] = [input.flag('server')!, input.flag('model')]
  if (model === undefined) throw new UsageError('--server needs --model NAME, as GET /v1/models lists it')
  const other = others.find((name) => input.flag(name) !== undefined)
  if (other !== undefined) throw new UsageError(`--${other}: not with --server`)
  const [named, file, tokenizer] = [input.flag('watermark'), input.flag('prompts'), input.flag('tokenizer')]
  const watermark = named === undefined ? undefined : await watermarkOf(named)
  const isSecret =
    watermark !== undefined &&
    (input.flag('key') ?? input.flag('key-file') ?? process.env.UWBENCH_KEY) !== undefined
  const loaded =
    tokenizer === undefined
      ? undefined
      : await (await import('../../text/models/index.ts')).loadTokenizer(tokenizer)
  const server: ServerUnderTest = given({
    url,
    model,
    prompts: file === undefined ? undefined : await promptsOf(file),
    off: offOf(input),
    reference: input.flag('reference'),
    context: input.number('context'),
    watermark,
    key: isSecret ? readKey(input).key : undefined,
    vocabSize: input.number('vocab-size') ?? loaded?.vocabSize,
    requests: input.number('requests'),
    minutes: input.number('minutes'),
    concurrency: input.number('concurrency'),
    maxTokens: input.number('max-tokens'),
    chat: input.on('chat') || undefined,
    token: process.env.UWBENCH_SERVER_TOKEN,
    tokenizer: loaded?.tokenizer,
    out: outputFile(input, 'out'),
  } as ServerUnderTest)
  const { checkServer } = await import('../../gate/server/index.ts')
  const rates = {
    falseAlarm: input.number('false-alarm'),
    miss: input.number('miss'),
    pairAlarm: input.number('pair-alarm'),
  }
  const unlock = server.out === undefined ? () => {} : lockFile(server.out)
  try {
    return { id: `${model} at ${url}`, results: await checkServer(server, given(rates)) }
  } finally {
    unlock()
  }
}
