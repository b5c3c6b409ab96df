/**
 * Texts for a file of prompts, as JSON Lines: one record per text with its token ids, entropy and log-probability of each token, and all
 * that determined it but the key. An interrupted run resumes: texts that the file has are not written again.
 */
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs'
import { type Entry, recordOf } from '../corpus/entry.ts'
import { openSource } from '../corpus/source.ts'
import { column, type Row } from '../datasets/row.ts'
import { integer, show } from '../input.ts'
import type { Generation, LanguageModel, Prompt, TextRequest } from '../models/index.ts'
import type { AnyWatermark } from '../watermarks/index.ts'
import { type Input, UsageError } from './command.ts'
import { checkFolderOf } from './files.ts'
import { jsonLine, type Output } from './output.ts'

/** What determines the texts of a run besides prompts and key: each record has it. */
export interface Settings {
  readonly watermark: string | null
  readonly model: string
  readonly vocabSize: number
  readonly maxTokens: number
  readonly temperature: number
  readonly topK: number
  readonly topP: number
  readonly seed: string
}

/** A text to write. */
interface Job {
  /** Unique in the file. */
  readonly id: string
  readonly row: Row
  readonly prompt: Prompt
  /** Its place among all texts: what its randomness depends on. */
  readonly index: number
}

export interface BatchInput {
  readonly prompts: string
  readonly out: string | undefined
  readonly field: string
  readonly format: string | undefined
  readonly count: number
  readonly limit: number
  readonly batch: number
}

export function batchInput(input: Input): BatchInput {
  const whole = (name: string, otherwise: number) => integer(`--${name}`, input.number(name) ?? otherwise, 1)
  const out = input.flag('out')
  if (out !== undefined) checkFolderOf(out)
  return {
    prompts: input.flag('prompts')!,
    out,
    field: input.flag('field') ?? 'prompt',
    format: input.flag('format'),
    count: whole('count', 1),
    limit: whole('limit', Number.MAX_SAFE_INTEGER),
    batch: whole('batch', 16),
  }
}

function promptOf(entry: Entry, field: string): Prompt {
  const value = typeof entry.value === 'string' ? entry.value : column(recordOf(entry), field, entry.where)
  if (typeof value === 'string' && value !== '') return value
  if (Array.isArray(value) && value.length > 0) return value as number[]
  throw new UsageError(
    `${entry.where}: ${field}: expected a prompt: text, token ids or a list of messages, got ${show(value)}`,
  )
}

/** The texts of a file of prompts, in order; plain text has a prompt in each line. */
async function* jobsOf({ prompts, field, format, count, limit }: BatchInput): AsyncGenerator<Job> {
  const plain = format === undefined && (await openSource(prompts)).format === 'text'
  const source = await openSource(prompts, plain ? 'lines' : format)
  const seen = new Set<string>()
  let number = 0
  for await (const entry of source.entries()) {
    if (number === limit) return
    const row = recordOf(entry)
    const id = row.id === undefined || row.id === null ? `${number + 1}` : String(row.id)
    if (seen.has(id))
      throw new UsageError(`${entry.where}: id: expected ids that differ, got ${show(id)} twice`)
    seen.add(id)
    const prompt = promptOf(entry, field)
    for (let i = 0; i < count; i++)
      yield { id: count === 1 ? id : `${id}/${i + 1}`, row, prompt, index: number * count + i }
    number++
  }
  if (number === 0) throw new UsageError(`${source.name}: expected prompts, found none`)
}

/** Lines of a file that a run before this one wrote whole; what follows the last line end is cut off. */
function wholeLines(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const end = text.lastIndexOf('\n') + 1
  if (end < text.length) truncateSync(file, Buffer.byteLength(text.slice(0, end)))
  return text.slice(0, end).split('\n').filter(Boolean)
}

/** The records that a file has already. */
export function resume(file: string | undefined): { done: Set<string>; first: Row | undefined } {
  if (file === undefined || !existsSync(file)) return { done: new Set(), first: undefined }
  let first: Row | undefined
  const done = new Set<string>()
  for (const [i, line] of wholeLines(file).entries()) {
    let row: Row
    try {
      row = JSON.parse(line) as Row
    } catch {
      throw new UsageError(`${file}, line ${i + 1}: expected a record of an earlier run, found other text`)
    }
    first ??= row
    done.add(String(row.id))
  }
  return { done, first }
}

/** Refuses to add texts of other settings to a file. */
function checkSettings(file: string, first: Row, settings: Settings): void {
  for (const [name, value] of Object.entries(settings))
    if (first[name] !== value)
      throw new UsageError(
        `${file}: was written with ${name} ${show(first[name])}, this run has ${show(value)}; give another --out`,
      )
}

/** Six digits say all about a log-probability. */
const rounded = (values: Float64Array): number[] => Array.from(values, (x) => Number(x.toPrecision(6)))

function recordText(job: Job, text: Generation, settings: Settings): string {
  const { key: _, ...given } = job.row
  const { tokens, finish, logProbabilities, entropies } = text
  return jsonLine({
    ...given,
    id: job.id,
    prompt: job.prompt,
    text: text.text,
    ...settings,
    finish,
    tokens,
    logprobs: rounded(logProbabilities),
    entropy: rounded(entropies),
  })
}

/** Milliseconds between two lines of progress. */
const PROGRESS = 10_000

/** Writes the texts that are missing; returns the exit code. */
export async function generateMany(
  model: LanguageModel,
  batch: BatchInput,
  settings: Settings,
  mark: { readonly watermark: AnyWatermark | undefined; readonly key: string | Uint8Array | undefined },
  output: Output,
): Promise<number> {
  const { generateMany: write } = await import('../models/index.ts')
  const { done, first } = resume(batch.out)
  if (first) checkSettings(batch.out!, first, settings)
  const { maxTokens: maxNewTokens, temperature, topK, topP, seed } = settings
  const marked = mark.watermark ? { watermark: mark.watermark, key: mark.key! } : {}
  let [written, last] = [0, Date.now()]
  let waiting: Job[] = []
  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return
    const requests: TextRequest[] = waiting.map(({ prompt, index }) => ({ prompt, index }))
    const options = { ...marked, maxNewTokens, temperature, topK, topP, seed, batchSize: batch.batch }
    const texts = await write(model, requests, options)
    const lines = texts.map((text, i) => `${recordText(waiting[i]!, text, settings)}\n`).join('')
    if (batch.out === undefined) output.raw(lines)
    else appendFileSync(batch.out, lines)
    written += texts.length
    waiting = []
    if (Date.now() - last < PROGRESS) return
    last = Date.now()
    output.error(`${done.size + written} texts`)
  }
  for await (const job of jobsOf(batch)) {
    if (done.has(job.id)) continue
    waiting.push(job)
    if (waiting.length === batch.batch) await flush()
  }
  await flush()
  if (batch.out !== undefined)
    output.error(`wrote ${written} texts to ${batch.out}${done.size > 0 ? `, which had ${done.size}` : ''}`)
  return 0
}
