/** Many texts: a line for each, then a summary. Files are streamed; memory does not grow with them. */
import { statSync } from 'node:fs'
import { type Entry, labelOf, recordOf, type TextOptions, textOfEntry } from '../corpus/entry.ts'
import { openSource, type Source } from '../corpus/source.ts'
import { detectTexts, type TextDetection } from '../detect/detect-many.ts'
import { integer } from '../input.ts'
import type { Tokenizer } from '../models/language-model.ts'
import { toPage } from '../report/page.ts'
import { counted } from '../report/sentence.ts'
import type { AnyWatermark } from '../watermarks/index.ts'
import { Calibration, LEVELS } from './calibration.ts'
import { type Input, UsageError } from './command.ts'
import type { DetectSettings } from './detect.ts'
import { lineWriter, type Tested } from './detect-lines.ts'
import { tryToWrite } from './files.ts'
import { numbers, watermarkNamed } from './ids.ts'
import { type Output, print, printJsonLine } from './output.ts'
import { tableToText } from './text-table.ts'
import { version } from './version.ts'

/** A text that waits to be tested. */
interface Pending {
  readonly entry: Entry
  readonly id: string | undefined
  readonly label: boolean | undefined
  readonly tokens: ArrayLike<number>
}

interface Read {
  readonly watermark: AnyWatermark
  readonly vocabSize: number
  readonly pending: Pending
}

/** Texts under one watermark and vocabulary. */
interface Batch {
  readonly watermark: AnyWatermark
  readonly vocabSize: number
  readonly texts: Pending[]
}

/** Texts and tokens that are tested together: enough to make what they share cheap. */
const MAX_BATCH = 256
const MAX_BATCH_TOKENS = 2 ** 17

/** Milliseconds between two lines of progress. */
const PROGRESS = 10_000

interface Files {
  readonly first: Source
  readonly files: readonly string[]
}

/** Reads what a record says of its watermark, vocabulary and model, and turns text into token ids. */
class Reader {
  readonly #input: Input
  readonly #asked: AnyWatermark | undefined
  readonly #named = new Map<string, AnyWatermark>()
  readonly #tokenizers = new Map<string, Promise<{ tokenizer: Tokenizer; vocabSize: number | undefined }>>()
  readonly #width: number | undefined
  readonly #options: TextOptions
  readonly #label: string | undefined
  readonly #positive: string | undefined

  constructor(input: Input, asked: AnyWatermark | undefined) {
    this.#input = input
    this.#asked = asked
    this.#options = { field: input.flag('field'), ids: input.on('ids') }
    this.#label = input.flag('label')
    this.#positive = input.flag('positive')
    this.#width = input.number('vocab-size')
  }

  #watermark(entry: Entry): AnyWatermark {
    if (this.#asked) return this.#asked
    const { watermark } = recordOf(entry)
    if (typeof watermark !== 'string')
      throw new UsageError(
        `${entry.where}: names no watermark; give --watermark, such as 'synthid(layers=20)'`,
      )
    const known = this.#named.get(watermark)
    if (known) return known
    const found = watermarkNamed(entry.where, watermark)
    this.#named.set(watermark, found)
    return found
  }

  async #tokenizer(entry: Entry) {
    const name = this.#input.flag('tokenizer') ?? 'embedded'
    const { loadTokenizer } = await import('../models/load-tokenizer.ts')
    const known = this.#tokenizers.get(name) ?? loadTokenizer(name)
    this.#tokenizers.set(name, known)
    const { tokenizer, vocabSize } = await known
    const width = this.#width ?? vocabSize
    if (width === undefined)
      throw new UsageError(`${entry.where}: ${name} names no vocabulary size; give --vocab-size N`)
    return { tokenizer, vocabSize: width }
  }

  /** Waits only for what a tokenizer must tell: a corpus of token ids is read without a promise for each text. */
  read(entry: Entry): Read | Promise<Read> {
    const watermark = this.#watermark(entry)
    const record = recordOf(entry)
    const label = this.#label === undefined ? undefined : labelOf(entry, this.#label, this.#positive)
    const id = typeof record.id === 'string' || typeof record.id === 'number' ? String(record.id) : undefined
    const text = textOfEntry(entry, this.#options)
    if (typeof text === 'string')
      return this.#tokenizer(entry).then(({ tokenizer, vocabSize }) => {
        const tokens = tokenizer.encode(text)
        return { watermark, vocabSize, pending: { entry, id, label, tokens } }
      })
    const pending = { entry, id, label, tokens: text }
    const own = record.vocabSize ?? record.vocab_size
    const vocabSize =
      this.#width ?? (typeof own === 'number' || typeof own === 'bigint' ? Number(own) : undefined)
    if (vocabSize !== undefined) return { watermark, vocabSize, pending }
    if (this.#input.flag('tokenizer'))
      return this.#tokenizer(entry).then(({ vocabSize }) => ({ watermark, vocabSize, pending }))
    throw new UsageError(`${entry.where}: token ids need --vocab-size N, the width of the model's logits`)
  }
}

/** Says now and then how far the run is. */
function progressOf(output: Output, files: readonly string[]) {
  const size = files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
  const began = Date.now()
  let last = began
  return (texts: number, tokens: number): void => {
    if (Date.now() - last < PROGRESS) return
    last = Date.now()
    const seconds = (last - began) / 1000
    const bytes = size > 0 ? ` of ${(size / 2 ** 20).toFixed(0)} MiB` : ''
    output.error(
      `${texts} texts${bytes}, ${(tokens / seconds / 1e6).toFixed(2)} million tokens per second, ${seconds.toFixed(0)} s`,
    )
  }
}

/** The errors of texts, as opposed to those of the program. */
const isAboutText = (error: unknown): error is Error =>
  error instanceof UsageError || error instanceof TypeError || error instanceof RangeError

class Run {
  readonly calibration: Calibration
  readonly #settings: DetectSettings
  readonly #skipInvalid: boolean
  readonly #labelled: boolean
  readonly #write: (tested: readonly Tested[]) => void
  readonly #warn: (message: string) => void
  invalid = 0
  tokens = 0
  readonly watermarks = new Set<string>()

  constructor(input: Input, output: Output, settings: DetectSettings) {
    this.#settings = settings
    this.#skipInvalid = input.on('skip-invalid')
    this.#labelled = input.flag('label') !== undefined
    this.calibration = new Calibration(settings.alpha, lengthsOf(input))
    this.#write = lineWriter(input, output, this.#labelled)
    this.#warn = (message) => output.error(message)
  }

  /** Leaves a text out where the user said so, with a word about the first of them. */
  leaveOut(error: unknown): void {
    if (!this.#skipInvalid || !isAboutText(error)) throw error
    if (this.invalid++ === 0) this.#warn(`left out: ${error.message}`)
  }

  /** Tests a batch, in threads where there are some; `write` what comes of it in the order of the texts. */
  async test({ watermark, vocabSize, texts }: Batch): Promise<(TextDetection | undefined)[]> {
    const { key, alpha, runs, skip, pool, module } = this.#settings
    // permutation tests choose their runs by the level: with labels the lowest of the table counts
    const level = this.#labelled ? Math.min(alpha, ...LEVELS) : alpha
    const options = { key, vocabSize, alpha: level, runs, skip }
    const test = (some: readonly Pending[]) =>
      detectTexts(
        watermark,
        some.map(({ tokens }) => tokens),
        options,
      )
    const each = () =>
      texts.map((text) => {
        try {
          return test([text])[0]!
        } catch (error) {
          const { message } = error as Error
          const named = Object.assign(error as Error, {
            message: message.startsWith('texts[0]')
              ? `${text.entry.where}${message.slice('texts[0]'.length)}`
              : message,
          })
          this.leaveOut(named)
          return undefined
        }
      })
    try {
      if (!pool) return test(texts)
      const own = module === undefined ? {} : { module }
      const tokens = texts.map((text) => text.tokens)
      return await pool.test(watermark, tokens, { ...options, ...own })
    } catch (error) {
      if (!isAboutText(error)) throw error
      return each()
    }
  }

  /** Writes the outcomes of a batch. */
  write({ watermark, texts }: Batch, outcomes: readonly (TextDetection | undefined)[]): void {
    const { alpha } = this.#settings
    this.watermarks.add(watermark.id)
    const tested: Tested[] = []
    for (const [i, { entry, id, label, tokens }] of texts.entries()) {
      const d = outcomes[i]
      if (d === undefined) continue
      const { pValue, logPValue, scored } = d
      const detected = logPValue <= Math.log(alpha)
      this.tokens += tokens.length
      this.calibration.add({ logP: logPValue, detected, length: tokens.length, label })
      const { where, line } = entry
      const found = { pValue, logPValue, detected, scored, length: tokens.length }
      tested.push({ where, line, id, label, watermark: watermark.id, ...found })
    }
    this.#write(tested)
  }
}

function lengthsOf(input: Input): number[] {
  const limits = numbers('--lengths', input.flag('lengths') ?? '50,100,200,400', /,/)
  for (const [i, limit] of limits.entries()) integer('--lengths', limit, (limits[i - 1] ?? 0) + 1)
  return limits
}

/** Reads all files into batches of one watermark and vocabulary each, and tests them. */
async function testAll(
  run: Run,
  reader: Reader,
  { first, files }: Files,
  format: string | undefined,
  report: (texts: number, tokens: number) => void,
  ahead: () => number,
): Promise<void> {
  let batch: Batch | undefined
  let size = 0
  // batches under way, in order: a few more than there are threads
  const running: { batch: Batch; outcomes: ReturnType<Run['test']> }[] = []
  const settle = async (most: number): Promise<void> => {
    while (running.length > most) {
      const { batch, outcomes } = running.shift()!
      run.write(batch, await outcomes)
      report(run.calibration.texts, run.tokens)
    }
  }
  const flush = async (): Promise<void> => {
    if (batch) {
      const outcomes = run.test(batch)
      outcomes.catch(() => {}) // heard in its turn
      running.push({ batch, outcomes })
    }
    batch = undefined
    size = 0
    await settle(ahead())
  }
  for (const [i, file] of files.entries()) {
    const source = i === 0 ? first : await openSource(file, format)
    for await (const entry of source.entries(true)) {
      try {
        const read = reader.read(entry)
        const { watermark, vocabSize, pending } = read instanceof Promise ? await read : read
        if (batch && (batch.watermark !== watermark || batch.vocabSize !== vocabSize)) await flush()
        batch ??= { watermark, vocabSize, texts: [] }
        batch.texts.push(pending)
        size += pending.tokens.length
      } catch (error) {
        run.leaveOut(error)
      }
      if (batch && (batch.texts.length >= MAX_BATCH || size >= MAX_BATCH_TOKENS)) await flush()
    }
  }
  await flush()
  await settle(0)
}

/** Tests the texts of files; returns 0 if at least one is detected. */
export async function detectMany(
  input: Input,
  output: Output,
  files: Files,
  settings: DetectSettings,
): Promise<number> {
  if (input.on('json') && input.on('csv')) throw new UsageError('give --json or --csv, not both')
  if (input.flag('positive') !== undefined && input.flag('label') === undefined)
    throw new UsageError('--positive needs --label, the column that it is about')
  const run = new Run(input, output, settings)
  const reader = new Reader(input, settings.asked)
  const { pool } = settings
  const ahead = (): number => (pool ? 2 * pool.size : 0)
  await testAll(run, reader, files, input.flag('format'), progressOf(output, files.files), ahead)
  await pool?.finish?.()
  const { calibration } = run
  if (calibration.texts === 0)
    throw new UsageError(
      `${files.first.name}: expected texts, found none${run.invalid > 0 ? ' that can be tested' : ''}`,
    )
  const watermark = [...run.watermarks].join(', ')
  const report = calibration.report({ watermark, files: files.files, uwbench: version() })
  const left = run.invalid > 0 ? `\nleft out ${counted(run.invalid, 'text')} that cannot be tested` : ''
  const summary = `${calibration.sentence()}${left}\n\n${report.tables.map(tableToText).join('\n\n')}`
  if (settings.warning !== undefined) output.error(settings.warning)
  if (input.on('json')) {
    const { alpha } = settings
    const { texts, detected } = calibration
    printJsonLine(output, {
      summary: { watermark, alpha, texts, detected, invalid: run.invalid, tables: report.tables },
    })
  } else if (input.on('csv')) for (const line of summary.split('\n')) output.error(line)
  else print(output, `${input.on('summary') ? '' : '\n'}${summary}`)
  const problem =
    settings.page === undefined
      ? undefined
      : tryToWrite([
          [
            settings.page,
            toPage([report], { title: 'Watermark detection', lead: report.summary[0]!, files: false }),
          ],
        ])
  if (problem === undefined) return calibration.detected > 0 ? 0 : 1
  output.error(`uwbench: ${problem}`)
  return 3
}
