/** Many texts: a line for each, then a summary. Files are streamed; memory does not grow with them. */

import { inOrder, isFull, packageVersion as version } from '../../bench/cells/index.ts'
import { counted, levels, toPage } from '../../bench/report/index.ts'
import { detectTexts, type TextDetection } from '../../core/detect/index.ts'
import { logDiscoveryLevel } from '../../core/stats/index.ts'
import { integer } from '../../input.ts'
import { normalise } from '../../text/attacks/index.ts'
import {
  type Entry,
  labelOf,
  openSource,
  recordOf,
  type Source,
  type TextOptions,
  textOfEntry,
} from '../../text/corpus/index.ts'
import type { AnyWatermark } from '../../watermarks/index.ts'
import { Calibration } from './calibration.ts'
import { type Input, UsageError } from './command.ts'
import type { DetectSettings } from './detect.ts'
import { lineWriter, type Tested } from './detect-lines.ts'
import { exitCode, refuseNormalise, warnOfKeys } from './detect-one.ts'
import { statOf } from './files.ts'
import { numbers, promptIds, watermarkNamed } from './ids.ts'
import type { Key } from './key.ts'
import { type Output, print, printJsonLine } from './output.ts'
import { tableToText } from './text-table.ts'
import { type Sized, tokenizerOf } from './tokenizer.ts'

/** A text that waits to be tested. */
interface Pending {
  readonly entry: Entry
  readonly id: string | undefined
  readonly label: boolean | undefined
  readonly tokens: ArrayLike<number>
  /** The tokens before it, where it has a prompt of its own. */
  readonly prompt: ArrayLike<number> | undefined
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

/** Milliseconds between two lines of progress. */
const PROGRESS = 10_000

interface Files {
  readonly first: Source
  readonly files: readonly string[]
}

/** Returns a function that reads what a record says of its watermark and vocabulary, and turns text into token ids. */
export function readerOf(
  input: Input,
  asked: AnyWatermark | undefined,
): (entry: Entry) => Read | Promise<Read> {
  const named = new Map<string, AnyWatermark>()
  const options: TextOptions = { field: input.flag('field'), ids: input.on('ids') }
  const [labels, positive, width] = [input.flag('label'), input.flag('positive'), input.number('vocab-size')]
  const plain = input.on('normalise') ? normalise : (text: string) => text
  let loaded: Promise<Sized> | undefined

  const watermarkOf = (entry: Entry): AnyWatermark => {
    const { watermark } = recordOf(entry)
    if (typeof watermark !== 'string')
      throw new UsageError(
        `${entry.where}: names no watermark; give --watermark, such as 'synthid(layers=20)'`,
      )
    const found = named.get(watermark) ?? watermarkNamed(entry.where, watermark)
    named.set(watermark, found)
    return found
  }
  const tokenizer = (): Promise<Sized> => {
    loaded ??= tokenizerOf(input)
    return loaded
  }
  // waits only for a tokenizer: a corpus of token ids is read without a promise for each text
  return (entry) => {
    const watermark = asked ?? watermarkOf(entry)
    const record = recordOf(entry)
    const label = labels === undefined ? undefined : labelOf(entry, labels, positive)
    const id = typeof record.id === 'string' || typeof record.id === 'number' ? String(record.id) : undefined
    const text = textOfEntry(entry, options)
    const ids = promptIds(entry.where, record)
    if (typeof text === 'string')
      return tokenizer().then(({ tokenizer: { encode }, vocabSize }) => {
        const prompt = ids ?? (typeof record.prompt === 'string' ? encode(record.prompt) : undefined)
        return { watermark, vocabSize, pending: { entry, id, label, tokens: encode(plain(text)), prompt } }
      })
    refuseNormalise(input, entry.where)
    const pending = { entry, id, label, tokens: text, prompt: ids }
    const own = record.vocabSize ?? record.vocab_size
    const vocabSize = width ?? (typeof own === 'number' || typeof own === 'bigint' ? Number(own) : undefined)
    if (vocabSize !== undefined) return { watermark, vocabSize, pending }
    if (input.flag('tokenizer'))
      return tokenizer().then(({ vocabSize }) => ({ watermark, vocabSize, pending }))
    throw new UsageError(`${entry.where}: token ids need --vocab-size N, the width of the model's logits`)
  }
}

/** Prints a line of progress now and then. */
function progressOf(output: Output, files: readonly string[]) {
  const size = files.reduce((sum, file) => sum + (statOf(file)?.size ?? 0), 0)
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

/** Returns whether an error is about a text, and not about the program. */
const isAboutText = (error: unknown): error is Error =>
  error instanceof UsageError || error instanceof TypeError || error instanceof RangeError

/** The outcome of a text, under the key with the smallest p-value. */
type Outcome = TextDetection & { readonly key?: string }

/** Of several keys, keeps the smallest p-value of each text times their number (Holm's first step), and the key's file. */
function bestOf(outcomes: readonly (readonly TextDetection[])[], keys: readonly Key[]): Outcome[] {
  if (outcomes.length === 1) return [...outcomes[0]!]
  return outcomes[0]!.map((_, text) => {
    const best = outcomes
      .map((all, i) => ({ ...all[text]!, key: keys[i]!.file! }))
      .reduce((a, b) => (b.logPValue < a.logPValue ? b : a))
    const logPValue = Math.min(0, best.logPValue + Math.log(keys.length))
    return { ...best, logPValue, pValue: Math.exp(logPValue) }
  })
}

class Run {
  readonly calibration: Calibration
  readonly #settings: DetectSettings
  /** Batches with their outcomes, kept until all texts are tested, where a false discovery rate is asked for. */
  readonly #kept: [Batch, readonly (Outcome | undefined)[]][] = []
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
    this.#write = lineWriter(input, output, { labelled: this.#labelled, keys: settings.keys.length > 1 })
    this.#warn = (message) => output.error(message)
  }

  /** Leaves a text out where the user asked for that, and warns of the first. */
  leaveOut(error: unknown): void {
    if (!this.#skipInvalid || !isAboutText(error)) throw error
    if (this.invalid++ === 0) this.#warn(`left out: ${error.message}`)
  }

  /** Tests a batch, in threads where there are some. */
  async test({ watermark, vocabSize, texts }: Batch): Promise<(Outcome | undefined)[]> {
    const { keys, alpha, runs, skip, pool, module, prompt } = this.#settings
    // permutation tests choose their runs by the level: with labels the lowest of the table counts
    const level = this.#labelled ? Math.min(alpha, ...levels.map(({ rate }) => rate)) : alpha
    const options = { vocabSize, alpha: level / keys.length, runs, skip }
    const test = (some: readonly Pending[]) => {
      const all = some.map(({ tokens }) => tokens)
      const prompts = some.map((text) => text.prompt ?? prompt)
      return bestOf(
        keys.map(({ key }) => detectTexts(watermark, all, { ...options, key }, prompts)),
        keys,
      )
    }
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
      // threads and workers are sent texts without prompts
      const prompted = watermark.context.seesPrompt && texts.some((text) => text.prompt ?? prompt)
      if (!pool || prompted) return test(texts)
      const own = module === undefined ? {} : { module }
      const tokens = texts.map((text) => text.tokens)
      const outcomes: TextDetection[][] = []
      for (const { key } of keys)
        outcomes.push(await pool.test(watermark, tokens, { ...options, ...own, key }))
      return bestOf(outcomes, keys)
    } catch (error) {
      if (!isAboutText(error)) throw error
      return each()
    }
  }

  /** Takes the outcomes of a batch: writes them, or keeps them until the level of a false discovery rate is known. */
  take(batch: Batch, outcomes: readonly (Outcome | undefined)[]): void {
    for (const { tokens } of batch.texts) this.tokens += tokens.length
    if (this.#settings.fdr === undefined) this.#writeAt(Math.log(this.#settings.alpha), batch, outcomes)
    else {
      // of the tokens only their number is needed from here on
      const texts = batch.texts.map((text) => ({ ...text, tokens: { length: text.tokens.length } }))
      this.#kept.push([{ ...batch, texts }, outcomes])
    }
  }

  /** Writes the outcomes that were kept; says where the line between detected and not detected lies. */
  finish(): string {
    const { fdr } = this.#settings
    if (fdr === undefined) return ''
    const all = this.#kept.flatMap(([, outcomes]) => outcomes.flatMap((d) => d?.logPValue ?? []))
    const level = logDiscoveryLevel(all, fdr)
    for (const [batch, outcomes] of this.#kept) this.#writeAt(level, batch, outcomes)
    const found = counted(this.calibration.detected, 'text')
    return `${found} detected (p <= ${Number(Math.exp(level).toPrecision(3))}): at most ${fdr * 100}% of them, on average, have no watermark`
  }

  #writeAt(level: number, { watermark, texts }: Batch, outcomes: readonly (Outcome | undefined)[]): void {
    this.watermarks.add(watermark.id)
    const tested: Tested[] = []
    for (const [i, { entry, id, label, tokens }] of texts.entries()) {
      const d = outcomes[i]
      if (d === undefined) continue
      const { pValue, logPValue, scored, key } = d
      const detected = logPValue <= level
      this.calibration.add({ logP: logPValue, detected, length: tokens.length, label })
      const { where, line } = entry
      const found = { pValue, logPValue, detected, scored, length: tokens.length }
      tested.push({ where, line, id, label, watermark: watermark.id, key, ...found })
    }
    this.#write(tested)
  }
}

export function lengthsOf(input: Input): number[] {
  const limits = numbers('--lengths', input.flag('lengths') ?? '50,100,200,400', /,/)
  for (const [i, limit] of limits.entries()) integer('--lengths', limit, (limits[i - 1] ?? 0) + 1)
  return limits
}

/** Reads all files into batches of one watermark and vocabulary each. */
export async function* batchesIn(
  { first, files }: Files,
  format: string | undefined,
  reader: ReturnType<typeof readerOf>,
  leaveOut: (error: unknown) => void,
): AsyncGenerator<Batch> {
  let batch: Batch | undefined
  let size = 0
  for (const [i, file] of files.entries()) {
    const source = i === 0 ? first : await openSource(file, format)
    for await (const entry of source.entries(true)) {
      try {
        const read = reader(entry)
        const { watermark, vocabSize, pending } = read instanceof Promise ? await read : read
        if (batch && (batch.watermark !== watermark || batch.vocabSize !== vocabSize)) {
          yield batch
          batch = undefined
        }
        if (!batch) [batch, size] = [{ watermark, vocabSize, texts: [] }, 0]
        batch.texts.push(pending)
        size += pending.tokens.length
      } catch (error) {
        leaveOut(error)
      }
      if (!batch || !isFull(batch.texts.length, size)) continue
      yield batch
      batch = undefined
    }
  }
  if (batch) yield batch
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
  const reader = readerOf(input, settings.asked)
  const { pool } = settings
  const report = progressOf(output, files.files)
  const batches = batchesIn(files, input.flag('format'), reader, (error) => run.leaveOut(error))
  let tested = 0
  for await (const { batch, result } of inOrder(
    batches,
    (one) => run.test(one),
    () => pool?.size ?? 0,
  )) {
    run.take(batch, result)
    tested += batch.texts.length
    report(tested, run.tokens)
  }
  await pool?.finish?.()
  const discoveries = run.finish()
  const { calibration } = run
  if (calibration.texts === 0)
    throw new UsageError(
      `${files.first.name}: expected texts, found none${run.invalid > 0 ? ' that can be tested' : ''}`,
    )
  const watermark = [...run.watermarks].join(', ')
  const summed = calibration.report({ watermark, files: files.files, uwbench: version() })
  const left = run.invalid > 0 ? `\nleft out ${counted(run.invalid, 'text')} that cannot be tested` : ''
  const summary = `${discoveries || calibration.sentence()}${left}\n\n${summed.tables.map(tableToText).join('\n\n')}`
  warnOfKeys(settings.keys, settings.asked, output)
  if (input.on('json')) {
    const { alpha, fdr } = settings
    const { texts, detected } = calibration
    printJsonLine(output, {
      summary: {
        watermark,
        ...(fdr === undefined ? { alpha } : { fdr }),
        texts,
        detected,
        invalid: run.invalid,
        tables: summed.tables,
      },
    })
  } else if (input.on('csv')) for (const line of summary.split('\n')) output.error(line)
  else print(output, `${input.on('summary') ? '' : '\n'}${summary}`)
  return exitCode(calibration.detected > 0, output, settings.page, () =>
    toPage([summed], { title: 'Watermark detection', lead: summed.summary[0]!, files: false }),
  )
}
