import { type Detection, detect as detectTokens } from '../detect/detect.ts'
import { lawFor } from '../detect/null-laws.ts'
import { type AnyWatermark, parseWatermark } from '../watermarks/index.ts'
import { type Command, type Input, UsageError } from './command.ts'
import { checkFolderOf, readText, tryToWrite } from './files.ts'
import { type Ids, numbers, readIds } from './ids.ts'
import { keyFlags, readKey } from './key.ts'
import { checkLocal } from './local.ts'
import { print, printJson } from './output.ts'
import { paintPage, paintTerminal, pieces } from './paint.ts'

/** A text as token ids, and how to read them back. */
interface Text extends Ids {
  readonly vocabSize: number
  readonly decode: ((tokens: number[]) => string) | undefined
}

/** @param show whether the text is to be shown: token ids alone need no tokenizer */
async function readInputText(input: Input, show: boolean): Promise<Text> {
  const path = input.words[0] ?? '-'
  const content = readText(path)
  const { loadTokenizer } = await import('../models/load-tokenizer.ts')
  const given = input.flag('tokenizer')
  if (given !== undefined) checkLocal('--tokenizer', given)
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
  if (content === '')
    throw new UsageError(`${path === '-' ? 'standard input' : path}: expected a text, found none`)
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
  summary: 'Tests whether a text carries a watermark. Exit code 0: detected, 1: not.',
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
  async run(input, output) {
    const page = input.flag('html')
    if (page !== undefined) checkFolderOf(page)
    const named = input.flag('watermark')
    const asked = named === undefined ? undefined : parseWatermark(named)
    const { key, warning } = readKey(input)
    const alpha = input.number('alpha') ?? 0.01
    const runs = input.number('runs')
    const skip = numbers('--skip', input.flag('skip') ?? '', /,/)
    const paint = output.colours && !input.on('json')
    const text = await readInputText(input, paint || page !== undefined)
    const watermark = asked ?? text.watermark
    if (watermark === undefined)
      throw new UsageError("no watermark: give --watermark, such as 'synthid(layers=20)'")
    const { tokens, vocabSize, decode } = text
    if (page !== undefined && decode === undefined)
      throw new UsageError('--html needs --tokenizer to show the text of token ids')
    const d = detectTokens(watermark, tokens, { key, vocabSize, alpha, runs, skip })
    const facts: [string, string][] = [
      ['watermark', watermark.id],
      ['decision', `${d.detected ? 'detected' : 'not detected'} at alpha = ${alpha}`],
      [
        'p-value',
        `${probability(d)}${!d.guaranteed ? ' (not guaranteed)' : d.exact ? '' : ' (a guaranteed bound)'}`,
      ],
      ['scored', `${d.scored} of ${tokens.length} tokens`],
      ['statistic', `${+d.statistic.toPrecision(6)}`],
    ]
    const centre = meanScore(watermark, vocabSize)
    const list = decode === undefined ? [] : pieces(tokens, d.perToken, decode)
    if (warning !== undefined) output.error(warning)
    if (input.on('json')) {
      const perToken = Array.from(d.perToken, (score) => (Number.isNaN(score) ? null : score))
      printJson(output, { watermark: watermark.id, alpha, ...d, perToken })
    } else {
      print(output, facts.map(([name, value]) => `${name.padEnd(10)} ${value}`).join('\n'))
      if (decode !== undefined && paint) output.raw(`\n${paintTerminal(list, centre)}\n`)
    }
    const problem =
      page === undefined
        ? undefined
        : tryToWrite([[page, paintPage('Watermark detection', facts, list, centre)]])
    if (problem === undefined) return d.detected ? 0 : 1
    output.error(`uwbench: ${problem}`)
    return 3
  },
}
