/** Metrics of the generations of a model, prompt by prompt, from a file of texts or from a server. */

import { show } from '../../input.ts'
import { column, type Entry, expand, openSource, recordOf, textOfEntry } from '../../text/corpus/index.ts'
import { isServer } from '../../text/models/index.ts'
import { UsageError } from './command.ts'
import { itemsOf, scored, type TextMetric } from './text-metrics.ts'

export interface GenerationFields {
  readonly prompt: string
  readonly field: string | undefined
  readonly format: string | undefined
  /** A column of numbers that is a metric of its own, and the range that it is clipped to. */
  readonly own: { readonly field: string; readonly low: number; readonly high: number } | undefined
  /** The prompts that a server answers, and the texts and tokens of each. */
  readonly asked: { readonly prompts: string | undefined; readonly count: number; readonly tokens: number }
}

/** By prompt: one row per generation, with the components of all metrics in order. */
export type MeasuredGenerations = Map<string, number[][]>

/** Adds a generation to those of its prompt. */
export function addGeneration(all: MeasuredGenerations, prompt: string, values: number[]): void {
  const known = all.get(prompt)
  if (known) known.push(values)
  else all.set(prompt, [values])
}

function promptOf(entry: Entry, field: string): string {
  const value = column(recordOf(entry), field, entry.where)
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint')
    throw new UsageError(`${entry.where}: ${field}: expected a prompt or its number, got ${show(value)}`)
  return String(value)
}

function ownMetric(entry: Entry, { field, low, high }: NonNullable<GenerationFields['own']>): number {
  const value = column(recordOf(entry), field, entry.where)
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || Number.isNaN(number))
    throw new UsageError(`${entry.where}: ${field}: expected a number, got ${show(value)}`)
  return Math.min(high, Math.max(low, number))
}

async function measure(
  entry: Entry,
  metrics: readonly TextMetric[],
  fields: GenerationFields,
): Promise<number[]> {
  const own = fields.own ? [ownMetric(entry, fields.own)] : []
  if (metrics.length === 0) return own
  const text = textOfEntry(entry, fields)
  const { reference } = recordOf(entry)
  const comparing = metrics.find(({ needsReference }) => needsReference)
  if (comparing && (typeof text !== 'string' || typeof reference !== 'string'))
    throw new UsageError(`${entry.where}: ${comparing.id} needs a text and a column 'reference'`)
  const more = typeof text === 'string' ? { text } : {}
  const compared = typeof reference === 'string' ? { reference } : {}
  return [...(await scored(metrics, { items: itemsOf(text), ...more, ...compared })), ...own]
}

/** Asks a server for texts, prompt by prompt, as records of a file. */
async function* serverEntries(option: string, url: string, fields: GenerationFields): AsyncGenerator<Entry> {
  const { prompts, count, tokens } = fields.asked
  if (prompts === undefined) throw new UsageError(`${option}: a server needs prompts: give --prompts FILE`)
  const { generate, loadModel } = await import('../../text/models/index.ts')
  const model = await loadModel(url)
  for await (const entry of (await openSource(prompts, undefined, 'lines')).entries()) {
    const prompt = typeof entry.value === 'string' ? entry.value : promptOf(entry, fields.prompt)
    for (const { text } of await generate(model, prompt, { count, maxNewTokens: tokens }))
      yield { ...entry, where: `${url}, ${entry.where}`, value: { [fields.prompt]: prompt, text } }
  }
}

/** Reads the records of files. */
async function* fileEntries(option: string, name: string, format: string | undefined): AsyncGenerator<Entry> {
  for (const file of expand(name)) {
    const source = await openSource(file, format)
    if (source.format === 'text')
      throw new UsageError(
        `${option}: ${source.name}: expected records with prompts and texts, found plain text`,
      )
    yield* source.entries()
  }
}

/** Reads the generations of files or of a server; texts are not kept. */
export async function readGenerations(
  option: string,
  name: string,
  metrics: readonly TextMetric[],
  fields: GenerationFields,
): Promise<MeasuredGenerations> {
  const all: MeasuredGenerations = new Map()
  const entries = isServer(name)
    ? serverEntries(option, name, fields)
    : fileEntries(option, name, fields.format)
  for await (const entry of entries)
    addGeneration(all, promptOf(entry, fields.prompt), await measure(entry, metrics, fields))
  if (all.size === 0) throw new UsageError(`${option}: ${name}: expected generations, found none`)
  return all
}
