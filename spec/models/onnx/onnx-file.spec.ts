import { expect, test } from 'vitest'
import { node, readIntegers, readNode } from '../../../src/text/models/onnx/onnx-file.ts'
import { writeMessage } from '../../../src/text/models/onnx/protobuf.ts'

test('a node is read as it was written', () => {
  const view = readNode(writeMessage(node('Transpose', ['x'], ['y'], { perm: [0, 2, 1], axis: -1 })))
  expect(view).toMatchObject({ op: 'Transpose', inputs: ['x'], outputs: ['y'] })
  expect(readIntegers(view, 'perm')).toEqual([0, 2, 1])
  expect(readIntegers(view, 'axis')).toEqual([-1])
  expect(readIntegers(view, 'none')).toEqual([])
})
