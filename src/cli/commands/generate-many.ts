/**
 * Texts for a file of prompts, as JSON Lines: one record per text with its token ids, the entropy and log-probability of each token, and
 * every setting except the key. An interrupted run resumes: texts that the file already has are not written again.
 */
import { createHash } from 'node:crypto'
import { closeSync, openSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { cannotWrite } from '../../bench/report/index.ts'
import { integer, show } from '../../input.ts'
import { column, type Entry, linesIn, openSource, type Row, recordOf } from '../../text/corpus/index.ts'
import type { Generation, LanguageModel, Prompt, TextRequest } from '../../text/models/index.ts'
import type { AnyWatermark } from '../../watermarks/index.ts'
import { type Input, UsageError } from './command.ts'
import { outputFile, statOf } from './files.ts'
import { jsonLine, type Output } from './output.ts'

/** Settings that determine the texts of a run, besides prompts and key. Each record has them. */
export interface Settings {
  readonly watermark: string | null
  readonly model: string
  readonly vocabSize: number
  readonly maxTokens: number
  readonly temperature: number
  readonly topK: number
  readonly topP: number
  readonly seed: string
  /** With --out, so that another key, other weights or another message add nothing to the file. */
  readonly keyDigest?: string | null
  readonly watermarkDigest?: string | null
  readonly modelDigest?: string
}

/** A text to write. */
interface Job {
  /** Unique in the file. */
  readonly id: string
  readonly row: Row
  readonly prompt: Prompt
  /** Index among all texts; its randomness depends on it. */
  readonly index: number
}

type Batch = ReturnType<typeof readBatch>

/** Reads the options of a batch, and what an earlier run left in its file. */
export function readBatch(input: Input) {
  const positive = (name: string, otherwise: number) =>
    integer(`--${name}`, input.number(name) ?? otherwise, 1)
  const out = outputFile(input, 'out')
  return {
    prompts: input.flag('prompts')!,
    out,
    field: input.flag('field') ?? 'prompt',
    format: input.flag('format'),
    count: positive('count', 1),
    limit: positive('limit', Number.MAX_SAFE_INTEGER),
    size: positive('batch', 16),
    earlier: earlierRun(out),
  }
}

function promptOf(entry: Entry, field: string): Prompt {
  const value = typeof entry.value === 'string' ? entry.value : column(recordOf(entry), field, entry.where)
  if (typeof value === 'string' && value !== '') return value
  if (Array.isArray(value) && value.length > 0) return value as number[]
  throw new UsageError(
    `${entry.where}: ${field}: expected a prompt (text, token ids or a list of messages), got ${show(value)}; name its column with --field`,
  )
}

/** Lists the texts to write for a file of prompts, in order; plain text has a prompt in each line. */
async function* jobsOf({ prompts, field, format, count, limit }: Batch): AsyncGenerator<Job> {
  const source = await openSource(prompts, format, 'lines')
  const seen = new Set<string>()
  let number = 0
  for await (const entry of source.entries()) {
    if (number === limit) return
    const row = recordOf(entry)
    const id = row.id === undefined || row.id === null ? `${number + 1}` : String(row.id)
    if (seen.has(id)) throw new UsageError(`${entry.where}: id: expected unique ids, got ${show(id)} twice`)
    seen.add(id)
    const prompt = promptOf(entry, field)
    for (let i = 0; i < count; i++)
      yield { id: count === 1 ? id : `${id}/${i + 1}`, row, prompt, index: number * count + i }
    number++
  }
  if (number === 0) throw new UsageError(`${source.name}: expected prompts, found none`)
}

/** Returns the record in a line of an earlier run; undefined for anything else. */
function recordIn(line: Buffer): Row | undefined {
  try {
    const row = JSON.parse(line.toString()) as Row
    return Array.isArray(row.tokens) && typeof row.seed === 'string' && 'id' in row ? row : undefined
  } catch {
    return undefined
  }
}

export const digestOf = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex').slice(0, 16)
}

/** A short digest of the key: enough to notice another one. */
const keyDigest = (key: string | Uint8Array | undefined): string | null =>
  key === undefined ? null : digestOf('uwbench generate --out\0', key)

/** Tells messages, their lengths and their codes apart: the id of the watermark of a message names them. */
const watermarkDigest = (watermark: AnyWatermark | undefined): string | null =>
  watermark === undefined ? null : digestOf(watermark.id)

/** The state that an earlier run left in a file. */
interface Earlier {
  /** Id to the digest of its prompt. */
  readonly done: Map<string, string>
  /** Indices of the texts, which their randomness depends on. */
  readonly indices: Map<number, string>
  readonly first: Row | undefined
  /** The last line, where a run was ended before its record was complete. */
  readonly cut: Buffer | undefined
  /** True where the last record lacks its line end. */
  readonly open: boolean
}

/** Reads the file of an earlier run, and refuses any other. Changes nothing. */
export function earlierRun(file: string | undefined): Earlier {
  const done = new Map<string, string>()
  const indices = new Map<number, string>()
  let [first, cut, open]: [Row?, Buffer?, boolean?] = []
  const isKept = file !== undefined && statOf(file)?.isFile()
  let number = 0
  for (const { line, complete } of isKept ? linesIn(file) : []) {
    number++
    const row = recordIn(line)
    if (row === undefined && complete)
      throw new UsageError(
        `${file}, line ${number}: expected a record of an earlier run, found other text; give another --out`,
      )
    if (row === undefined) cut = line
    else {
      first ??= row
      done.set(String(row.id), digestOf(JSON.stringify(row.prompt)))
      if (typeof row.textIndex === 'number') indices.set(row.textIndex, String(row.id))
      open = !complete
    }
  }
  return { done, indices, first, cut, open: open ?? false }
}

/** Refuses to add texts with other settings to a file. Files of version 0.2 have no digests. */
export function checkSettings(file: string, first: Row, settings: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(settings))
    if (first[name] !== value && !(name.endsWith('Digest') && first[name] === undefined))
      throw new UsageError(
        `${file}: was written with ${name} ${show(first[name])}, this run has ${show(value)}; give another --out`,
      )
}

/** Tells whether a text is in the file already; refuses a file whose texts have other prompts or were numbered in another way. */
export function isDone(file: string, { done, indices }: Earlier, { id, prompt, index }: Job): boolean {
  const known = done.get(id)
  const other = indices.get(index)
  if (known === undefined && other === undefined) return false
  if ((known ?? '') !== digestOf(JSON.stringify(prompt)) || (other !== undefined && other !== id))
    throw new UsageError(
      `${file}: was written with other prompts (its text ${show(other ?? id)} has another prompt or place); give another --out`,
    )
  return true
}

/** Six digits are enough for a log-probability. */
const rounded = (values: Float64Array): number[] => Array.from(values, (x) => Number(x.toPrecision(6)))

/** Returns the columns that a record begins with. */
function beginningOf({ row: { key: _, ...given }, id, prompt }: Job): Row {
  return { ...given, id, prompt }
}

function recordText(job: Job, text: Generation, settings: Settings): string {
  const { tokens, finish, logProbabilities, entropies } = text
  return jsonLine({
    ...beginningOf(job),
    text: text.text,
    ...settings,
    textIndex: job.index,
    finish,
    tokens,
    logprobs: rounded(logProbabilities),
    entropy: rounded(entropies),
  })
}

/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 10_000

/**
 * Opens the file of a run at its end. An incomplete last line is cut off only where it is the beginning of the record that comes next: any
 * other text is somebody's.
 */
export function openAtEnd(file: string, { cut, open }: Earlier, next: Job): number {
  if (cut !== undefined) {
    const start = Buffer.from(jsonLine(beginningOf(next)).slice(0, -1))
    const both = Math.min(cut.length, start.length)
    if (Buffer.compare(cut.subarray(0, both), start.subarray(0, both)) !== 0)
      throw new UsageError(
        `${file}: ends in a line that is no record of an earlier run; give another --out, or remove that line`,
      )
  }
  try {
    if (cut !== undefined) truncateSync(file, statSync(file).size - cut.length)
    const descriptor = openSync(file, 'a')
    if (open) writeFileSync(descriptor, '\n')
    return descriptor
  } catch (error) {
    throw cannotWrite(file, error)
  }
}

/** Writes the texts that the file does not have yet. */
export async function generateMany(
  model: LanguageModel,
  batch: Batch,
  given: Settings,
  mark: { readonly watermark: AnyWatermark | undefined; readonly key: string | Uint8Array | undefined },
  output: Output,
): Promise<void> {
  const { generateMany: write } = await import('../../text/models/index.ts')
  const { out, size, earlier } = batch
  const { done, first } = earlier
  const digests = async () => ({
    keyDigest: keyDigest(mark.key),
    watermarkDigest: watermarkDigest(mark.watermark),
    modelDigest: await model.digest(),
  })
  const settings = out === undefined ? given : { ...given, ...(await digests()) }
  if (first) checkSettings(out!, first, { ...settings })
  const { maxTokens: maxNewTokens, temperature, topK, topP, seed } = settings
  const marked = mark.watermark ? { watermark: mark.watermark, key: mark.key! } : {}
  let [written, last] = [0, Date.now()]
  let waiting: Job[] = []
  let file: number | undefined
  const save = (lines: string): void => {
    try {
      writeFileSync(file!, lines)
    } catch (error) {
      throw cannotWrite(out!, error)
    }
  }
  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return
    const requests: TextRequest[] = waiting.map(({ prompt, index }) => ({ prompt, index }))
    const options = { ...marked, maxNewTokens, temperature, topK, topP, seed, batchSize: size }
    const texts = await write(model, requests, options)
    const lines = texts.map((text, i) => `${recordText(waiting[i]!, text, settings)}\n`).join('')
    if (out === undefined) output.raw(lines)
    else save(lines)
    written += texts.length
    waiting = []
    if (Date.now() - last < PROGRESS_MS) return
    last = Date.now()
    output.error(`${done.size + written} texts`)
  }
  try {
    for await (const job of jobsOf(batch)) {
      if (out !== undefined && isDone(out, earlier, job)) continue
      if (out !== undefined) file ??= openAtEnd(out, earlier, job)
      waiting.push(job)
      if (waiting.length === size) await flush()
    }
    await flush()
  } finally {
    if (file !== undefined) closeSync(file)
  }
  if (out !== undefined)
    output.error(`wrote ${written} texts to ${out}${done.size > 0 ? `, which had ${done.size}` : ''}`)
}
