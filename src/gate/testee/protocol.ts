/**
 * The testee protocol: how a watermark in another language is gated. uwbench starts it as a process and talks to it in lines of JSON over
 * standard input and output. `testee/protocol.schema.json` specifies every message; docs/testee.md explains them.
 *
 * Every request has `seq` and `cmd`; every answer has the same `seq` and one of `ok`, `error` and `skipped`. Rows of numbers travel as
 * base64 of little-endian float64 or int32, or as plain arrays if the testee asked for `encoding: "json"`. In a request of n items, one
 * row of p stands for n equal rows.
 */
import { show } from '../../input.ts'

export const PROTOCOL = 1

const CAPABILITIES = ['reweight', 'sample', 'detect', 'score'] as const
/** An ability of a testee. */
export type Capability = (typeof CAPABILITIES)[number]

/** A testee's description of itself when it is started. */
export interface TesteeInfo {
  readonly protocol: number
  readonly id: string
  /** The claim that is tested. */
  readonly unbiased: boolean
  /** The length of text up to which the claim is about whole texts; 1: each step is unbiased, texts are not. Default: any length. */
  readonly unbiasedUpTo?: number
  readonly capabilities: readonly Capability[]
  /** Vocabulary sizes it can do. Default: any. */
  readonly vocabSizes?: readonly number[]
  /** Precision in which it computes q. */
  readonly dtype: 'float64' | 'float32'
  /** The most that the sum of q may differ from 1. Default 1e-12 plus V * 2^-52 for float64, 1e-5 for float32; at most 1e-3. */
  readonly tolerance?: number
  /** False where p-values come with no guarantee, such as a z-score: their rate is measured, not tested. Default true. */
  readonly guaranteed?: boolean
  /** The dependence of a step: the tokens alone, or a text that is opened and closed. */
  readonly state: 'context' | 'text'
  /** The encoding in which it receives rows of numbers. Default base64. */
  readonly encoding?: 'base64' | 'json'
}

/** Rows of one length, end to end. */
interface PackedRows {
  readonly shape: readonly [rows: number, columns: number]
  readonly float64: string
}

/** Rows of any length, end to end. */
interface RaggedRows {
  readonly lengths: readonly number[]
  readonly int32: string
}

export type FloatRows = PackedRows | readonly (readonly number[])[]
export type IntRows = RaggedRows | readonly (readonly number[])[]

/** A row of equal-length rows. */
const rowsOf = (data: Float64Array, columns: number): number[][] =>
  Array.from({ length: columns === 0 ? 0 : data.length / columns }, (_, i) =>
    Array.from(data.subarray(i * columns, (i + 1) * columns)),
  )

const base64 = (data: Float64Array | Int32Array): string =>
  Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')

/** Rows of `columns` numbers, as the testee wants them. */
export function encodeFloats(
  data: Float64Array,
  columns: number,
  encoding: TesteeInfo['encoding'],
): FloatRows {
  if (encoding === 'json') return rowsOf(data, columns)
  return { shape: [data.length / columns, columns], float64: base64(data) }
}

/** Encodes lists of integers as the testee wants them. */
export function encodeInts(rows: readonly ArrayLike<number>[], encoding: TesteeInfo['encoding']): IntRows {
  if (encoding === 'json') return rows.map((row) => Array.from(row))
  const lengths = rows.map((row) => row.length)
  const data = new Int32Array(lengths.reduce((sum, n) => sum + n, 0))
  let at = 0
  for (const row of rows) {
    data.set(row, at)
    at += row.length
  }
  return { lengths, int32: base64(data) }
}

/** Thrown if an answer is not what the protocol says. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
}

/** Reads `rows` rows of `columns` numbers; every number must be finite. */
export function decodeFloats(name: string, value: unknown, rows: number, columns: number): Float64Array {
  const fail = (got: string): never => {
    throw new ProtocolError(`${name}: expected ${rows} rows of ${columns} numbers, got ${got}`)
  }
  const out = new Float64Array(rows * columns)
  if (Array.isArray(value)) {
    if (value.length !== rows) fail(`${value.length} rows`)
    for (const [i, row] of value.entries()) {
      if (!Array.isArray(row)) fail(`${show(row)} as row ${i}`)
      if (row.length !== columns) fail(`${row.length} numbers in row ${i}`)
      const odd = row.findIndex((x: unknown) => typeof x !== 'number')
      if (odd >= 0) fail(`${show(row[odd])} in row ${i}`)
      out.set(row as number[], i * columns)
    }
  } else {
    const { float64 } = (value ?? {}) as Partial<PackedRows>
    if (typeof float64 !== 'string') fail('neither rows nor { shape, float64 }')
    const bytes = Buffer.from(float64!, 'base64')
    if (bytes.length !== out.byteLength) fail(`${bytes.length} bytes`)
    new Uint8Array(out.buffer).set(bytes)
  }
  const bad = out.findIndex((x) => !Number.isFinite(x))
  if (bad >= 0) fail(`${out[bad]} in row ${Math.floor(bad / columns)}`)
  return out
}

/** Reads a list of `count` numbers, each of at least `low` and at most `high`. */
export function decodeNumbers(
  name: string,
  value: unknown,
  count: number,
  { low, high, whole = false }: { readonly low: number; readonly high: number; readonly whole?: boolean },
): number[] {
  if (!Array.isArray(value) || value.length !== count)
    throw new ProtocolError(
      `${name}: expected a list of ${count} numbers, got ${Array.isArray(value) ? value.length : show(value)}`,
    )
  const bad = value.findIndex(
    (x) => !(typeof x === 'number' && x >= low && x <= high && (!whole || Number.isInteger(x))),
  )
  if (bad >= 0)
    throw new ProtocolError(
      `${name}[${bad}]: expected ${whole ? 'an integer' : 'a number'} from ${low} to ${high}, got ${show(value[bad])}`,
    )
  return value as number[]
}

const isWhole = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 1
const among = (value: unknown, options: readonly unknown[]): boolean => options.includes(value)

/** The largest tolerance: a sum that is further off is a mistake in any precision. */
const MAX_TOLERANCE = 1e-3
/** The least vocabulary that every law can do with. */
const LEAST_VOCABULARY = 1000

/** The fields of the answer to `start`. */
const FIELDS: readonly [name: keyof TesteeInfo, expected: string, is: (value: unknown) => boolean][] = [
  ['id', 'a printable name', (v) => typeof v === 'string' && v.trim() !== '' && !v.includes('\0')],
  ['unbiased', 'true or false: the claim that is tested', (v) => typeof v === 'boolean'],
  ['unbiasedUpTo', 'an integer, at least 1', (v) => v === undefined || isWhole(v)],
  [
    'capabilities',
    `at least one of ${CAPABILITIES.join(', ')}`,
    (v) => Array.isArray(v) && v.length > 0 && v.every((one) => among(one, CAPABILITIES)),
  ],
  [
    'vocabSizes',
    `integers, one of at least ${LEAST_VOCABULARY}`,
    (v) =>
      v === undefined ||
      (Array.isArray(v) && v.every((n) => isWhole(n)) && Math.max(0, ...v) >= LEAST_VOCABULARY),
  ],
  ['dtype', "'float64' or 'float32'", (v) => among(v, ['float64', 'float32'])],
  [
    'tolerance',
    `a number from 0 to ${MAX_TOLERANCE}`,
    (v) => v === undefined || (typeof v === 'number' && v >= 0 && v <= MAX_TOLERANCE),
  ],
  ['guaranteed', 'true or false', (v) => v === undefined || typeof v === 'boolean'],
  ['state', "'context' or 'text'", (v) => among(v, ['context', 'text'])],
  ['encoding', "'base64' or 'json'", (v) => v === undefined || among(v, ['base64', 'json'])],
]

/** Checks the answer to `start`. A null counts as absent: some languages write nothing else. */
export function readInfo(answer: { readonly [name: string]: unknown }): TesteeInfo {
  const given = Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== null))
  if (given.protocol !== PROTOCOL)
    throw new ProtocolError(`protocol: this uwbench speaks ${PROTOCOL}, the testee ${show(given.protocol)}`)
  for (const [name, expected, is] of FIELDS)
    if (!is(given[name])) throw new ProtocolError(`${name}: expected ${expected}, got ${show(given[name])}`)
  return given as unknown as TesteeInfo
}
