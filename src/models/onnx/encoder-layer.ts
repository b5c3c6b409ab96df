/**
 * An encoder cut after one of its layers. BERTScore compares states of an inner layer, exports give those of the last; they
 * name their nodes after the modules of the original model, so the end of a layer can be found.
 */
import { outOfRange } from '../../input.ts'
import { node, readName, readNode, readTensorName } from './onnx-file.ts'
import { type Field, messageField, readMessage, writeMessage } from './protobuf.ts'

const GRAPH = 7
const NODE = 1
const INITIALIZER = 5
const OUTPUT = 12
const STATES = 'last_hidden_state'

/** The norm that ends a layer: BERT and its kin, and DistilBERT. */
const LAYER_END = /(?:^|[/.])layer[./](\d+)[/.](?:output[/.]LayerNorm|output_layer_norm)[/.]/

const bytesOf = ({ value }: Field): Uint8Array => value as Uint8Array

/** The last node of each layer, by layer from 0: its place in the graph and the value it gives. */
function layerEnds(nodes: readonly Field[]): { at: number; value: string }[] {
  const ends: { at: number; value: string }[] = []
  for (const [at, field] of nodes.entries()) {
    const { name, op, outputs } = readNode(bytesOf(field))
    const [value = ''] = outputs
    const layer = LAYER_END.exec(name || value)?.[1]
    // int8 graphs quantize the states for the next layer, under names of this one
    if (layer !== undefined && !/QuantizeLinear$/.test(op)) ends[Number(layer)] = { at, value }
  }
  return ends
}

/**
 * The graph whose `last_hidden_state` are the states after `layer` layers; everything behind is cut off. Nodes are in
 * topological order, so nothing that the layer needs stands behind it. Weights that only the rest uses go too.
 */
export function cutAfterLayer(file: Uint8Array, layer: number): Uint8Array {
  const model = readMessage(file)
  const graph = readMessage(bytesOf(model.find(({ number }) => number === GRAPH)!))
  const nodes = graph.filter(({ number }) => number === NODE)
  const ends = layerEnds(nodes)
  if (ends.length === 0) throw outOfRange('layer', 'a graph that names its layers as exporters do', layer)
  const end = ends[layer - 1]
  if (end === undefined) throw outOfRange('layer', `a whole number in [1, ${ends.length}]`, layer)
  const states = graph.find((field) => field.number === OUTPUT && readName(bytesOf(field)) === STATES)
  if (states === undefined) throw outOfRange("the graph's outputs", `${STATES} among them`, 'none')
  // the last layer's norm may itself be the output
  const own = end.value === STATES ? [] : [messageField(NODE, node('Identity', [end.value], [STATES]))]
  const kept = nodes.slice(0, end.at + 1)
  const used = new Set(kept.flatMap((field) => readNode(bytesOf(field)).inputs))
  const rest = graph.filter(
    (field) =>
      field.number !== NODE &&
      field.number !== OUTPUT &&
      (field.number !== INITIALIZER || used.has(readTensorName(bytesOf(field)))),
  )
  const cut = [...kept, ...own, ...rest, states]
  return writeMessage(model.map((field) => (field.number === GRAPH ? messageField(GRAPH, cut) : field)))
}
