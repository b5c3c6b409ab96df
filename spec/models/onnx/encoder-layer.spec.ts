import { expect, test } from 'vitest'
import { cutAfterLayer } from '../../../src/text/models/onnx/encoder-layer.ts'
import { graph, node, onnxFile, tensor, valueInfo } from '../../../src/text/models/onnx/onnx-file.ts'
import { onnxruntime } from '../../../src/text/models/onnx/runtime.ts'

/** Layer i adds 10^i, in two nodes whose names end the layer as an exporter names them; the states are then doubled. */
function threeLayers(name: (layer: number) => string): Uint8Array {
  const constant = (at: string, value: number) => tensor(at, [1], Float32Array.of(value))
  const layers = [0, 1, 2].flatMap((i) => {
    const before = i === 0 ? 'x' : `${name(i - 1)}Add_1_output_0`
    return [
      node('Add', [before, `c${i}`], [`${name(i)}Add_output_0`]),
      node('Add', [`${name(i)}Add_output_0`, 'zero'], [`${name(i)}Add_1_output_0`]),
    ]
  })
  return onnxFile(
    graph('layers', {
      nodes: [...layers, node('Mul', [`${name(2)}Add_1_output_0`, 'two'], ['last_hidden_state'])],
      initializers: [
        constant('zero', 0),
        constant('two', 2),
        ...[0, 1, 2].map((i) => constant(`c${i}`, 10 ** i)),
      ],
      inputs: [valueInfo('x', 'float32', [1])],
      outputs: [valueInfo('last_hidden_state', 'float32', [1])],
    }),
  )
}

const bert = (layer: number): string => `/encoder/layer.${layer}/output/LayerNorm/`

async function run(file: Uint8Array): Promise<number> {
  const ort = onnxruntime()
  const session = await ort.InferenceSession.create(file)
  const { last_hidden_state } = await session.run({ x: new ort.Tensor('float32', Float32Array.of(0), [1]) })
  await session.release()
  return Number(last_hidden_state!.data[0])
}

test('the states are those after the given layer, of BERT and of DistilBERT', async () => {
  expect(await run(threeLayers(bert))).toBe(222)
  for (const [i, states] of [1, 11, 111].entries()) {
    expect(await run(cutAfterLayer(threeLayers(bert), i + 1))).toBe(states)
    const distil = threeLayers((layer) => `/distilbert/transformer/layer.${layer}/output_layer_norm/`)
    expect(await run(cutAfterLayer(distil, i + 1))).toBe(states)
  }
})

test('a layer that is not there, or a graph without names, is refused', () => {
  expect(() => cutAfterLayer(threeLayers(bert), 4)).toThrow('layer: expected an integer in [1, 3], got 4')
  const unnamed = threeLayers((layer) => `v${layer}.`)
  expect(() => cutAfterLayer(unnamed, 1)).toThrow('layer: expected a graph that names its layers')
})
