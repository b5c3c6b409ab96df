/** The checkpoint that a converted graph was made from: undoes what `llama2c/graph.ts` does to the weights. */
import type { Sizes } from '../../../src/text/models/llama2c/checkpoint.ts'
import { readMessage } from '../../../src/text/models/onnx/protobuf.ts'
import { concat } from './tiny.ts'

/** The float32 constants of an ONNX file by name. */
function constants(file: Uint8Array): Map<string, Float32Array> {
  const inner = (bytes: Uint8Array, number: number) =>
    readMessage(bytes)
      .filter((field) => field.number === number)
      .map(({ value }) => value as Uint8Array)
  const [graph = new Uint8Array()] = inner(file, 7)
  return new Map(
    inner(graph, 5).map((tensor) => {
      const [name = ''] = inner(tensor, 8).map((bytes) => new TextDecoder().decode(bytes))
      const [raw = new Uint8Array()] = inner(tensor, 9)
      // constants of whole numbers are of no interest here
      return [name, new Float32Array(Uint8Array.from(raw.subarray(0, raw.length & ~3)).buffer)]
    }),
  )
}

/** The rows `[from, to)` of W from W^T with `rows` columns. */
function rowsOf(transposed: Float32Array, rows: number, from: number, to: number): Float32Array {
  const columns = transposed.length / rows
  return Float32Array.from({ length: (to - from) * columns }, (_, at) => {
    const row = from + Math.floor(at / columns)
    return transposed[(at % columns) * rows + row]!
  })
}

/** Rows with each head's even ones before its odd ones, put back. */
function interleaved(matrix: Float32Array, columns: number, headSize: number): Float32Array {
  const out = new Float32Array(matrix.length)
  for (let row = 0; row * columns < matrix.length; row++) {
    const i = row % headSize
    const to = row - i + (i < headSize / 2 ? 2 * i : 2 * i - headSize + 1)
    out.set(matrix.subarray(row * columns, (row + 1) * columns), to * columns)
  }
  return out
}

/** The bytes of the checkpoint. */
export function checkpointBytes(file: Uint8Array, sizes: Sizes): Uint8Array {
  const { width, hidden, layers, heads } = sizes
  const known = constants(file)
  const get = (name: string) => known.get(name)!
  const perLayer = (make: (layer: number) => Float32Array) =>
    Array.from({ length: layers }, (_, i) => make(i))
  const part = (name: string, rows: number, from: number, to: number) =>
    perLayer((i) => rowsOf(get(`${i}.${name}`), rows, from, to))
  const attention = (nth: number) => part('query_key_value', 3 * width, nth * width, (nth + 1) * width)
  const unrotated = (matrix: Float32Array) => interleaved(matrix, width, width / heads)
  const tensors = [
    get('embedding'),
    ...perLayer((i) => get(`${i}.attention_norm`)),
    ...attention(0).map(unrotated),
    ...attention(1).map(unrotated),
    ...attention(2),
    ...part('output', width, 0, width),
    ...perLayer((i) => get(`${i}.feed_forward_norm`)),
    ...part('gate_up', 2 * hidden, 0, hidden),
    ...part('down', width, 0, width),
    ...part('gate_up', 2 * hidden, hidden, 2 * hidden),
    get('final_norm'),
    get('cosines'),
    get('sines'),
  ]
  const header = new Uint8Array(Int32Array.from(Object.values(sizes)).buffer)
  return concat(
    header,
    ...tensors.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
  )
}
