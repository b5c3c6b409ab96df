/** The messages of an ONNX file (onnx.proto3): nodes, tensors, graphs and the model around them. */
import { outOfRange } from '../../../input.ts'
import {
  bytesField,
  type Field,
  integerField,
  messageField,
  readMessage,
  readVarints,
  textField,
  writeMessage,
} from './protobuf.ts'

/** Element types (TensorProto.DataType). */
export const ELEMENT = { float32: 1, int64: 7, bool: 9, float16: 10 } as const
type Element = keyof typeof ELEMENT

/** Attributes of nodes: an integer, a list of them, or a graph. */
export type Attribute = number | readonly number[] | { readonly graph: readonly Field[] }

const TYPE = { int: 2, graph: 5, ints: 7 } as const

function attribute(name: string, value: Attribute): Field[] {
  const named = textField(1, name)
  if (typeof value === 'number') return [named, integerField(3, value), integerField(20, TYPE.int)]
  if ('graph' in value) return [named, messageField(6, value.graph), integerField(20, TYPE.graph)]
  return [named, ...value.map((i) => integerField(8, i)), integerField(20, TYPE.ints)]
}

/** Returns a node (NodeProto). */
export function node(
  op: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Readonly<Record<string, Attribute>> = {},
): Field[] {
  return [
    ...inputs.map((name) => textField(1, name)),
    ...outputs.map((name) => textField(2, name)),
    textField(4, op),
    ...Object.entries(attributes).map(([name, value]) => messageField(5, attribute(name, value))),
  ]
}

/** Returns a constant (TensorProto) of float32 or int64 numbers. */
export function tensor(name: string, dims: readonly number[], data: Float32Array | BigInt64Array): Field[] {
  const type = data instanceof Float32Array ? ELEMENT.float32 : ELEMENT.int64
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  return [
    ...dims.map((dim) => integerField(1, dim)),
    integerField(2, type),
    textField(8, name),
    bytesField(9, bytes),
  ]
}

/** Returns an input or output of a graph (ValueInfoProto). Named dimensions may have any size; without `dims` the shape is left open. */
export function valueInfo(name: string, element: Element, dims?: readonly (number | string)[]): Field[] {
  const shape = dims?.map((dim) =>
    messageField(1, [typeof dim === 'number' ? integerField(1, dim) : textField(2, dim)]),
  )
  const tensorType = [integerField(1, ELEMENT[element]), ...(shape ? [messageField(2, shape)] : [])]
  return [textField(1, name), messageField(2, [messageField(1, tensorType)])]
}

interface GraphParts {
  readonly nodes: readonly (readonly Field[])[]
  readonly initializers?: readonly (readonly Field[])[]
  readonly inputs?: readonly (readonly Field[])[]
  readonly outputs: readonly (readonly Field[])[]
}

/** Returns a graph (GraphProto). */
export function graph(name: string, { nodes, initializers = [], inputs = [], outputs }: GraphParts): Field[] {
  return [
    ...nodes.map((fields) => messageField(GRAPH.node, fields)),
    textField(GRAPH.name, name),
    ...initializers.map((fields) => messageField(GRAPH.initializer, fields)),
    ...inputs.map((fields) => messageField(GRAPH.input, fields)),
    ...outputs.map((fields) => messageField(GRAPH.output, fields)),
  ]
}

/** Number of the field of a file (ModelProto) that holds its graph. */
const MAIN = 7

/** Writes a file (ModelProto) for operator set 14. */
export function onnxFile(main: readonly Field[]): Uint8Array {
  return writeMessage([
    integerField(1, 8),
    textField(2, 'uwbench'),
    messageField(MAIN, main),
    messageField(8, [textField(1, ''), integerField(2, 14)]),
  ])
}

/** Numbers of a graph's fields (GraphProto). */
export const GRAPH = { node: 1, name: 2, initializer: 5, input: 11, output: 12 } as const

/** Rewrites the fields of a file's graph; everything else stays as it is. */
export function rewriteGraph(
  file: Uint8Array,
  rewrite: (fields: readonly Field[]) => readonly Field[],
): Uint8Array {
  const model = readMessage(file)
  const main = model.find(({ number }) => number === MAIN)
  if (main === undefined) throw outOfRange('the file', 'an ONNX model', `${file.length} bytes`)
  const rewritten = messageField(MAIN, rewrite(readMessage(main.value as Uint8Array)))
  return writeMessage(model.map((field) => (field === main ? rewritten : field)))
}

/** A node as read from a file. */
export interface NodeView {
  /** May be empty. */
  readonly name: string
  readonly op: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly fields: readonly Field[]
}

const text = new TextDecoder()
const texts = (fields: readonly Field[], number: number): string[] =>
  fields.filter((field) => field.number === number).map(({ value }) => text.decode(value as Uint8Array))

export function readNode(bytes: Uint8Array): NodeView {
  const fields = readMessage(bytes)
  const first = (number: number) => texts(fields, number)[0] ?? ''
  return { name: first(3), op: first(4), inputs: texts(fields, 1), outputs: texts(fields, 2), fields }
}

export const readName = (valueInfoBytes: Uint8Array): string => texts(readMessage(valueInfoBytes), 1)[0] ?? ''

export const readTensorName = (tensorBytes: Uint8Array): string => texts(readMessage(tensorBytes), 8)[0] ?? ''

const messageOf = (fields: readonly Field[], number: number): Field[] =>
  readMessage(fields.find((field) => field.number === number)?.value as Uint8Array)

/** Returns an input or output (ValueInfoProto) with its name and element type, its shape left open. */
export function withoutShape(valueInfoBytes: Uint8Array): Field[] {
  const fields = readMessage(valueInfoBytes)
  const element = messageOf(messageOf(fields, 2), 1).filter(({ number }) => number === 1)
  return [textField(1, readName(valueInfoBytes)), messageField(2, [messageField(1, element)])]
}

/** Returns the integers of a node's attribute; empty where it has none. */
export function readIntegers({ fields }: NodeView, name: string): number[] {
  for (const field of fields) {
    if (field.number !== 5) continue
    const inner = readMessage(field.value as Uint8Array)
    if (texts(inner, 1)[0] !== name) continue
    return inner.filter(({ number }) => number === 3 || number === 8).flatMap(({ value }) => unpack(value))
  }
  return []
}

/** Reads repeated integers, which come one by one or packed. */
const unpack = (value: bigint | Uint8Array): number[] =>
  (typeof value === 'bigint' ? [value] : readVarints(value)).map((i) => Number(BigInt.asIntN(64, i)))

const outputsOf = (file: Uint8Array): Uint8Array[] =>
  messageOf(readMessage(file), MAIN)
    .filter(({ number }) => number === GRAPH.output)
    .map(({ value }) => value as Uint8Array)

export const outputNames = (file: Uint8Array): string[] => outputsOf(file).map(readName)

/** Returns the last size of an output of a model's graph, if it has that output and states the size. */
export function outputWidth(file: Uint8Array, output: string): number | undefined {
  const bytes = outputsOf(file).find((value) => readName(value) === output)
  if (bytes === undefined) return undefined
  // ValueInfoProto.type.tensor_type.shape.dim: each has a number (1) or a name (2)
  const shape = messageOf(messageOf(readMessage(bytes), 2), 1).find(({ number }) => number === 2)
  if (shape === undefined) return undefined
  const last = readMessage(shape.value as Uint8Array).at(-1)
  const size = last && readMessage(last.value as Uint8Array).find(({ number }) => number === 1)?.value
  return typeof size === 'bigint' ? Number(size) : undefined
}
