/** One text: its verdict, with the text coloured by its scores. */
import type { Source } from '../corpus/source.ts'
import { type Detection, detect as detectTokens } from '../detect/detect.ts'
import { meanScore, pieces } from '../detect/pieces.ts'
import { type Input, UsageError } from './command.ts'
import type { DetectSettings } from './detect.ts'
import { tryToWrite } from './files.ts'
import { type Ids, readIds, watermarkNamed } from './ids.ts'
import { type Output, print, printJson } from './output.ts'
import { legend, paintPage, paintTerminal } from './paint.ts'

/** A text as token ids, and how to read them back. */
interface Text extends Ids {
  readonly vocabSize: number
  readonly decode: ((tokens: number[]) => string) | undefined
}

/** @param show whether the text is to be shown: token ids alone need no tokenizer */
async function readInputText(input: Input, source: Source, show: boolean): Promise<Text> {
  const content = await source.content()
  const { loadTokenizer } = await import('../models/load-tokenizer.ts')
  const given = input.flag('tokenizer')
  const width = input.number('vocab-size')
  if (input.on('ids') || source.format === 'json') {
    const ids = readIds(source.path, content)
    const name = given ?? (ids.model === 'uwbench-lm' ? 'embedded' : undefined)
    const needed = show || (width ?? ids.vocabSize) === undefined
    const known = name !== undefined && needed ? await loadTokenizer(name) : undefined
    const vocabSize = width ?? ids.vocabSize ?? known?.vocabSize
    if (vocabSize === undefined)
      throw new UsageError("token ids need --vocab-size N, the width of the model's logits")
    return { ...ids, vocabSize, decode: known?.tokenizer.decode }
  }
  if (content === '') throw new UsageError(`${source.name}: expected a text, found none`)
  const { tokenizer, vocabSize = width } = await loadTokenizer(given ?? 'embedded')
  if (vocabSize === undefined)
    throw new UsageError(`${given}: its config.json names no vocab_size; give --vocab-size N`)
  return { tokens: tokenizer.encode(content), vocabSize: width ?? vocabSize, decode: tokenizer.decode }
}

/** A p-value; below what a number can hold, as a power of ten. */
export const probability = ({ pValue, logPValue }: Pick<Detection, 'pValue' | 'logPValue'>): string =>
  pValue > 1e-300 ? `${+pValue.toPrecision(3)}` : `10^${(logPValue / Math.LN10).toFixed(1)}`

/** Returns the exit code: 0 if the text is detected. */
export async function detectOne(
  input: Input,
  output: Output,
  source: Source,
  settings: DetectSettings,
): Promise<number> {
  const { asked, key, warning, alpha, runs, skip, page } = settings
  const paint = output.colours && !input.on('json')
  const text = await readInputText(input, source, paint || page !== undefined)
  const watermark =
    asked ?? (text.watermark === undefined ? undefined : watermarkNamed(source.name, text.watermark))
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
    if (decode !== undefined && paint) output.raw(`\n${paintTerminal(list, centre)}\n\n${legend}\n`)
  }
  const problem =
    page === undefined
      ? undefined
      : tryToWrite([[page, paintPage('Watermark detection', facts, list, centre)]])
  if (problem === undefined) return d.detected ? 0 : 1
  output.error(`uwbench: ${problem}`)
  return 3
}
