/** Builds small ONNX graphs with random weights: one method per kind of layer. */
import { seededRandom } from '../../../src/keys/stream.ts'
import { GraphBuilder } from '../../../src/models/onnx/graph-builder.ts'
import { node } from '../../../src/models/onnx/onnx-file.ts'
import type { Field } from '../../../src/models/onnx/protobuf.ts'

/** Sizes of all tiny models. */
export const SIZE = { vocab: 24, width: 16, heads: 2, head: 8, layers: 2, positions: 64 } as const

export class TinyBuilder extends GraphBuilder {
  readonly #seed: string

  /** Graphs of one seed have the same weights under the same names; those of one file share them. */
  constructor(seed: string, constants?: Map<string, Field[]>, prefix?: string) {
    super(constants, prefix)
    this.#seed = seed
  }

  /** A random matrix; `spread` is the size of what comes out of it for inputs of size 1. */
  matrix(name: string, rows: number, columns: number, spread = 1): string {
    if (this.constants.has(name)) return name
    const stream = seededRandom(this.#seed, name)
    const scale = spread * Math.sqrt(12 / rows)
    const data = Float32Array.from({ length: rows * columns }, () => scale * (stream.uniform() - 0.5))
    return this.constant(name, [rows, columns], data)
  }

  /** One of two graphs, by a condition. */
  choose(condition: string, then: Field[], otherwise: Field[], outputs: string[]): void {
    const branches = { then_branch: { graph: then }, else_branch: { graph: otherwise } }
    this.nodes.push(node('If', [condition], outputs, branches))
  }

  linear(x: string, name: string, spread = 1): string {
    return this.op('MatMul', [x, this.matrix(name, SIZE.width, SIZE.width, spread)])
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
