import { type AnyWatermark, parseWatermark } from '../watermarks/index.ts'
import { type Command, UsageError } from './command.ts'
import { checkFolderOf, readText, tryToWrite } from './files.ts'
import { keyFlags, readKey } from './key.ts'
import { checkLocal } from './local.ts'
import { type Output, safeText } from './output.ts'

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

export const generate: Command = {
  usage: "[PROMPT] --watermark 'gumbel' --key-file K [--out FILE]",
  summary:
    'Writes a text with a watermark. With --out also a sidecar FILE.json with token ids and parameters, never the key.',
  words: Number.POSITIVE_INFINITY,
  flags: {
    file: {
      value: 'FILE',
      short: 'f',
      help: 'read the prompt from a file (- for standard input); its final newline is left out',
    },
    watermark: { value: 'ID', short: 'w', help: 'the watermark; none by default' },
    ...keyFlags,
    model: { value: 'DIR_OR_ID', help: 'the model; by default the embedded one' },
    'max-tokens': { value: 'N', help: 'length of the text; 200 by default' },
    temperature: { value: 'T', help: '1 by default' },
    'top-k': { value: 'K', help: 'sample from the K most probable tokens; 0 (the default): all' },
    'top-p': { value: 'P', help: 'sample from the most probable tokens of mass P; 1 by default' },
    seed: { value: 'S', help: 'the same seed gives the same text; fresh by default' },
    out: { value: 'FILE', short: 'o', help: 'write the text here and token ids to FILE.json' },
  },
  async run(input, output) {
    const file = input.flag('file')
    if (file !== undefined && input.words.length > 0)
      throw new UsageError('give the prompt as words or with --file, not both')
    const prompt = file === undefined ? input.words.join(' ') : (await readText(file)).replace(/\r?\n$/, '')
    if (prompt === '') throw new UsageError('no prompt: give it as words or with --file FILE')
    const out = input.flag('out')
    if (out !== undefined) for (const path of [out, `${out}.json`]) checkFolderOf(path)
    const id = input.flag('watermark')
    const watermark: AnyWatermark | undefined = id === undefined ? undefined : parseWatermark(id)
    const { key, warning } = watermark === undefined ? {} : readKey(input)
    const name = input.flag('model')
    if (name !== undefined) checkLocal('--model', name)
    const seed = input.flag('seed') ?? `${crypto.getRandomValues(new Uint32Array(1))[0]}`
    const sampling = {
      maxNewTokens: input.number('max-tokens') ?? 200,
      temperature: input.number('temperature') ?? 1,
      topK: input.number('top-k') ?? 0,
      topP: input.number('top-p') ?? 1,
      seed,
    }
    const { embeddedModel, generate: write, loadModel } = await import('../models/index.ts')
    const model = name === undefined ? await embeddedModel() : await loadModel(name)
    try {
      const [text] = await write(model, prompt, { ...sampling, watermark, key })
      const { tokens } = text!
      const { id: modelId, vocabSize } = model
      const facts = { watermark: watermark?.id ?? null, model: modelId, vocabSize, prompt }
      if (warning !== undefined) output.error(warning)
      if (out !== undefined) return save(out, text!.text, { ...facts, ...sampling, tokens }, output)
      show(text!.text, output)
      return 0
    } finally {
      await model.dispose()
    }
  },
}
