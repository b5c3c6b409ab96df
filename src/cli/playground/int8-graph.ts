/**
 * A decoder's graph with its large matrices as int8, a quarter of the size. Each row of an embedding and each column of a
 * weight matrix has its own scale, s = max |w| / 127, and w is rounded to s * round(w / s), with an error of at most s / 2. The graph
 * multiplies them out (DequantizeLinear). Activations stay float32, so texts of a batch do not influence each other.
 */
import {
  bytesField,
  type Field,
  integerField,
  messageField,
  node,
  readMessage,
  readNode,
  textField,
  writeMessage,
} from '../../text/models/index.ts'

const MODEL_GRAPH = 7
const NODE = 1
const INITIALIZER = 5
/** TensorProto: dims, data type, name, raw data. */
const [DIMS, TYPE, NAME, RAW] = [1, 2, 8, 9]
const [FLOAT, INT8] = [1, 3]
/** Smaller matrices, such as tables of angles and norms, stay float32. */
const MIN_SIZE = 1 << 16

interface Matrix {
  readonly name: string
  readonly rows: number
  readonly columns: number
  readonly values: Float32Array
}

/** Reads a float32 matrix of at least `minSize` numbers; undefined for other tensors. */
function readMatrix(bytes: Uint8Array, minSize: number): Matrix | undefined {
  const fields = readMessage(bytes)
  const all = (number: number) => fields.filter((field) => field.number === number).map(({ value }) => value)
  const dims = all(DIMS).map(Number)
  const [rows = 0, columns = 0] = dims
  const raw = all(RAW)[0] as Uint8Array | undefined
  if (Number(all(TYPE)[0]) !== FLOAT || dims.length !== 2 || !raw || rows * columns < minSize)
    return undefined
  const name = new TextDecoder().decode(all(NAME)[0] as Uint8Array)
  // a copy, because float32 views must be aligned
  return { name, rows, columns, values: new Float32Array(Uint8Array.from(raw).buffer) }
}

const tensor = (name: string, type: number, dims: readonly number[], data: ArrayBufferView): Field[] => [
  ...dims.map((dim) => integerField(DIMS, dim)),
  integerField(TYPE, type),
  textField(NAME, name),
  bytesField(RAW, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
]

/** Returns the scales along an axis, and the rounded matrix. */
function quantised({ rows, columns, values }: Matrix, axis: 0 | 1) {
  const scales = new Float32Array(axis === 0 ? rows : columns)
  const at = (i: number): number => (axis === 0 ? Math.floor(i / columns) : i % columns)
  for (let i = 0; i < values.length; i++) scales[at(i)] = Math.max(scales[at(i)]!, Math.abs(values[i]!))
  for (let k = 0; k < scales.length; k++) scales[k] = scales[k]! / 127 || 1
  const rounded = Int8Array.from(values, (value, i) => Math.round(value / scales[at(i)]!))
  return { scales, rounded }
}

/**
 * Rewrites an ONNX file with int8 matrices.
 * @param minSize smallest matrix that is rounded, in numbers
 */
export function int8Graph(file: Uint8Array, minSize = MIN_SIZE): Uint8Array {
  const model = readMessage(file)
  const graph = readMessage(model.find(({ number }) => number === MODEL_GRAPH)!.value as Uint8Array)
  const nodes = graph
    .filter(({ number }) => number === NODE)
    .map(({ value }) => readNode(value as Uint8Array))
  const isLookedUp = (name: string): boolean =>
    nodes.some(({ op, inputs }) => op === 'Gather' && inputs[0] === name)
  const added: Field[] = []
  const rest = graph.flatMap((field) => {
    const matrix = field.number === INITIALIZER ? readMatrix(field.value as Uint8Array, minSize) : undefined
    if (matrix === undefined) return [field]
    const { name, rows, columns } = matrix
    const axis = isLookedUp(name) ? 0 : 1
    const { scales, rounded } = quantised(matrix, axis)
    const [weights, scale] = [`${name}.int8`, `${name}.scale`]
    added.push(messageField(NODE, node('DequantizeLinear', [weights, scale], [name], { axis })))
    return [
      messageField(INITIALIZER, tensor(weights, INT8, [rows, columns], rounded)),
      messageField(INITIALIZER, tensor(scale, FLOAT, [scales.length], scales)),
    ]
  })
  return writeMessage(
    model.map((field) =>
      field.number === MODEL_GRAPH ? messageField(MODEL_GRAPH, [...added, ...rest]) : field,
    ),
  )
}
