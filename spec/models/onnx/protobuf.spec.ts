import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  integerField,
  readMessage,
  readVarints,
  textField,
  writeMessage,
} from '../../../src/text/models/onnx/protobuf.ts'

const EMBEDDED = new URL('../../../fixtures/models/uwbench-lm/onnx/model.onnx', import.meta.url)

describe('protocol buffers', () => {
  test('the bytes of the standard\'s own examples: 150 in field 1, "testing" in field 2', () => {
    expect(Array.from(writeMessage([integerField(1, 150)]))).toEqual([0x08, 0x96, 0x01])
    expect(Array.from(writeMessage([textField(2, 'testing')]))).toEqual([
      0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67,
    ])
    expect(readVarints(Uint8Array.from([0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05]))).toEqual([3n, 270n, 86942n])
  })

  test("a negative number is ten bytes of two's complement", () => {
    expect(Array.from(writeMessage([integerField(1, -1)]))).toEqual([0x08, ...Array(9).fill(0xff), 0x01])
  })

  test('reading inverts writing', () => {
    const field = fc.oneof(
      fc.record({
        number: fc.integer({ min: 1, max: 5000 }),
        wire: fc.constant(0 as const),
        value: fc.bigInt(0n, 2n ** 64n - 1n),
      }),
      fc.record({
        number: fc.integer({ min: 1, max: 5000 }),
        wire: fc.constant(2 as const),
        value: fc.uint8Array({ maxLength: 300 }),
      }),
      fc.record({
        number: fc.integer({ min: 1, max: 5000 }),
        wire: fc.constant(5 as const),
        value: fc.uint8Array({ minLength: 4, maxLength: 4 }),
      }),
      fc.record({
        number: fc.integer({ min: 1, max: 5000 }),
        wire: fc.constant(1 as const),
        value: fc.uint8Array({ minLength: 8, maxLength: 8 }),
      }),
    )
    fc.assert(
      fc.property(fc.array(field), (fields) => {
        expect(readMessage(writeMessage(fields))).toEqual(fields)
      }),
    )
  })

  test('the embedded model is written back byte for byte', () => {
    const bytes = readFileSync(EMBEDDED)
    expect(Buffer.compare(writeMessage(readMessage(bytes)), bytes)).toBe(0)
  })

  test('a message that breaks off is refused', () => {
    expect(() => readMessage(Uint8Array.from([0x12, 0x07, 0x74]))).toThrow(/ends within a field/)
    expect(() => readMessage(Uint8Array.from([0x08, 0x96]))).toThrow(/ends within a number/)
    expect(() => readMessage(Uint8Array.from([0x0b]))).toThrow(/wire type/)
  })
})
