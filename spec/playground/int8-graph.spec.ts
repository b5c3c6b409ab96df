/** A graph with int8 matrices computes what the model with rounded weights does. */
import { expect, test } from 'vitest'
import { sessionOptions } from '../../src/cli/playground/browser/web-runtime.ts'
import { int8Graph } from '../../src/cli/playground/int8-graph.ts'
import { type Checkpoint, readCheckpoint } from '../../src/text/models/llama2c/checkpoint.ts'
import { llamaGraph } from '../../src/text/models/llama2c/graph.ts'
import { onnxruntime } from '../../src/text/models/onnx/runtime.ts'
import { forward } from '../models/llama2c/forward.ts'
import { TINY, tinyCheckpoint } from '../models/llama2c/tiny.ts'

/** Every row of a list of matrices, rounded to 127 steps of its largest weight. */
function rounded(weights: Float32Array, columns: number): Float32Array {
  const out = new Float32Array(weights.length)
  for (let from = 0; from < weights.length; from += columns) {
    const row = weights.subarray(from, from + columns)
    const scale = Math.fround(Math.max(...row.map(Math.abs)) / 127)
    out.set(
      row.map((weight) => Math.round(weight / scale) * scale),
      from,
    )
  }
  return out
}

const { width, hidden, vocabSize, heads } = TINY
const exact = readCheckpoint(tinyCheckpoint())
const coarse: Checkpoint = {
  ...exact,
  embedding: rounded(exact.embedding, width),
  query: rounded(exact.query, width),
  key: rounded(exact.key, width),
  value: rounded(exact.value, width),
  output: rounded(exact.output, width),
  gate: rounded(exact.gate, width),
  up: rounded(exact.up, width),
  down: rounded(exact.down, hidden),
}

const gap = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0)

/** The logits after a text, as the playground opens graphs. */
async function logitsOf(graph: Uint8Array, text: readonly number[]): Promise<Float32Array> {
  const ort = onnxruntime()
  const session = await ort.InferenceSession.create(graph, { ...sessionOptions, intraOpNumThreads: 1 })
  const row = (values: readonly number[]) =>
    new ort.Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length])
  const empty = () => new ort.Tensor('float32', new Float32Array(0), [1, heads, 0, width / heads])
  const past = session.inputNames.filter((name) => name.startsWith('past_key_values'))
  const feeds = {
    input_ids: row(text),
    attention_mask: row(text.map(() => 1)),
    position_ids: row([...text.keys()]),
    ...Object.fromEntries(past.map((name) => [name, empty()])),
  }
  const { logits } = await session.run(feeds, ['logits'])
  await session.release()
  return (logits!.data as Float32Array).slice(-vocabSize)
}

const whole = llamaGraph(exact)

test('int8 matrices are the weights rounded by row, and a quarter of the size', async () => {
  // the tables of angles, 80 x 4 numbers, are no weights
  const small = int8Graph(whole, 400)
  const weights = 4 * (vocabSize * width + 2 * (4 * width * width + 3 * width * hidden))
  expect(whole.length - small.length).toBeGreaterThan(0.6 * weights)
  const text = [1, 270, 31, 280, 299, 5, 265]
  const logits = await logitsOf(small, text)
  expect(gap(logits, forward(coarse, text).at(-1)!)).toBeLessThan(1e-4)
  // what the tolerance tells apart: the weights before rounding
  expect(gap(logits, forward(exact, text).at(-1)!)).toBeGreaterThan(1e-3)
})

test('small matrices are left alone', () => {
  expect(Buffer.compare(int8Graph(whole), whole)).toBe(0)
})
