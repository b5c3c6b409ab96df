/**
 * The testee protocol: how a watermark in another language is gated. uwbench starts it as a process and talks to it in lines of JSON over
 * standard input and output; the schema beside this file (`protocol.schema.json`) is the whole of it.
 *
 * Every request has `seq` and `cmd`; every answer has the same `seq` and one of `ok`, `error` and `skipped`. Rows of numbers travel as
 * base64 of little-endian float64 or int32, or as plain arrays where the testee asked for `encoding: "json"`. A list of one row in a request of
 * n items stands for n equal rows.
 */
export const PROTOCOL = 1

export const CAPABILITIES = ['reweight', 'sample', 'detect', 'score'] as const
export type Capability = (typeof CAPABILITIES)[number]

/** What a testee says about itself when it is started. */
export interface TesteeInfo {
  readonly protocol: number
  readonly id: string
  /** The claim that is tested. */
  readonly unbiased: boolean
  readonly capabilities: readonly Capability[]
  /** Vocabulary sizes it can do. Default: any. */
  readonly vocabSizes?: readonly number[]
  /** Precision in which it computes q. */
  readonly dtype: 'float64' | 'float32'
  /** How far q may stray from its exact value, where that is more than the precision's rounding. */
  readonly tolerance?: number
  /** Whether a step depends on the tokens alone, or on a text that is opened and closed. */
  readonly state: 'context' | 'text'
  /** How it wants rows of numbers. Default base64. */
  readonly encoding?: 'base64' | 'json'
}

/** Rows of one length, end to end. */
export interface PackedRows {
  readonly shape: readonly [rows: number, columns: number]
  readonly float64: string
}

/** Rows of any length, end to end. */
export interface RaggedRows {
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

/** Lists of whole numbers, as the testee wants them. */
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

/** Thrown where an answer is not what the protocol says. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
}

/** Reads `rows` rows of `columns` numbers; every number must be finite. */
export function decodeFloats(name: string, value: unknown, rows: number, columns: number): Float64Array {
  const wanted = `${rows} rows of ${columns} numbers`
  const fail = (got: string): never => {
    throw new ProtocolError(`${name}: expected ${wanted}, got ${got}`)
  }
  const out = new Float64Array(rows * columns)
  if (Array.isArray(value)) {
    if (value.length !== rows) fail(`${value.length} rows`)
    for (const [i, row] of value.entries()) {
      if (!Array.isArray(row) || row.length !== columns) fail(`row ${i} of another length`)
      out.set(row as number[], i * columns)
    }
  } else {
    const packed = (value ?? {}) as Partial<PackedRows>
    if (typeof packed.float64 !== 'string') fail('neither rows nor { shape, float64 }')
    const bytes = Buffer.from(packed.float64!, 'base64')
    if (bytes.length !== out.byteLength) fail(`${bytes.length} bytes`)
    new Uint8Array(out.buffer).set(bytes)
  }
  const bad = out.findIndex((x) => !Number.isFinite(x))
  if (bad >= 0) fail(`${out[bad]} in row ${Math.floor(bad / columns)}`)
  return out
}

/** Reads a list of `count` numbers. */
export function decodeNumbers(name: string, value: unknown, count: number): number[] {
  if (!Array.isArray(value) || value.length !== count)
    throw new ProtocolError(
      `${name}: expected a list of ${count} numbers, got ${Array.isArray(value) ? value.length : typeof value}`,
    )
  const bad = value.findIndex((x) => typeof x !== 'number' || !Number.isFinite(x))
  if (bad >= 0) throw new ProtocolError(`${name}[${bad}]: expected a number, got ${String(value[bad])}`)
  return value as number[]
}
