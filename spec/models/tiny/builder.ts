/** Builds small ONNX graphs with random weights: one method per kind of layer. */
import { seededRandom } from '../../../src/keys/stream.ts'
import { type Attribute, node, tensor } from '../../../src/models/onnx/onnx-file.ts'
import type { Field } from '../../../src/models/onnx/protobuf.ts'

/** Sizes of all tiny models. */
export const SIZE = { vocab: 24, width: 16, heads: 2, head: 8, layers: 2, positions: 64 } as const

/** Weights by name: graphs of one model that name the same weight share it. */
export class Weights {
  readonly initializers = new Map<string, Field[]>()
  readonly #seed: string

  constructor(seed: string) {
    this.#seed = seed
  }

  /** A random matrix; `spread` is the size of what comes out of it for inputs of size 1. */
  matrix(name: string, rows: number, columns: number, spread = 1): string {
    if (!this.initializers.has(name)) {
      const stream = seededRandom(this.#seed, name)
      const scale = spread * Math.sqrt(12 / rows)
      const data = Float32Array.from({ length: rows * columns }, () => scale * (stream.uniform() - 0.5))
      this.initializers.set(name, tensor(name, [rows, columns], data))
    }
    return name
  }

  /** A constant. */
  constant(name: string, dims: number[], data: Float32Array | BigInt64Array): string {
    this.initializers.set(name, tensor(name, dims, data))
    return name
  }
}

/** The nodes of one graph. */
export class Nodes {
  readonly list: Field[][] = []
  readonly weights: Weights
  readonly #prefix: string

  constructor(weights: Weights, prefix: string) {
    this.weights = weights
    this.#prefix = prefix
  }

  op(kind: string, inputs: string[], attributes: Record<string, Attribute> = {}, output?: string): string {
    const name = output ?? `${this.#prefix}${kind}_${this.list.length}`
    this.list.push(node(kind, inputs, [name], attributes))
    return name
  }

  /** One of two graphs, by a condition. */
  choose(condition: string, then: Field[], otherwise: Field[], outputs: string[]): void {
    const branches = { then_branch: { graph: then }, else_branch: { graph: otherwise } }
    this.list.push(node('If', [condition], outputs, branches))
  }

  ints(...values: number[]): string {
    const name = `ints:${values.join()}`
    return this.weights.constant(name, [values.length], BigInt64Array.from(values, BigInt))
  }

  scalar(value: number): string {
    return this.weights.constant(`int:${value}`, [], BigInt64Array.of(BigInt(value)))
  }

  float(value: number): string {
    return this.weights.constant(`float:${value}`, [], Float32Array.of(value))
  }

  /** Size of one dimension, as a scalar. */
  size(x: string, dimension: number): string {
    return this.op('Gather', [this.op('Shape', [x]), this.scalar(dimension)])
  }

  range(from: string, to: string): string {
    return this.op('Range', [from, to, this.scalar(1)])
  }

  linear(x: string, name: string, spread = 1): string {
    return this.op('MatMul', [x, this.weights.matrix(name, SIZE.width, SIZE.width, spread)])
  }

  /** [batch, tokens, width] to [batch, heads, tokens, head]. */
  split(x: string): string {
    const parts = this.op('Reshape', [x, this.ints(0, 0, SIZE.heads, SIZE.head)])
    return this.op('Transpose', [parts], { perm: [0, 2, 1, 3] })
  }

  /** softmax(q k^T / sqrt(d) + bias) v, heads merged again. */
  attention(q: string, k: string, v: string, bias: string): string {
    const products = this.op('MatMul', [q, this.op('Transpose', [k], { perm: [0, 1, 3, 2] })])
    const scaled = this.op('Mul', [products, this.float(SIZE.head ** -0.5)])
    const weights = this.op('Softmax', [this.op('Add', [scaled, bias])], { axis: -1 })
    const merged = this.op('Transpose', [this.op('MatMul', [weights, v])], { perm: [0, 2, 1, 3] })
    return this.op('Reshape', [merged, this.ints(0, 0, SIZE.width)])
  }

  /** 0 where a condition holds, a large negative number elsewhere. */
  bias(condition: string): string {
    return this.op('Where', [condition, this.float(0), this.float(-1e9)])
  }

  /** Which of `total` columns each of the last `count` may see: itself and what comes before. */
  causal(total: string, count: string): string {
    const keys = this.op('Unsqueeze', [this.range(this.scalar(0), total), this.ints(0)])
    const queries = this.op('Unsqueeze', [this.range(this.op('Sub', [total, count]), total), this.ints(1)])
    return this.op('Unsqueeze', [this.op('LessOrEqual', [keys, queries]), this.ints(0, 1)])
  }

  /** Which columns hold a token, from a mask of ones and zeros. */
  present(mask: string): string {
    return this.op('Unsqueeze', [this.op('Greater', [mask, this.scalar(0)]), this.ints(1, 2)])
  }

  /** x + tanh(x W): something that is not linear. */
  mix(x: string, name: string): string {
    return this.op('Add', [x, this.op('Tanh', [this.linear(x, name, 2)])])
  }

  embed(ids: string): string {
    return this.op('Gather', [this.weights.matrix('tokens', SIZE.vocab, SIZE.width, 3), ids])
  }

  /** Learned vectors for the positions `from .. from + count - 1`. */
  positions(name: string, from: string, count: string): string {
    const indices = this.range(from, this.op('Add', [from, count]))
    return this.op('Gather', [this.weights.matrix(name, SIZE.positions, SIZE.width, 2), indices])
  }

  logits(x: string, output: string): string {
    return this.op('MatMul', [x, this.weights.matrix('head', SIZE.width, SIZE.vocab, 1)], {}, output)
  }
}
