import { isSpecial } from '../../bench/report/index.ts'
import { integer, number } from '../../input.ts'
import { isServer } from '../../text/models/index.ts'
import { parseWatermark } from '../../watermarks/index.ts'
import { type Command, type Input, UsageError } from './command.ts'
import { checkFolderOf, outputFile, readText, tryToWrite } from './files.ts'
import { generateMany, readBatch } from './generate-many.ts'
import { keyFlags, readKey } from './key.ts'
import { lockFile } from './lock.ts'
import { carrying } from './message.ts'
import { checkModelName } from './model-name.ts'
import { type Output, safeText } from './output.ts'
import { watermarkOf } from './own-watermark.ts'

interface Sidecar {
  readonly tokens: readonly number[]
  readonly [key: string]: unknown
}

/** Prints a sidecar with its list of tokens in one line. */
const sidecarText = (sidecar: Sidecar): string =>
  `${JSON.stringify(sidecar, null, 1).replace(/\[[\s\d,]+\](?=\s*\}$)/, (list) => list.replace(/\s+/g, ' '))}\n`

/** Writes the text and its sidecar; into a device or a pipe only the text. A text that cannot be written is printed instead. */
function save(out: string, text: string, sidecar: Sidecar, output: Output): number {
  const alone = isSpecial(out)
  const problem = tryToWrite([
    [out, text],
    ...(alone ? [] : [[`${out}.json`, sidecarText(sidecar)] as const]),
  ])
  if (problem !== undefined) {
    show(text, output)
    output.error(`uwbench: ${problem}; the text is printed instead`)
    return 3
  }
  output.error(`wrote ${alone ? out : `${out} and ${out}.json`} (${sidecar.tokens.length} tokens)`)
  return 0
}

/** Prints the text: unchanged into a pipe or file, without control characters on a terminal. */
const show = (text: string, output: Output): void =>
  output.raw(`${output.isTerminal ? safeText(text) : text}\n`)

/** Returns the prompt on the command line, and the file for its text. */
async function singlePrompt(input: Input): Promise<{ prompt: string; out: string | undefined }> {
  const file = input.flag('file')
  if (file !== undefined && input.words.length > 0)
    throw new UsageError('give the prompt as words or with --file, not both')
  const prompt = file === undefined ? input.words.join(' ') : (await readText(file)).replace(/\r?\n$/, '')
  if (prompt === '')
    throw new UsageError('no prompt: give it as words, with --file FILE, or many with --prompts FILE')
  const out = outputFile(input, 'out')
  if (out !== undefined) checkFolderOf(`${out}.json`)
  return { prompt, out }
}

/** Refuses options of one prompt together with --prompts, and options of --prompts without it. */
function refuseMixed(input: Input): void {
  if (input.flag('prompts') !== undefined) {
    if (input.words.length > 0 || input.flag('file') !== undefined)
      throw new UsageError('give one prompt, or many with --prompts, not both')
    return
  }
  for (const name of ['count', 'limit', 'batch', 'field', 'format'])
    if (input.flag(name) !== undefined) throw new UsageError(`--${name} needs --prompts FILE`)
}

/** Reads the sampling options. A run that resumes keeps its seed. */
function samplingOf(input: Input, earlierSeed: unknown) {
  const kept = typeof earlierSeed === 'string' ? earlierSeed : undefined
  return {
    maxNewTokens: integer('--max-tokens', input.number('max-tokens') ?? 200, 1),
    temperature: number('--temperature', input.number('temperature') ?? 1, 0, Number.POSITIVE_INFINITY),
    topK: integer('--top-k', input.number('top-k') ?? 0, 0),
    topP: number('--top-p', input.number('top-p') ?? 1, 0, 1),
    seed: input.flag('seed') ?? kept ?? `${crypto.getRandomValues(new Uint32Array(1))[0]}`,
  }
}

export const generate: Command = {
  usage: "[PROMPT | --prompts FILE] --watermark 'gumbel' --key-file K [--out FILE]",
  summary: 'Writes texts with a watermark. With --out, also token ids and settings, never the key.',
  words: Number.POSITIVE_INFINITY,
  flags: {
    file: {
      value: 'FILE',
      short: 'f',
      help: 'read the prompt from a file (- for standard input), without its trailing newline',
    },
    watermark: {
      value: 'ID',
      short: 'w',
      help: 'id of the watermark, or a module such as ./mine.ts; without it texts are not watermarked',
    },
    message: { value: 'TEXT', help: 'put a message into the text; read it with detect --decode' },
    bits: { value: 'N', help: 'with --message: its length; 64 by default, which holds 8 bytes' },
    code: {
      value: 'CODE',
      help: "with --message: recover lost blocks of it: 'none' (default), 'repeat' or 'bch'",
    },
    ...keyFlags,
    model: {
      value: 'DIR_OR_ID',
      help: 'a folder, a hub id, stories15m or a server (http://HOST:PORT/v1#NAME); by default the embedded model',
    },
    tokenizer: {
      value: 'DIR_OR_ID',
      help: 'with a server: its tokenizer, where its answers have no token ids',
    },
    'server-watermark': { value: 'ID', help: 'with a server: the watermark that it has, for the records' },
    'max-tokens': { value: 'N', help: 'length of the text; 200 by default' },
    temperature: { value: 'T', help: '1 by default' },
    'top-k': { value: 'K', help: 'sample from the K most probable tokens; 0 (the default): all' },
    'top-p': {
      value: 'P',
      help: 'sample from the most probable tokens with total probability P; 1 by default',
    },
    seed: {
      value: 'S',
      help: 'the same seed gives the same texts, with the same --batch and runtime; random by default',
    },
    out: {
      value: 'FILE',
      short: 'o',
      help: 'write the text to FILE and token ids to FILE.json; with --prompts, write JSON Lines, and a rerun resumes',
    },
    prompts: {
      value: 'FILE',
      help: 'a file of prompts (- for standard input): one per record (.jsonl, .json, .csv, .parquet) or line (.txt)',
    },
    field: { value: 'NAME', help: 'with --prompts: the column of the prompt; prompt by default' },
    format: { value: 'F', help: 'with --prompts: the format of the file; by default from name or content' },
    count: { value: 'N', help: 'with --prompts: texts per prompt; 1 by default' },
    limit: { value: 'N', help: 'with --prompts: only the first N prompts' },
    batch: { value: 'N', help: 'with --prompts: texts generated at once; 16 by default' },
  },
  async run(input, output) {
    refuseMixed(input)
    const out = outputFile(input, 'out')
    const unlock = input.flag('prompts') === undefined || out === undefined ? undefined : lockFile(out)
    try {
      return await writeTexts(input, output)
    } finally {
      unlock?.()
    }
  },
}

/** Reads the options of a server as the model, which marks its own texts. */
function serverOptions(input: Input, own: string | undefined) {
  const hasServer = isServer(input.flag('model'))
  const [tokenizer, marked] = [input.flag('tokenizer'), input.flag('server-watermark')]
  if (!hasServer && (tokenizer ?? marked) !== undefined)
    throw new UsageError('--tokenizer and --server-watermark need a server: --model http://HOST:PORT/v1#NAME')
  if (hasServer && own !== undefined)
    throw new UsageError(
      `--watermark: a server marks its own texts; give --server-watermark '${own}' if it has this watermark`,
    )
  const watermark = marked === undefined ? null : parseWatermark(marked).id
  return { load: tokenizer === undefined ? {} : { tokenizer }, watermark }
}

async function writeTexts(input: Input, output: Output): Promise<number> {
  const batch = input.flag('prompts') === undefined ? undefined : readBatch(input)
  const single = batch === undefined ? await singlePrompt(input) : undefined
  const id = input.flag('watermark')
  const given = id === undefined ? undefined : await watermarkOf(id)
  const watermark = carrying(input, given)
  const secret = watermark === undefined ? undefined : readKey(input, watermark)
  const [key, warning] = [secret?.key, secret?.warning(watermark)]
  const name = input.flag('model')
  if (name !== undefined) checkModelName('--model', name)
  const server = serverOptions(input, watermark?.id)
  const sampling = samplingOf(input, batch?.earlier.first?.seed)
  const { embeddedModel, generate: write, loadModel } = await import('../../text/models/index.ts')
  const model = name === undefined ? await embeddedModel() : await loadModel(name, server.load)
  try {
    const { id: modelId, vocabSize } = model
    const message = input.flag('message')
    const facts = {
      watermark: given?.id ?? server.watermark,
      ...(message && { message }),
      model: modelId,
      vocabSize,
    }
    if (batch) {
      const { maxNewTokens: maxTokens, ...rest } = sampling
      const settings = { ...facts, maxTokens, ...rest }
      await generateMany(model, batch, settings, { watermark, key }, output)
      if (warning !== undefined) output.error(warning)
      return 0
    }
    const { prompt, out } = single!
    const [text] = await write(model, prompt, { ...sampling, watermark, key })
    const { tokens } = text!
    if (warning !== undefined) output.error(warning)
    if (out !== undefined) return save(out, text!.text, { ...facts, prompt, ...sampling, tokens }, output)
    show(text!.text, output)
    return 0
  } finally {
    await model.dispose()
  }
}
