/**
 * Rewrites a decoder's graph so that its key-value cache is only appended to, never copied.
 *
 * As exported, every layer computes `present = Concat(past, new)` and attends to `present`: each step copies the whole past of
 * every text, which for a small model takes most of the step. Products with a concatenation can be split,
 *
 *     q [K_past; K_new]^T        = [q K_past^T, q K_new^T]
 *     [a_past, a_new] [V_past; V_new] = a_past V_past + a_new V_new
 *
 * so the past is only read. The rewritten graph outputs the new columns alone as `present.*`, and `AppendCache` appends them to
 * the past. The past may have unused, masked columns: order and gaps do not matter to attention as long as positions are an
 * input.
 */
import { outOfRange } from '../../../input.ts'
import {
  GRAPH,
  type NodeView,
  node,
  readIntegers,
  readName,
  readNode,
  rewriteGraph,
  tensor,
  withoutShape,
} from './onnx-file.ts'
import { type Field, messageField } from './protobuf.ts'

const PAST = /^past_key_values\./
/** Names of the constants that the new nodes use. */
const [ZERO, TWO, THREE, END] = ['append.0', 'append.2', 'append.3', 'append.end']

/** The graph's nodes, and the nodes that read each value. */
interface Reading {
  readonly nodes: readonly NodeView[]
  readonly readers: ReadonlyMap<string, readonly NodeView[]>
}

const isTranspose = (view: NodeView): boolean =>
  view.op === 'Transpose' && readIntegers(view, 'perm').join() === '0,1,3,2'

/** Returns the only reader of a value; throws unless there is exactly one, and as wanted. */
function soleReader({ readers }: Reading, name: string, wanted: (view: NodeView) => boolean): NodeView {
  const found = readers.get(name) ?? []
  const [only] = found
  if (found.length !== 1 || only === undefined || !wanted(only))
    throw outOfRange(
      `the graph's ${name}`,
      'one reader, a product',
      found.map(({ op }) => op),
    )
  return only
}

/** `q present^T`, split. */
function keyNodes(x: string, past: string, fresh: string, product: NodeView): Field[][] {
  const [q = ''] = product.inputs
  return [
    node('Transpose', [past], [`${x}.past.t`], { perm: [0, 1, 3, 2] }),
    node('Transpose', [fresh], [`${x}.new.t`], { perm: [0, 1, 3, 2] }),
    node('MatMul', [q, `${x}.past.t`], [`${x}.past.q`]),
    node('MatMul', [q, `${x}.new.t`], [`${x}.new.q`]),
    node('Concat', [`${x}.past.q`, `${x}.new.q`], product.outputs, { axis: -1 }),
  ]
}

/** `a present`, split: the first columns of a belong to the past. */
function valueNodes(x: string, past: string, fresh: string, product: NodeView): Field[][] {
  const [a = ''] = product.inputs
  return [
    node('Shape', [past], [`${x}.shape`]),
    node('Slice', [`${x}.shape`, TWO, THREE, ZERO], [`${x}.columns`]),
    node('Slice', [a, ZERO, `${x}.columns`, THREE], [`${x}.past.a`]),
    node('Slice', [a, `${x}.columns`, END, THREE], [`${x}.new.a`]),
    node('MatMul', [`${x}.past.a`, past], [`${x}.past.v`]),
    node('MatMul', [`${x}.new.a`, fresh], [`${x}.new.v`]),
    node('Add', [`${x}.past.v`, `${x}.new.v`], product.outputs),
  ]
}

/** Nodes and what replaces them, possibly nothing. */
type Replacements = Map<NodeView, Field[][]>

function rewriteSlot(reading: Reading, input: string, replaced: Replacements): void {
  const output = input.replace(PAST, 'present.')
  const concat = reading.nodes.find(({ outputs }) => outputs.includes(output))
  const [past, fresh] = concat?.inputs ?? []
  if (concat?.op !== 'Concat' || concat.inputs.length !== 2 || past !== input || fresh === undefined)
    throw outOfRange(`the graph's ${output}`, `Concat(${input}, new)`, concat?.op)
  const reader = soleReader(reading, output, (view) => view.op === 'MatMul' || isTranspose(view))
  const isKey = reader.op === 'Transpose'
  const product = isKey ? soleReader(reading, reader.outputs[0]!, ({ op }) => op === 'MatMul') : reader
  if (product.inputs[1] !== (isKey ? reader.outputs[0] : output))
    throw outOfRange(`the graph's ${output}`, 'the right factor of a product', product.inputs)
  if (isKey) replaced.set(reader, [])
  replaced.set(product, (isKey ? keyNodes : valueNodes)(output, input, fresh, product))
  // what was the whole present is now the new columns
  replaced.set(concat, [node('Identity', [fresh], [output])])
}

const integers = (name: string, value: bigint): Field =>
  messageField(GRAPH.initializer, tensor(name, [1], BigInt64Array.of(value)))

/** Rewrites a file. Throws where the graph is built differently. */
export const appendOnlyGraph = (file: Uint8Array): Uint8Array => rewriteGraph(file, rewriteFields)

function rewriteFields(graph: readonly Field[]): Field[] {
  const views = new Map(
    graph
      .filter(({ number }) => number === GRAPH.node)
      .map((field) => [field, readNode(field.value as Uint8Array)]),
  )
  const readers = new Map<string, NodeView[]>()
  for (const view of views.values())
    for (const name of view.inputs) readers.set(name, [...(readers.get(name) ?? []), view])
  const inputs = graph
    .filter(({ number }) => number === GRAPH.input)
    .map(({ value }) => readName(value as Uint8Array))
  if (!inputs.includes('position_ids'))
    throw outOfRange(
      "the graph's inputs",
      'position_ids among them (positions must not follow from the cache)',
      inputs,
    )
  const replaced: Replacements = new Map()
  for (const input of inputs.filter((name) => PAST.test(name)))
    rewriteSlot({ nodes: [...views.values()], readers }, input, replaced)
  const rewrite = (field: Field): Field[] => {
    if (field.number === GRAPH.node)
      return replaced.get(views.get(field)!)?.map((fields) => messageField(GRAPH.node, fields)) ?? [field]
    if (field.number !== GRAPH.output || !readName(field.value as Uint8Array).startsWith('present.'))
      return [field]
    return [messageField(GRAPH.output, withoutShape(field.value as Uint8Array))]
  }
  const constants = [integers(ZERO, 0n), integers(TWO, 2n), integers(THREE, 3n), integers(END, 1n << 62n)]
  return [...graph.flatMap(rewrite), ...constants]
}
