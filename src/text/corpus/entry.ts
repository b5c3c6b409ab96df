/** Entries of files: their texts or token ids, their labels, and other columns of a record. */

import { didYouMean, show } from '../../input.ts'
import { column, type Row } from './row.ts'

/** One text of a file, as the file has it: a record, a string, or a list. */
export interface Entry {
  /** File and line, as errors name it. */
  readonly where: string
  /** Line of the file, or number of the entry, from 1. */
  readonly line: number
  readonly value: unknown
}

/** Columns that are tried in this order unless one is named. */
const defaultColumns = ['tokens', 'token_ids', 'text', 'completion', 'output', 'response'] as const

const isRecord = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)

const isList = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))

/** Returns the record of an entry; an entry that is a text alone has none. */
export const recordOf = ({ value }: Entry): Row => (isRecord(value) ? value : {})

function heldBy({ value, where }: Entry, field: string | undefined): unknown {
  if (!isRecord(value)) {
    if (field !== undefined)
      throw new TypeError(`${where}: expected a record with '${field}', found ${kind(value)}`)
    return value
  }
  if (field !== undefined) return column(value, field, where)
  const name = defaultColumns.find((one) => value[one] !== undefined && value[one] !== null)
  if (name !== undefined) return value[name]
  const found = Object.keys(value).slice(0, 20)
  throw new TypeError(
    `${where}: expected a column ${defaultColumns.join(', ')}, found ${found.join(', ') || 'none'}; name yours with --field`,
  )
}

/** Shows a value; lists and objects only by their kind, since they may be nested deeper than any function can follow. */
const kind = (value: unknown): string =>
  isList(value) ? 'a list' : typeof value === 'object' && value !== null ? 'an object' : show(value)

/** Reads token ids from `[1, 2]`, `1 2` or `1,2`. */
function idsFrom(text: string, where: string): number[] {
  const parts = text.replace(/^\s*\[|\]\s*$/g, '').split(/[\s,]+/)
  return parts.filter(Boolean).map((part) => {
    if (!/^\d+$/.test(part)) throw new TypeError(`${where}: expected token ids, got ${show(part)}`)
    return Number(part)
  })
}

/** Converts the bigints that Parquet gives for integers. */
const numbersOf = (list: ArrayLike<unknown>): ArrayLike<number> =>
  typeof list[0] === 'bigint' ? Array.from(list, Number) : (list as ArrayLike<number>)

export interface TextOptions {
  /** The column that holds the text or its token ids. */
  readonly field?: string | undefined
  /** Read text as token ids. */
  readonly ids?: boolean
}

/** Returns the text of an entry: a string, or token ids. */
export function textOfEntry(
  entry: Entry,
  { field, ids = false }: TextOptions = {},
): string | ArrayLike<number> {
  const value = heldBy(entry, field)
  if (isList(value)) return numbersOf(value)
  if (typeof value !== 'string')
    throw new TypeError(`${entry.where}: expected a text or a list of token ids, found ${kind(value)}`)
  return ids ? idsFrom(value, entry.where) : value
}

const yes = new Set(['true', '1', 'yes', 'watermarked', 'marked', 'positive'])
const no = new Set(['', 'false', '0', 'no', 'unwatermarked', 'unmarked', 'negative', 'human', 'none', 'null'])

/**
 * Tells whether an entry is labelled as watermarked.
 * @param positive the label of watermarked texts; every other is of unmarked ones
 */
export function labelOf(entry: Entry, field: string, positive?: string): boolean {
  if (!isRecord(entry.value))
    throw new TypeError(`${entry.where}: expected a record with '${field}', found ${kind(entry.value)}`)
  const value = column(entry.value, field, entry.where)
  if (typeof value === 'object' && value !== null)
    throw new TypeError(`${entry.where}: ${field}: expected a label, found ${kind(value)}`)
  const label = String(value ?? '')
  if (positive !== undefined) return label === positive
  if (yes.has(label.toLowerCase())) return true
  if (no.has(label.toLowerCase())) return false
  const near = didYouMean(label, [...yes, ...no].filter(Boolean))
  throw new TypeError(
    `${entry.where}: ${field}: expected true or false, 1 or 0, got ${show(label)}${near}; say with --positive which label watermarked texts have`,
  )
}
