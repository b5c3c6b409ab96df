/**
 * The wire format of protocol buffers, without a schema: a message is a list of numbered fields. Enough to look into an ONNX
 * file, change a few nodes and write it back with everything else untouched.
 *
 * Why not a library: protobufjs (3.8 MB) and @bufbuild/protobuf (2.0 MB) need ONNX's schema besides, and even pbf (90 kB) would be
 * a second dependency of every installation, for the hundred lines below.
 */

/** A field holds an integer (wire type 0), 8 or 4 bytes (1, 5), or a run of bytes: text, a message, packed numbers (2). */
export interface Field {
  readonly number: number
  readonly wire: 0 | 1 | 2 | 5
  readonly value: bigint | Uint8Array
}

class Reader {
  at = 0
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  varint(): bigint {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.bytes[this.at++]
      if (byte === undefined) throw new RangeError('protobuf: the message ends within a number')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }

  take(count: number): Uint8Array {
    const end = this.at + count
    if (end > this.bytes.length) throw new RangeError('protobuf: the message ends within a field')
    const taken = this.bytes.subarray(this.at, end)
    this.at = end
    return taken
  }
}

/** Returns the fields of a message, in order. Runs of bytes are views, not copies. */
export function readMessage(bytes: Uint8Array): Field[] {
  const reader = new Reader(bytes)
  const fields: Field[] = []
  while (reader.at < bytes.length) {
    const tag = Number(reader.varint())
    const number = tag >>> 3
    const wire = tag & 7
    if (wire === 0) fields.push({ number, wire, value: reader.varint() })
    else if (wire === 2) fields.push({ number, wire, value: reader.take(Number(reader.varint())) })
    else if (wire === 1 || wire === 5) fields.push({ number, wire, value: reader.take(wire === 1 ? 8 : 4) })
    else throw new RangeError(`protobuf: expected wire type 0, 1, 2 or 5, got ${wire}`)
  }
  return fields
}

/** Returns the numbers of a packed field. */
export function readVarints(bytes: Uint8Array): bigint[] {
  const reader = new Reader(bytes)
  const numbers: bigint[] = []
  while (reader.at < bytes.length) numbers.push(reader.varint())
  return numbers
}

/** Encodes a number as a varint; negative ones as 64-bit two's complement. */
function varint(value: bigint): number[] {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return [...bytes, Number(rest)]
}

/** Encodes fields as a message. */
export function writeMessage(fields: readonly Field[]): Uint8Array {
  const parts: ArrayLike<number>[] = []
  for (const { number, wire, value } of fields) {
    parts.push(varint(BigInt((number << 3) | wire)))
    if (typeof value === 'bigint') parts.push(varint(value))
    else {
      if (wire === 2) parts.push(varint(BigInt(value.length)))
      parts.push(value)
    }
  }
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

export const integerField = (number: number, value: number | bigint): Field => ({
  number,
  wire: 0,
  value: BigInt(value),
})
export const bytesField = (number: number, value: Uint8Array): Field => ({ number, wire: 2, value })
export const textField = (number: number, value: string): Field =>
  bytesField(number, new TextEncoder().encode(value))
export const messageField = (number: number, fields: readonly Field[]): Field =>
  bytesField(number, writeMessage(fields))
