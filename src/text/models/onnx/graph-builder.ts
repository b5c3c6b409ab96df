import { type Attribute, node, tensor } from './onnx-file.ts'
import type { Field } from './protobuf.ts'

/** Builds the nodes of an ONNX graph. Values are their names: every method returns the name of its result. */
export class GraphBuilder {
  readonly nodes: Field[][] = []
  readonly constants: Map<string, Field[]>
  readonly #prefix: string

  /**
   * @param constants may be shared: graphs that name the same constant then use one copy
   * @param prefix tells the values of graphs in one file apart
   */
  constructor(constants = new Map<string, Field[]>(), prefix = '') {
    this.constants = constants
    this.#prefix = prefix
  }

  op(kind: string, inputs: string[], attributes: Record<string, Attribute> = {}, output?: string): string {
    const name = output ?? `${this.#prefix}${kind}_${this.nodes.length}`
    this.nodes.push(node(kind, inputs, [name], attributes))
    return name
  }

  /** Splits `x` along an axis, into parts of equal size or of these sizes. */
  split(x: string, axis: number, parts: number | readonly number[]): string[] {
    const count = typeof parts === 'number' ? parts : parts.length
    const names = Array.from({ length: count }, (_, i) => `${this.#prefix}Split_${this.nodes.length}_${i}`)
    const inputs = typeof parts === 'number' ? [x] : [x, this.ints(...parts)]
    this.nodes.push(node('Split', inputs, names, { axis }))
    return names
  }

  constant(name: string, dims: readonly number[], data: Float32Array | BigInt64Array): string {
    this.constants.set(name, tensor(name, dims, data))
    return name
  }

  ints(...values: number[]): string {
    return this.constant(`ints:${values.join()}`, [values.length], BigInt64Array.from(values, BigInt))
  }

  scalar(value: number): string {
    return this.constant(`int:${value}`, [], BigInt64Array.of(BigInt(value)))
  }

  float(value: number): string {
    return this.constant(`float:${value}`, [], Float32Array.of(value))
  }

  /** Returns the size of one dimension, as a scalar. */
  size(x: string, dimension: number): string {
    return this.op('Gather', [this.op('Shape', [x]), this.scalar(dimension)])
  }

  range(from: string, to: string): string {
    return this.op('Range', [from, to, this.scalar(1)])
  }

  /** Gives 0 where a condition holds, a large negative number elsewhere. */
  bias(condition: string): string {
    return this.op('Where', [condition, this.float(0), this.float(-1e9)])
  }

  /** Marks which of `total` columns each of the last `count` may attend to: itself and all before it. */
  causal(total: string, count: string): string {
    const keys = this.op('Unsqueeze', [this.range(this.scalar(0), total), this.ints(0)])
    const queries = this.op('Unsqueeze', [this.range(this.op('Sub', [total, count]), total), this.ints(1)])
    return this.op('Unsqueeze', [this.op('LessOrEqual', [keys, queries]), this.ints(0, 1)])
  }

  /** Marks the columns that hold a token, from a mask of ones and zeros. */
  unmasked(mask: string): string {
    return this.op('Unsqueeze', [this.op('Greater', [mask, this.scalar(0)]), this.ints(1, 2)])
  }

  /** Computes softmax(q k^T / sqrt(d) + bias) v over `[rows, heads, columns, d]`, its heads side by side: `[rows, columns, heads d]`. */
  attention(q: string, k: string, v: string, bias: string, heads: number, d: number): string {
    const products = this.op('MatMul', [q, this.op('Transpose', [k], { perm: [0, 1, 3, 2] })])
    const scaled = this.op('Mul', [products, this.float(d ** -0.5)])
    const weights = this.op('Softmax', [this.op('Add', [scaled, bias])], { axis: -1 })
    const merged = this.op('Transpose', [this.op('MatMul', [weights, v])], { perm: [0, 2, 1, 3] })
    return this.op('Reshape', [merged, this.ints(0, 0, heads * d)])
  }
}
