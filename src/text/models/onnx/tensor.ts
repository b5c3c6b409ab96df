/** Tensors over memory that we own: the runtime reads and writes typed arrays in place, without copies. */
import { logSoftmaxAt } from '../../decode/warp.ts'
import type { Ort, OrtTensor } from './runtime.ts'

/** Memory of a float tensor: half-precision numbers as their bits. */
export type Floats = Float32Array | Uint16Array
export type FloatType = 'float32' | 'float16'

export const floats = (type: FloatType, length: number): Floats =>
  type === 'float32' ? new Float32Array(length) : new Uint16Array(length)

const volume = (dims: readonly number[]): number => dims.reduce((a, b) => a * b, 1)

/** Makes a tensor over the start of a buffer. */
export function floatTensor(ort: Ort, type: FloatType, buffer: Floats, dims: readonly number[]): OrtTensor {
  const data = buffer.subarray(0, volume(dims))
  return new ort.Tensor(type, data as Float32Array, dims)
}

/** Returns the numbers of a float tensor; half-precision ones as their bits, also where the language has a type for them. */
export function floatsOf({ data }: OrtTensor): Floats {
  if (data instanceof Float32Array || data instanceof Uint16Array) return data
  const { buffer, byteOffset, length } = data as unknown as Uint16Array
  return new Uint16Array(buffer, byteOffset, length)
}

export const idTensor = (ort: Ort, ids: BigInt64Array, dims: readonly number[]): OrtTensor =>
  new ort.Tensor('int64', ids, dims)

/** Decodes a half-precision number from its bits: 1 sign, 5 exponent, 10 mantissa. */
function fromHalf(bits: number): number {
  const exponent = (bits >> 10) & 31
  const mantissa = bits & 1023
  const sign = bits & 0x8000 ? -1 : 1
  if (exponent === 31) return mantissa ? Number.NaN : sign * Number.POSITIVE_INFINITY
  return sign * (exponent === 0 ? mantissa * 2 ** -24 : (1024 + mantissa) * 2 ** (exponent - 25))
}

/** Writes `count` numbers from `source[from ..]` as float32. */
export function readFloats(source: Floats, from: number, count: number, out: Float32Array, at: number): void {
  if (source instanceof Float32Array) out.set(source.subarray(from, from + count), at)
  else for (let i = 0; i < count; i++) out[at + i] = fromHalf(source[from + i]!)
}

/** Writes the last of `columns` columns of every row as float32. */
export function readLastColumn(source: Floats, rows: number, columns: number, out: Float32Array): void {
  const width = out.length / rows
  for (let row = 0; row < rows; row++)
    readFloats(source, ((row + 1) * columns - 1) * width, width, out, row * width)
}

/** Returns ln(softmax(logits))[token] for one row of logits, in float64. */
export function logProbability(values: Floats, from: number, size: number, token: number): number {
  const read =
    values instanceof Float32Array ? (i: number) => values[i]! : (i: number) => fromHalf(values[i]!)
  return logSoftmaxAt(read, from, size, token)
}
