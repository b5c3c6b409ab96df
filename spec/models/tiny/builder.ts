/** Builds small ONNX graphs with random weights: one method per kind of layer. */
import { seededRandom } from '../../../src/core/keys/stream.ts'
import { GraphBuilder } from '../../../src/text/models/onnx/graph-builder.ts'
import { node } from '../../../src/text/models/onnx/onnx-file.ts'
import { bytesField, type Field, integerField, textField } from '../../../src/text/models/onnx/protobuf.ts'

/** Sizes of all tiny models. */
export const SIZE = { vocab: 24, width: 16, heads: 2, head: 8, layers: 2, positions: 64 } as const

/** Weights of layers: as they are, in int4, or as the numbers that int4 stands for. */
export type Weights = 'float' | 'int4' | 'rounded'

/** TensorProto.DataType of bytes. */
const BYTES = 2

/** Columns of a matrix in int4, each with a scale of its own: w = (q - 8) scale. */
function quantised(data: Float32Array, rows: number, columns: number) {
  const scales = Float32Array.from({ length: columns }, (_, n) =>
    Math.max(...Array.from({ length: rows }, (_, k) => Math.abs(data[k * columns + n]!) / 7)),
  )
  const levels = Uint8Array.from(data, (w, i) => Math.round(w / scales[i % columns]!) + 8)
  return { scales, levels }
}

export class TinyBuilder extends GraphBuilder {
  readonly #seed: string
  readonly #weights: Weights

  /** Graphs of one seed have the same weights under the same names; those of one file share them. */
  constructor(seed: string, constants?: Map<string, Field[]>, prefix?: string, weights: Weights = 'float') {
    super(constants, prefix)
    this.#seed = seed
    this.#weights = weights
  }

  /** A random matrix; `spread` is the size of what comes out of it for inputs of size 1. */
  matrix(name: string, rows: number, columns: number, spread = 1): string {
    if (this.constants.has(name)) return name
    return this.constant(name, [rows, columns], this.#random(name, rows, columns, spread))
  }

  #random(name: string, rows: number, columns: number, spread: number): Float32Array {
    const stream = seededRandom(this.#seed, name)
    const scale = spread * Math.sqrt(12 / rows)
    return Float32Array.from({ length: rows * columns }, () => scale * (stream.uniform() - 0.5))
  }

  /** One of two graphs, by a condition. */
  choose(condition: string, then: Field[], otherwise: Field[], outputs: string[]): void {
    const branches = { then_branch: { graph: then }, else_branch: { graph: otherwise } }
    this.nodes.push(node('If', [condition], outputs, branches))
  }

  linear(x: string, name: string, spread = 1): string {
    const { width } = SIZE
    if (this.#weights === 'float') return this.op('MatMul', [x, this.matrix(name, width, width, spread)])
    const { scales, levels } = quantised(this.#random(name, width, width, spread), width, width)
    if (this.#weights === 'int4') return this.#fourBits(x, name, scales, levels)
    const rounded = Float32Array.from(levels, (level, i) => (level - 8) * scales[i % width]!)
    return this.op('MatMul', [x, this.constant(name, [width, width], rounded)])
  }

  /** As the hub's graphs in int4 have it: two weights in a byte, column by column. */
  #fourBits(x: string, name: string, scales: Float32Array, levels: Uint8Array): string {
    const { width } = SIZE
    const at = (n: number, k: number) => levels[k * width + n]!
    const bytes = Uint8Array.from({ length: (width * width) / 2 }, (_, i) => {
      const [n, k] = [Math.floor((2 * i) / width), (2 * i) % width]
      return at(n, k) | (at(n, k + 1) << 4)
    })
    const dims = [width, 1, width / 2].map((dim) => integerField(1, dim))
    const packed = `${name}.packed`
    this.constants.set(packed, [...dims, integerField(2, BYTES), textField(8, packed), bytesField(9, bytes)])
    const output = `${name}.product`
    const inputs = [x, packed, this.constant(`${name}.scales`, [width], scales)]
    const sizes = { K: width, N: width, bits: 4, block_size: width }
    this.nodes.push([...node('MatMulNBits', inputs, [output], sizes), textField(7, 'com.microsoft')])
    return output
  }

  /** [batch, tokens, width] to [batch, heads, tokens, head]. */
  byHead(x: string): string {
    const parts = this.op('Reshape', [x, this.ints(0, 0, SIZE.heads, SIZE.head)])
    return this.op('Transpose', [parts], { perm: [0, 2, 1, 3] })
  }

  attend(q: string, k: string, v: string, bias: string): string {
    return this.attention(q, k, v, bias, SIZE.heads, SIZE.head)
  }

  /** x + tanh(x W): something that is not linear. */
  mix(x: string, name: string): string {
    return this.op('Add', [x, this.op('Tanh', [this.linear(x, name, 2)])])
  }

  embed(ids: string): string {
    return this.op('Gather', [this.matrix('tokens', SIZE.vocab, SIZE.width, 3), ids])
  }

  /** Learned vectors for the positions `from .. from + count - 1`. */
  positions(name: string, from: string, count: string): string {
    const indices = this.range(from, this.op('Add', [from, count]))
    return this.op('Gather', [this.matrix(name, SIZE.positions, SIZE.width, 2), indices])
  }

  logits(x: string, output: string): string {
    return this.op('MatMul', [x, this.matrix('head', SIZE.width, SIZE.vocab, 1)], {}, output)
  }
}
