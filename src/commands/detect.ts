import { writeFileSync } from 'node:fs'
import { type Detection, detect as detectTokens } from '../detect/detect.ts'
import { lawFor } from '../detect/null-laws.ts'
import { type AnyWatermark, parseWatermark } from '../watermarks/index.ts'
import {
  type Command,
  checkFolderOf,
  coloured,
  type Input,
  keyFlags,
  readKey,
  readTextFile,
  UsageError,
} from './command.ts'
import { paintPage, paintTerminal, pieces } from './paint.ts'

/** Token ids with what a sidecar of `uwbench generate` says besides. */
interface Ids {
  readonly tokens: number[]
  readonly vocabSize?: number
  readonly watermark?: string
  readonly model?: string
}

/** Token ids from a sidecar of `uwbench generate`, a JSON list, or numbers separated by space or commas. */
function readIds(path: string, content: string): Ids {
  const text = content.trim()
  if (!/^[[{]/.test(text)) return { tokens: numbers(text, /[\s,]+/) }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${path}: not JSON: ${(error as Error).message}`)
  }
  const ids = Array.isArray(json) ? { tokens: json as number[] } : (json as Ids)
  if (!Array.isArray(ids.tokens)) throw new UsageError(`${path}: the JSON has no list \`tokens\``)
  return ids
}

const numbers = (text: string, separator: RegExp): number[] =>
  text
    .split(separator)
    .filter(Boolean)
    .map((part) => {
      if (!/^\d+$/.test(part)) throw new UsageError(`expected token ids, got '${part}'`)
      return Number(part)
    })

/** A text as token ids, and how to read them back. */
interface Text extends Ids {
  readonly vocabSize: number
  readonly decode: ((tokens: number[]) => string) | undefined
}

/** @param show whether the text is to be shown: token ids alone need no tokenizer */
async function readInputText(input: Input, show: boolean): Promise<Text> {
  const path = input.words[0] ?? '-'
  const content = readTextFile(path)
  const { loadTokenizer } = await import('../models/load-tokenizer.ts')
  const given = input.flag('tokenizer')
  const width = input.number('vocab-size')
  if (input.on('ids') || path.endsWith('.json')) {
    const ids = readIds(path, content)
    const name = given ?? (ids.model === 'uwbench-lm' ? 'embedded' : undefined)
    const needed = show || (width ?? ids.vocabSize) === undefined
    const known = name !== undefined && needed ? await loadTokenizer(name) : undefined
    const vocabSize = width ?? ids.vocabSize ?? known?.vocabSize
    if (vocabSize === undefined)
      throw new UsageError("token ids need --vocab-size N, the width of the model's logits")
    return { ...ids, vocabSize, decode: known?.tokenizer.decode }
  }
  const { tokenizer, vocabSize = width } = await loadTokenizer(given ?? 'embedded')
  if (vocabSize === undefined)
    throw new UsageError(`${given}: its config.json names no vocab_size; give --vocab-size N`)
  return { tokens: tokenizer.encode(content), vocabSize: width ?? vocabSize, decode: tokenizer.decode }
}

const probability = (d: Detection): string =>
  d.pValue > 1e-300 ? `${+d.pValue.toPrecision(3)}` : `10^${(d.logPValue / Math.LN10).toFixed(1)}`

/** The mean of a token's score without a watermark, where each token has one score. */
const meanScore = ({ detector }: AnyWatermark, vocabSize: number): number | undefined =>
  detector?.id === 'sum' && detector.nullLaw ? lawFor(detector.nullLaw, vocabSize).mean : undefined

export const detect: Command = {
  usage: "[FILE | -] --watermark 'synthid(layers=20)' --key-file K [--tokenizer DIR_OR_ID]",
  summary: 'Tests whether a text carries a watermark. Exit code 0: detected, 1: not, 2: usage.',
  words: 1,
  flags: {
    watermark: {
      value: 'ID',
      short: 'w',
      help: 'the watermark, as `uwbench list` prints it; a sidecar of generate names its own',
    },
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
    const page = input.flag('html')
    if (page !== undefined) checkFolderOf(page)
    const named = input.flag('watermark')
    const asked = named === undefined ? undefined : parseWatermark(named)
    const key = readKey(input)
    const alpha = input.number('alpha') ?? 0.01
    const skip = numbers(input.flag('skip') ?? '', /,/)
    const paint = coloured() && !input.on('json')
    const text = await readInputText(input, paint || page !== undefined)
    const watermark = asked ?? (text.watermark ? parseWatermark(text.watermark) : undefined)
    if (watermark === undefined)
      throw new UsageError("no watermark: give --watermark, such as 'synthid(layers=20)'")
    const { tokens, vocabSize, decode } = text
    const d = detectTokens(watermark, tokens, { key, vocabSize, alpha, runs: input.number('runs'), skip })
    const facts: [string, string][] = [
      ['watermark', watermark.id],
      ['decision', `${d.detected ? 'detected' : 'not detected'} at alpha = ${alpha}`],
      ['p-value', `${probability(d)}${d.exact ? '' : ' (a guaranteed bound)'}`],
      ['scored', `${d.scored} of ${tokens.length} tokens`],
      ['statistic', `${+d.statistic.toPrecision(6)}`],
    ]
    const centre = meanScore(watermark, vocabSize)
    const list = decode === undefined ? undefined : pieces(tokens, d.perToken, decode)
    if (page !== undefined) {
      if (list === undefined) throw new UsageError('--html needs --tokenizer to show the text of token ids')
      writeFileSync(page, paintPage('Watermark detection', facts, list, centre))
    }
    if (input.on('json')) {
      const perToken = Array.from(d.perToken, (score) => (Number.isNaN(score) ? null : score))
      console.log(JSON.stringify({ watermark: watermark.id, alpha, ...d, perToken }, null, 2))
    } else {
      for (const [name, value] of facts) console.log(`${name.padEnd(10)} ${value}`)
      if (list !== undefined && paint) console.log(`\n${paintTerminal(list, centre)}`)
    }
    return d.detected ? 0 : 1
  },
}
