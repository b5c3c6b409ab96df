/**
 * An encoder cut after one of its layers. BERTScore compares states of an inner layer, exports give those of the last; they
 * name their nodes after the modules of the original model, so the end of a layer can be found.
 */
import { integer, outOfRange } from '../../../input.ts'
import { GRAPH, node, readName, readNode, readTensorName, rewriteGraph } from './onnx-file.ts'
import { type Field, messageField } from './protobuf.ts'

const STATES = 'last_hidden_state'

/** The norm that ends a layer: BERT and its kin, and DistilBERT. */
const LAYER_END = /(?:^|[/.])layer[./](\d+)[/.](?:output[/.]LayerNorm|output_layer_norm)[/.]/

const bytesOf = ({ value }: Field): Uint8Array => value as Uint8Array

/** Returns the last node of each layer, by layer from 0: its place in the graph and the value it gives. */
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
 * Cuts off everything behind `layer` layers, so that `last_hidden_state` are the states after them. Nodes are in
 * topological order, so nothing that the layer needs stands behind it. Weights that only the rest uses go too.
 */
export const cutAfterLayer = (file: Uint8Array, layer: number): Uint8Array =>
  rewriteGraph(file, (graph) => {
    const nodes = graph.filter(({ number }) => number === GRAPH.node)
    const ends = layerEnds(nodes)
    if (ends.length === 0) throw outOfRange('layer', 'a graph that names its layers as exporters do', layer)
    const end = ends[integer('layer', layer, 1, ends.length) - 1]!
    const states = graph.find((field) => field.number === GRAPH.output && readName(bytesOf(field)) === STATES)
    if (states === undefined) throw outOfRange("the graph's outputs", `${STATES} among them`, 'none')
    // the last layer's norm may itself be the output
    const own =
      end.value === STATES ? [] : [messageField(GRAPH.node, node('Identity', [end.value], [STATES]))]
    const kept = nodes.slice(0, end.at + 1)
    const used = new Set(kept.flatMap((field) => readNode(bytesOf(field)).inputs))
    const rest = graph.filter(
      (field) =>
        field.number !== GRAPH.node &&
        field.number !== GRAPH.output &&
        (field.number !== GRAPH.initializer || used.has(readTensorName(bytesOf(field)))),
    )
    return [...kept, ...own, ...rest, states]
  })
