import { writeFileSync } from 'node:fs'
import { type Detection, detect as detectTokens } from '../detect/detect.ts'
import { parseWatermark } from '../watermarks/index.ts'
import { type Command, type Input, keyFlags, readKey, readTextFile, UsageError } from './command.ts'
import { paintPage, paintTerminal, pieces } from './paint.ts'

/** A text as token ids, and how to read them back. */
interface Text {
  readonly tokens: number[]
  readonly vocabSize: number
  readonly decode: ((tokens: number[]) => string) | undefined
}

/** Token ids from a sidecar of `uwbench generate`, a JSON list, or numbers separated by space or commas. */
function readIds(content: string): { tokens: number[]; vocabSize?: number } {
  const text = content.trim()
  if (/^[[{]/.test(text)) {
    const json: unknown = JSON.parse(text)
    if (Array.isArray(json)) return { tokens: json as number[] }
    const { tokens, vocabSize } = json as { tokens?: number[]; vocabSize?: number }
    if (!Array.isArray(tokens)) throw new UsageError('the JSON has no list `tokens`')
    return { tokens, vocabSize }
  }
  return {
    tokens: text
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(Number),
  }
}

async function readInputText(input: Input): Promise<Text> {
  const path = input.words[0] ?? '-'
  const content = readTextFile(path)
  const { loadTokenizer } = await import('../models/load-tokenizer.ts')
  const name = input.flag('tokenizer')
  if (input.on('ids') || path.endsWith('.json')) {
    const { tokens, vocabSize = input.number('vocab-size') } = readIds(content)
    const known = name === undefined ? undefined : await loadTokenizer(name)
    const size = vocabSize ?? known?.vocabSize
    if (size === undefined)
      throw new UsageError("token ids need --vocab-size N, the width of the model's logits")
    return { tokens, vocabSize: size, decode: known?.tokenizer.decode }
  }
  const { tokenizer, vocabSize } = await loadTokenizer(name ?? 'embedded')
  const size = input.number('vocab-size') ?? vocabSize
  if (size === undefined)
    throw new UsageError(`${name}: its config.json names no vocab_size; give --vocab-size N`)
  return { tokens: tokenizer.encode(content), vocabSize: size, decode: tokenizer.decode }
}

const probability = (d: Detection): string =>
  d.pValue > 1e-300 ? `${+d.pValue.toPrecision(3)}` : `10^${(d.logPValue / Math.LN10).toFixed(1)}`

export const detect: Command = {
  usage: "[FILE | -] --watermark 'synthid(layers=20)' --key-file K [--tokenizer DIR_OR_ID]",
  summary: 'Tests whether a text carries a watermark. Exit code 0: detected, 1: not, 2: usage.',
  flags: {
    watermark: { value: 'ID', short: 'w', help: 'the watermark, as `uwbench list` prints it' },
    ...keyFlags,
    tokenizer: { value: 'DIR_OR_ID', help: "the tokenizer; by default the embedded model's" },
    ids: { help: 'the input is token ids (a .json file always is)' },
    'vocab-size': { value: 'N', help: "width of the model's logits" },
    alpha: { value: 'A', help: 'level of the decision; 0.01 by default' },
    runs: { value: 'N', help: 'runs of a permutation test' },
    skip: { value: 'IDS', help: 'special token ids that are not scored, separated by commas' },
    json: { help: 'print JSON' },
    html: { value: 'FILE', help: 'also write a page with the coloured text' },
  },
  async run(input) {
    const id = input.flag('watermark')
    if (id === undefined) throw new UsageError("no watermark: give --watermark, such as 'synthid(layers=20)'")
    const watermark = parseWatermark(id)
    const key = readKey(input)
    const { tokens, vocabSize, decode } = await readInputText(input)
    const alpha = input.number('alpha') ?? 0.01
    const skip = input.flag('skip')?.split(',').map(Number)
    const d = detectTokens(watermark, tokens, { key, vocabSize, alpha, runs: input.number('runs'), skip })
    const facts: [string, string][] = [
      ['watermark', watermark.id],
      ['decision', `${d.detected ? 'detected' : 'not detected'} at alpha = ${alpha}`],
      ['p-value', `${probability(d)}${d.exact ? '' : ' (a guaranteed bound)'}`],
      ['scored', `${d.scored} of ${tokens.length} tokens`],
      ['statistic', `${+d.statistic.toPrecision(6)}`],
    ]
    const list = decode === undefined ? undefined : pieces(tokens, d.perToken, decode)
    const page = input.flag('html')
    if (page !== undefined) {
      if (list === undefined) throw new UsageError('--html needs --tokenizer to show the text of token ids')
      writeFileSync(page, paintPage('Watermark detection', facts, list))
    }
    if (input.on('json')) {
      const perToken = Array.from(d.perToken, (score) => (Number.isNaN(score) ? null : score))
      console.log(JSON.stringify({ watermark: watermark.id, alpha, ...d, perToken }, null, 2))
    } else {
      for (const [name, value] of facts) console.log(`${name.padEnd(10)} ${value}`)
      if (list !== undefined && process.stdout.isTTY && !process.env.NO_COLOR)
        console.log(`\n${paintTerminal(list)}`)
    }
    return d.detected ? 0 : 1
  },
}
