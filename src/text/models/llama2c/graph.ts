/** A llama2.c checkpoint as an ONNX decoder with the inputs and outputs that the hub's exports have. */
import { GraphBuilder } from '../onnx/graph-builder.ts'
import { graph, onnxFile, valueInfo } from '../onnx/onnx-file.ts'
import type { Checkpoint, Sizes } from './checkpoint.ts'

const EPSILON = 1e-5

type Row = Float32Array

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

/** Returns the rows of one layer's `[rows, columns]` matrix. */
const rowsOf = (matrices: Float32Array, layer: number, rows: number, columns: number): Row[] =>
  upTo(rows).map((row) =>
    matrices.subarray((layer * rows + row) * columns, (layer * rows + row + 1) * columns),
  )

/**
 * Orders the rows of a query or key matrix, each head's even rows before its odd ones: llama2.c rotates neighbours (2i, 2i + 1), the graph
 * rotates halves. Queries and keys are reordered alike, so their products stay the same.
 */
function evenBeforeOdd(rows: readonly Row[], headSize: number): Row[] {
  const half = headSize / 2
  return rows.map((_, row) => {
    const i = row % headSize
    return rows[row - i + (i < half ? 2 * i : 2 * (i - half) + 1)]!
  })
}

/** Returns the matrix that has these rows as its columns. */
function transposed(rows: readonly Row[]): Float32Array {
  const columns = rows[0]!.length
  const out = new Float32Array(rows.length * columns)
  for (const [r, row] of rows.entries()) for (let i = 0; i < columns; i++) out[i * rows.length + r] = row[i]!
  return out
}

class LlamaBuilder extends GraphBuilder {
  readonly #checkpoint: Checkpoint
  readonly #sizes: Sizes

  constructor(checkpoint: Checkpoint) {
    super()
    this.#checkpoint = checkpoint
    this.#sizes = checkpoint.sizes
  }

  /** x / sqrt(mean(x^2) + epsilon) * weight */
  norm(x: string, name: string, weight: Float32Array, output?: string): string {
    const mean = this.op('ReduceMean', [this.op('Pow', [x, this.float(2)])], { axes: [-1] })
    const root = this.op('Sqrt', [this.op('Add', [mean, this.float(EPSILON)])])
    const scale = this.constant(name, [weight.length], weight)
    return this.op('Mul', [this.op('Div', [x, root]), scale], {}, output)
  }

  /** x W^T for the matrix W with these rows. */
  linear(x: string, name: string, rows: readonly Row[]): string {
    return this.op('MatMul', [x, this.constant(name, [rows[0]!.length, rows.length], transposed(rows))])
  }

  /** Rotates the halves (a, b) of every head by the angles of its position. */
  rotate(x: string, cosines: string, sines: string): string {
    const [a = '', b = ''] = this.split(x, -1, 2)
    const times = (y: string, z: string) => this.op('Mul', [y, z])
    const first = this.op('Sub', [times(a, cosines), times(b, sines)])
    const second = this.op('Add', [times(a, sines), times(b, cosines)])
    return this.op('Concat', [first, second], { axis: -1 })
  }

  /** Returns the angles at the positions of the new columns, `[rows, 1, columns, angles]`. */
  angles(name: string, table: Float32Array): string {
    const { positions } = this.#sizes
    const constant = this.constant(name, [positions, table.length / positions], table)
    return this.op('Unsqueeze', [this.op('Gather', [constant, 'position_ids']), this.ints(1)])
  }

  attentionLayer(x: string, i: number, cosines: string, sines: string, bias: string): string {
    const { query, key, value, output, attentionNorm } = this.#checkpoint
    const { width, heads } = this.#sizes
    const size = width / heads
    const rows = (matrices: Float32Array) => rowsOf(matrices, i, width, width)
    const normed = this.norm(x, `${i}.attention_norm`, rowsOf(attentionNorm, i, 1, width)[0]!)
    const all = this.linear(normed, `${i}.query_key_value`, [
      ...evenBeforeOdd(rows(query), size),
      ...evenBeforeOdd(rows(key), size),
      ...rows(value),
    ])
    const byHead = this.op('Reshape', [all, this.ints(0, 0, 3 * heads, size)])
    const planes = this.op('Transpose', [byHead], { perm: [0, 2, 1, 3] })
    const [qk = '', v = ''] = this.split(planes, 1, [2 * heads, heads])
    const [q = '', k = ''] = this.split(this.rotate(qk, cosines, sines), 1, 2)
    const cached = (part: string, fresh: string) =>
      this.op('Concat', [`past_key_values.${i}.${part}`, fresh], { axis: 2 }, `present.${i}.${part}`)
    const mixed = this.attention(q, cached('key', k), cached('value', v), bias, heads, size)
    return this.op('Add', [x, this.linear(mixed, `${i}.output`, rows(output))])
  }

  /** down(silu(gate x) * up x) */
  feedForwardLayer(x: string, i: number): string {
    const { gate, down, up, feedForwardNorm } = this.#checkpoint
    const { width, hidden } = this.#sizes
    const normed = this.norm(x, `${i}.feed_forward_norm`, rowsOf(feedForwardNorm, i, 1, width)[0]!)
    const both = this.linear(normed, `${i}.gate_up`, [
      ...rowsOf(gate, i, hidden, width),
      ...rowsOf(up, i, hidden, width),
    ])
    const [g = '', u = ''] = this.split(both, -1, 2)
    const inner = this.op('Mul', [this.op('Mul', [g, this.op('Sigmoid', [g])]), u])
    return this.op('Add', [x, this.linear(inner, `${i}.down`, rowsOf(down, i, width, hidden))])
  }
}

export function llamaGraph(checkpoint: Checkpoint): Uint8Array {
  const { width, layers, heads, vocabSize } = checkpoint.sizes
  const b = new LlamaBuilder(checkpoint)
  const columns = b.size('input_ids', 1)
  const visible = b.op('And', [b.causal(b.size('attention_mask', 1), columns), b.unmasked('attention_mask')])
  const bias = b.bias(visible)
  const cosines = b.angles('cosines', checkpoint.cosines)
  const sines = b.angles('sines', checkpoint.sines)
  const embedding = b.constant('embedding', [vocabSize, width], checkpoint.embedding)
  let x = b.op('Gather', [embedding, 'input_ids'])
  for (let i = 0; i < layers; i++) x = b.feedForwardLayer(b.attentionLayer(x, i, cosines, sines, bias), i)
  const last = b.norm(x, 'final_norm', checkpoint.finalNorm, 'last_hidden_state')
  b.op('MatMul', [last, b.op('Transpose', [embedding], { perm: [1, 0] })], {}, 'logits')
  const ids = (name: string, length: string) => valueInfo(name, 'int64', ['batch_size', length])
  const states = (name: string, size: number) =>
    valueInfo(name, 'float32', ['batch_size', 'sequence_length', size])
  const cache = (prefix: string, length: string) =>
    upTo(layers).flatMap((i) =>
      ['key', 'value'].map((part) =>
        valueInfo(`${prefix}.${i}.${part}`, 'float32', ['batch_size', heads, length, width / heads]),
      ),
    )
  return onnxFile(
    graph('llama', {
      nodes: b.nodes,
      initializers: [...b.constants.values()],
      inputs: [
        ids('input_ids', 'sequence_length'),
        ids('attention_mask', 'total_sequence_length'),
        ids('position_ids', 'sequence_length'),
        ...cache('past_key_values', 'past_sequence_length'),
      ],
      outputs: [
        states('logits', vocabSize),
        ...cache('present', 'total_sequence_length'),
        states('last_hidden_state', width),
      ],
    }),
  )
}
