/** One text: its verdict, with the text coloured by its scores. */
import {
  type DetectAnyOptions,
  type Detection,
  detectAny,
  meanScore,
  pieces,
} from '../../core/detect/index.ts'
import { normalise } from '../../text/attacks/index.ts'
import type { Source } from '../../text/corpus/index.ts'
import { tokensNeeded } from '../../theory/index.ts'
import type { AnyWatermark } from '../../watermarks/index.ts'
import { type Input, UsageError } from './command.ts'
import type { DetectSettings } from './detect.ts'
import { readBytes, statOf, tryToWrite } from './files.ts'
import { type Ids, readIds, watermarkNamed } from './ids.ts'
import type { Key } from './key.ts'
import { printMessage } from './message.ts'
import { type Output, print, printJson } from './output.ts'
import { legend, paintPage, paintTerminal } from './paint.ts'
import { tokenizerOf } from './tokenizer.ts'

/** A text as token ids, and how to read them back. */
interface Text extends Ids {
  readonly vocabSize: number
  /** The source of the token ids, if not the file that was named. */
  readonly from?: string
  readonly decode: ((tokens: number[]) => string) | undefined
}

/** Reads the token ids that `generate --out` wrote beside a text: encoding a text again may give other ones. */
function idsBeside({ path }: Source): (Ids & { file: string }) | undefined {
  const file = `${path}.json`
  if (path === '-' || !statOf(file)?.isFile()) return undefined
  try {
    return { ...readIds(file, Buffer.from(readBytes(file)).toString('utf8')), file }
  } catch {
    return undefined // another file that happens to have this name
  }
}

/** Refuses --normalise for token ids, which have no characters. */
export function refuseNormalise(input: Input, where: string): void {
  if (input.on('normalise'))
    throw new UsageError(
      `${where}: --normalise needs text, found token ids; name the column of the text with --field`,
    )
}

/** @param show whether the text is to be shown: token ids alone need no tokenizer */
async function readInputText(input: Input, source: Source, show: boolean): Promise<Text> {
  const content = await source.content()
  const { loadTokenizer } = await import('../../text/models/index.ts')
  const given = input.flag('tokenizer')
  const width = input.number('vocab-size')
  if (input.on('ids') || source.format === 'json') {
    refuseNormalise(input, source.name)
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
  const beside = given === undefined ? idsBeside(source) : undefined
  const { tokenizer, vocabSize } = await tokenizerOf(input)
  const text = { vocabSize, decode: tokenizer.decode }
  const read = input.on('normalise') ? normalise(content) : content
  if (beside?.model !== 'uwbench-lm') return { ...text, tokens: tokenizer.encode(read) }
  const edited = tokenizer.decode(beside.tokens).trim() !== content.trim()
  return edited
    ? { ...text, tokens: tokenizer.encode(read), from: `the text, which is not the one of ${beside.file}` }
    : { ...text, ...beside, vocabSize, from: `the token ids of ${beside.file}` }
}

/** Prints a p-value; below what a number can hold, as a power of ten. */
export const probability = ({ pValue, logPValue }: Pick<Detection, 'pValue' | 'logPValue'>): string =>
  pValue > 1e-300 ? `${+pValue.toPrecision(3)}` : `10^${(logPValue / Math.LN10).toFixed(1)}`

/** Warns once of a key that can be guessed, or that has a newline at its end. */
export function warnOfKeys(keys: readonly Key[], watermark: AnyWatermark | undefined, output: Output): void {
  const warning = keys.map((key) => key.warning(watermark)).find((line) => line !== undefined)
  if (warning !== undefined) output.error(warning)
}

/** Tests a text under all keys. Of several, returns the test of the most evident one, corrected for their number, and its file. */
function testKeys(
  watermark: AnyWatermark,
  keys: readonly Key[],
  tokens: readonly number[],
  options: DetectAnyOptions,
): { d: Detection; file?: string } {
  const secrets = keys.map(({ key }) => key)
  const { candidates, guaranteed } = detectAny([watermark], secrets, tokens, options)
  const { detection, keyIndex, pValue, logPValue, detected } = candidates[0]!
  if (keys.length === 1) return { d: detection }
  const d = { ...detection, pValue, logPValue, detected, guaranteed, exact: false }
  return { d, file: keys[keyIndex]!.file! }
}

/** Estimates the scored tokens that nine of ten texts need, where each token is one of eight equally likely ones (two nats). */
function lengthNeeded(watermark: AnyWatermark, alpha: number): number | undefined {
  try {
    const needed = tokensNeeded(watermark, new Float64Array(8).fill(1 / 8), alpha, 0.9)
    return needed.applicable && Number.isFinite(needed.high) ? needed.high : undefined
  } catch {
    return undefined // your own watermark may not take eight tokens; the decision does not rest on this
  }
}

/** Says whether a text is detected; of one that is too short, that nothing can be told. */
function decisionOf(watermark: AnyWatermark, { detected, scored }: Detection, alpha: number): string {
  if (detected) return `detected at alpha = ${alpha}`
  const needed = lengthNeeded(watermark, alpha)
  if (needed === undefined || scored >= needed) return `not detected at alpha = ${alpha}`
  const short = scored === 1 ? '1 scored token is' : `${scored} scored tokens are`
  return `not detected: ${short} too few to tell; about ${needed} are needed at alpha = ${alpha}`
}

/** Returns the exit code: 0 if the text is detected. */
export async function detectOne(
  input: Input,
  output: Output,
  source: Source,
  settings: DetectSettings,
): Promise<number> {
  const { asked, keys, alpha, runs, skip, page } = settings
  const paint = output.colours && !input.on('json')
  const text = await readInputText(input, source, paint || page !== undefined)
  const watermark =
    asked ?? (text.watermark === undefined ? undefined : watermarkNamed(source.name, text.watermark))
  if (watermark === undefined)
    throw new UsageError("no watermark: give --watermark, such as 'synthid(layers=20)'")
  const { tokens, vocabSize, decode, prompt = settings.prompt } = text
  const options = { vocabSize, alpha, skip, ...(prompt && { prompt }) }
  if (input.on('decode')) {
    warnOfKeys(keys, watermark, output)
    if (keys.length > 1) throw new UsageError('--decode reads a message under one key: give one --key-file')
    if (page !== undefined) throw new UsageError('--html shows the scores of --watermark: leave out --decode')
    return printMessage(input, output, watermark, tokens, { key: keys[0].key, ...options })
  }
  if (page !== undefined && decode === undefined)
    throw new UsageError('--html needs --tokenizer to show the text of token ids')
  const { d, file } = testKeys(watermark, keys, tokens, { ...options, runs })
  warnOfKeys(keys, watermark, output)
  const facts: [string, string][] = [
    ['watermark', watermark.id],
    ['decision', decisionOf(watermark, d, alpha)],
    [
      'p-value',
      `${probability(d)}${!d.guaranteed ? ' (not guaranteed)' : d.exact ? '' : ' (a guaranteed bound)'}`,
    ],
    ...(file === undefined ? [] : [['key', file] as [string, string]]),
    ['scored', `${d.scored} of ${tokens.length} tokens`],
    ['statistic', `${+d.statistic.toPrecision(6)}`],
    ...(text.from === undefined ? [] : [['read', text.from] as [string, string]]),
  ]
  const centre = meanScore(watermark, vocabSize)
  const list = decode === undefined ? [] : pieces(tokens, d.perToken, decode)
  if (input.on('json')) {
    const perToken = Array.from(d.perToken, (score) => (Number.isNaN(score) ? null : score))
    printJson(output, {
      watermark: watermark.id,
      alpha,
      ...(file !== undefined && { key: file }),
      ...d,
      perToken,
    })
  } else {
    print(output, facts.map(([name, value]) => `${name.padEnd(10)} ${value}`).join('\n'))
    if (decode !== undefined && paint) output.raw(`\n${paintTerminal(list, centre)}\n\n${legend}\n`)
  }
  const toPage = () => paintPage('Watermark detection', facts, list, centre)
  return exitCode(d.detected, output, page, toPage)
}

/** Writes the page, where one is asked for. Returns 0 if something was detected, 1 if not, 3 if the page could not be written. */
export function exitCode(
  detected: boolean,
  output: Output,
  page: string | undefined,
  toPage: () => string,
): number {
  const problem = page === undefined ? undefined : tryToWrite([[page, toPage()]])
  if (problem === undefined) return detected ? 0 : 1
  output.error(`uwbench: ${problem}`)
  return 3
}
