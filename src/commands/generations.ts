/** Metrics of the generations of a model, prompt by prompt, from a file of texts. */
import { type Entry, recordOf, textOfEntry } from '../corpus/entry.ts'
import { expand } from '../corpus/glob.ts'
import { openSource } from '../corpus/source.ts'
import { column } from '../datasets/row.ts'
import { show } from '../input.ts'
import { UsageError } from './command.ts'
import { itemsOf, type TextMetric } from './text-metrics.ts'

export interface GenerationFields {
  readonly prompt: string
  readonly field: string | undefined
  readonly format: string | undefined
  /** A column of numbers that is a metric of its own, and the range that it is clipped to. */
  readonly own: { readonly field: string; readonly low: number; readonly high: number } | undefined
}

/** By prompt: one row per generation, with the components of all metrics in order. */
export type MeasuredGenerations = Map<string, number[][]>

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
  const values: number[] = []
  if (metrics.length > 0) {
    const text = textOfEntry(entry, fields)
    const { reference } = recordOf(entry)
    for (const metric of metrics) {
      if (metric.needsReference && (typeof text !== 'string' || typeof reference !== 'string'))
        throw new UsageError(`${entry.where}: ${metric.id} needs a text and a column 'reference'`)
      const more = typeof text === 'string' ? { text } : {}
      const compared = typeof reference === 'string' ? { reference } : {}
      values.push(...(await metric.score({ items: itemsOf(text), ...more, ...compared })))
    }
  }
  return fields.own ? [...values, ownMetric(entry, fields.own)] : values
}

/** Reads the generations of files; texts are not kept. */
export async function readGenerations(
  option: string,
  name: string,
  metrics: readonly TextMetric[],
  fields: GenerationFields,
): Promise<MeasuredGenerations> {
  const all: MeasuredGenerations = new Map()
  for (const file of expand(name)) {
    const source = await openSource(file, fields.format)
    if (source.format === 'text')
      throw new UsageError(
        `${option}: ${source.name}: expected records with prompts and texts, found plain text`,
      )
    for await (const entry of source.entries()) {
      const prompt = promptOf(entry, fields.prompt)
      const values = await measure(entry, metrics, fields)
      const known = all.get(prompt)
      if (known) known.push(values)
      else all.set(prompt, [values])
    }
  }
  if (all.size === 0) throw new UsageError(`${option}: ${name}: expected generations, found none`)
  return all
}
