/** The forward pass of a llama2.c checkpoint in plain float64, one token at a time: the oracle of the graph. */
import type { Checkpoint } from '../../../src/text/models/llama2c/checkpoint.ts'

type Vector = Float64Array | Float32Array

const dot = (a: Vector, aFrom: number, b: Vector, bFrom: number, count: number): number => {
  let sum = 0
  for (let i = 0; i < count; i++) sum += a[aFrom + i]! * b[bFrom + i]!
  return sum
}

/** W x for the rows of `matrices` from `first` on. */
const multiply = (matrices: Float32Array, first: number, rows: number, x: Vector): Float64Array =>
  Float64Array.from({ length: rows }, (_, row) => dot(matrices, (first + row) * x.length, x, 0, x.length))

function norm(x: Float64Array, weights: Float32Array, layer: number): Float64Array {
  const root = Math.sqrt(dot(x, 0, x, 0, x.length) / x.length + 1e-5)
  return x.map((value, i) => (value / root) * weights[layer * x.length + i]!)
}

/** Rotates the pairs (2i, 2i + 1) of every head. */
function rotate(x: Float64Array, position: number, { sizes, cosines, sines }: Checkpoint): void {
  const half = sizes.width / sizes.heads / 2
  for (let i = 0; i < x.length; i += 2) {
    const angle = position * half + ((i / 2) % half)
    const [a, b, c, s] = [x[i]!, x[i + 1]!, cosines[angle]!, sines[angle]!]
    x[i] = a * c - b * s
    x[i + 1] = a * s + b * c
  }
}

function softmax(x: number[]): number[] {
  const top = Math.max(...x)
  const masses = x.map((value) => Math.exp(value - top))
  const sum = masses.reduce((a, b) => a + b)
  return masses.map((mass) => mass / sum)
}

/** Attention of the newest query over all keys and values so far, head by head. */
function attend(q: Float64Array, keys: Float64Array[], values: Float64Array[], heads: number): Float64Array {
  const size = q.length / heads
  const out = new Float64Array(q.length)
  for (let from = 0; from < q.length; from += size) {
    const weights = softmax(keys.map((key) => dot(q, from, key, from, size) / Math.sqrt(size)))
    for (const [t, weight] of weights.entries())
      for (let i = from; i < from + size; i++) out[i]! += weight * values[t]![i]!
  }
  return out
}

/** The logits after every token. */
export function forward(c: Checkpoint, tokens: readonly number[]): Float64Array[] {
  const { width, hidden, layers, heads, vocabSize } = c.sizes
  const cache = Array.from({ length: layers }, () => ({
    keys: [] as Float64Array[],
    values: [] as Float64Array[],
  }))
  return tokens.map((token, position) => {
    let x = Float64Array.from(c.embedding.subarray(token * width, (token + 1) * width))
    const add = (y: Float64Array) => {
      x = x.map((value, i) => value + y[i]!)
    }
    for (const [layer, { keys, values }] of cache.entries()) {
      const square = (matrices: Float32Array, y: Float64Array) => multiply(matrices, layer * width, width, y)
      const normed = norm(x, c.attentionNorm, layer)
      const [q, k] = [square(c.query, normed), square(c.key, normed)]
      for (const vector of [q, k]) rotate(vector, position, c)
      keys.push(k)
      values.push(square(c.value, normed))
      add(square(c.output, attend(q, keys, values, heads)))
      const inner = norm(x, c.feedForwardNorm, layer)
      const up = multiply(c.up, layer * hidden, hidden, inner)
      const gated = multiply(c.gate, layer * hidden, hidden, inner).map(
        (g, i) => (g / (1 + Math.exp(-g))) * up[i]!,
      )
      add(multiply(c.down, layer * width, width, gated))
    }
    return multiply(c.embedding, 0, vocabSize, norm(x, c.finalNorm, 0))
  })
}
