import { writeFileSync } from 'node:fs'
import { type AnyWatermark, parseWatermark } from '../watermarks/index.ts'
import { type Command, checkFolderOf, keyFlags, readKey, readTextFile, UsageError } from './command.ts'

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
  async run(input) {
    const file = input.flag('file')
    const prompt = file === undefined ? input.words.join(' ') : readTextFile(file).replace(/\r?\n$/, '')
    if (prompt === '') throw new UsageError('no prompt: give it as words or with --file FILE')
    const out = input.flag('out')
    if (out !== undefined) checkFolderOf(out)
    const id = input.flag('watermark')
    const watermark: AnyWatermark | undefined = id === undefined ? undefined : parseWatermark(id)
    const key = watermark === undefined ? undefined : readKey(input)
    const { embeddedModel, generate: write, loadModel } = await import('../models/index.ts')
    const name = input.flag('model')
    const model = name === undefined ? await embeddedModel() : await loadModel(name)
    const seed = input.flag('seed') ?? `${crypto.getRandomValues(new Uint32Array(1))[0]}`
    const sampling = {
      maxNewTokens: input.number('max-tokens') ?? 200,
      temperature: input.number('temperature') ?? 1,
      topK: input.number('top-k') ?? 0,
      topP: input.number('top-p') ?? 1,
      seed,
    }
    try {
      const [text] = await write(model, prompt, { ...sampling, watermark, key })
      if (out === undefined) process.stdout.write(`${text!.text}\n`)
      else {
        const { tokens } = text!
        const sidecar = {
          watermark: watermark?.id ?? null,
          model: model.id,
          vocabSize: model.vocabSize,
          prompt,
          ...sampling,
          tokens,
        }
        writeFileSync(out, text!.text)
        const json = JSON.stringify(sidecar, null, 1).replace(/\[[\s\d,]+\]/, (list) =>
          list.replace(/\s+/g, ' '),
        )
        writeFileSync(`${out}.json`, `${json}\n`)
        console.error(`wrote ${out} and ${out}.json (${tokens.length} tokens)`)
      }
    } finally {
      await model.dispose()
    }
    return 0
  },
}
