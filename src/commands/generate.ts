import type { Row } from '../datasets/row.ts'
import { integer, number } from '../input.ts'
import { type Command, type Input, UsageError } from './command.ts'
import { checkFolderOf, readText, tryToWrite } from './files.ts'
import { batchInput, generateMany, resume } from './generate-many.ts'
import { keyFlags, readKey } from './key.ts'
import { checkLocal } from './local.ts'
import { type Output, safeText } from './output.ts'
import { watermarkOf } from './own-watermark.ts'

interface Sidecar {
  readonly tokens: readonly number[]
  readonly [key: string]: unknown
}

/** Lists of numbers in one line. */
const sidecarText = (sidecar: Sidecar): string =>
  `${JSON.stringify(sidecar, null, 1).replace(/\[[\s\d,]+\](?=\s*\}$)/, (list) => list.replace(/\s+/g, ' '))}\n`

/** Writes the text and its sidecar. A text that cannot be written is printed, so that it is not lost. */
function save(out: string, text: string, sidecar: Sidecar, output: Output): number {
  const files = [
    [out, text],
    [`${out}.json`, sidecarText(sidecar)],
  ] as const
  const problem = tryToWrite(files)
  if (problem !== undefined) {
    show(text, output)
    output.error(`uwbench: ${problem}; the text is printed instead`)
    return 3
  }
  output.error(`wrote ${out} and ${out}.json (${sidecar.tokens.length} tokens)`)
  return 0
}

/** A pipe or file gets the text as it is, a terminal without control characters. */
const show = (text: string, output: Output): void =>
  output.raw(`${output.isTerminal ? safeText(text) : text}\n`)

/** The prompt of the command line, and where its text goes. */
async function singlePrompt(input: Input): Promise<{ prompt: string; out: string | undefined }> {
  const file = input.flag('file')
  if (file !== undefined && input.words.length > 0)
    throw new UsageError('give the prompt as words or with --file, not both')
  const prompt = file === undefined ? input.words.join(' ') : (await readText(file)).replace(/\r?\n$/, '')
  if (prompt === '')
    throw new UsageError('no prompt: give it as words, with --file FILE, or many with --prompts FILE')
  const out = input.flag('out')
  if (out !== undefined) for (const path of [out, `${out}.json`]) checkFolderOf(path)
  return { prompt, out }
}

function refusePrompt(input: Input): void {
  if (input.words.length > 0 || input.flag('file') !== undefined)
    throw new UsageError('give one prompt, or many with --prompts, not both')
}

function refuseBatch(input: Input): void {
  for (const name of ['count', 'limit', 'batch', 'field', 'format'])
    if (input.flag(name) !== undefined) throw new UsageError(`--${name} needs --prompts FILE`)
}

/** How tokens are drawn, checked in the words of the command line. A run that resumes keeps its seed. */
function samplingOf(input: Input, earlier: Row | undefined) {
  const kept = typeof earlier?.seed === 'string' ? earlier.seed : undefined
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
  summary: 'Writes texts with a watermark, with their token ids and parameters (--out), never the key.',
  words: Number.POSITIVE_INFINITY,
  flags: {
    file: {
      value: 'FILE',
      short: 'f',
      help: 'read the prompt from a file (- for standard input); its final newline is left out',
    },
    watermark: {
      value: 'ID',
      short: 'w',
      help: 'the watermark, or a module such as ./mine.ts; none by default',
    },
    ...keyFlags,
    model: {
      value: 'DIR_OR_ID',
      help: 'a folder, a hub id or stories15m; by default the embedded model',
    },
    'max-tokens': { value: 'N', help: 'length of the text; 200 by default' },
    temperature: { value: 'T', help: '1 by default' },
    'top-k': { value: 'K', help: 'sample from the K most probable tokens; 0 (the default): all' },
    'top-p': { value: 'P', help: 'sample from the most probable tokens of mass P; 1 by default' },
    seed: {
      value: 'S',
      help: 'the same seed gives the same texts, also in other processes; fresh by default',
    },
    out: {
      value: 'FILE',
      short: 'o',
      help: 'write the text here and token ids to FILE.json; with --prompts, JSON Lines: a rerun resumes',
    },
    prompts: {
      value: 'FILE',
      help: 'a prompt for each record (.jsonl, .json, .csv, .parquet) or line (.txt)',
    },
    field: { value: 'NAME', help: 'with --prompts: the column of the prompt; prompt by default' },
    format: { value: 'F', help: 'with --prompts: the format of the file; by default from name or content' },
    count: { value: 'N', help: 'with --prompts: texts per prompt; 1 by default' },
    limit: { value: 'N', help: 'with --prompts: the first N prompts only' },
    batch: { value: 'N', help: 'with --prompts: texts written side by side; 16 by default' },
  },
  async run(input, output) {
    const prompts = input.flag('prompts')
    const single = prompts === undefined ? await singlePrompt(input) : undefined
    if (prompts !== undefined) refusePrompt(input)
    else refuseBatch(input)
    const batch = prompts === undefined ? undefined : batchInput(input)
    const id = input.flag('watermark')
    const watermark = id === undefined ? undefined : await watermarkOf(id)
    const { key, warning } = watermark === undefined ? {} : readKey(input)
    const name = input.flag('model')
    if (name !== undefined) checkLocal('--model', name)
    const sampling = samplingOf(input, resume(batch?.out).first)
    const { embeddedModel, generate: write, loadModel } = await import('../models/index.ts')
    const model = name === undefined ? await embeddedModel() : await loadModel(name)
    try {
      const { id: modelId, vocabSize } = model
      const facts = { watermark: watermark?.id ?? null, model: modelId, vocabSize }
      if (batch) {
        const { maxNewTokens: maxTokens, ...rest } = sampling
        const code = await generateMany(
          model,
          batch,
          { ...facts, maxTokens, ...rest },
          { watermark, key },
          output,
        )
        if (warning !== undefined) output.error(warning)
        return code
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
  },
}
