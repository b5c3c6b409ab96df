/** A sequence-to-sequence model in the hub's layout: an encoder, and a decoder both merged and split. */
import { graph, onnxFile, readName, valueInfo } from '../../../src/text/models/onnx/onnx-file.ts'
import { type Field, writeMessage } from '../../../src/text/models/onnx/protobuf.ts'
import { SIZE, TinyBuilder } from './builder.ts'

const { heads, head, layers, vocab, width } = SIZE
const ids = valueInfo('input_ids', 'int64', ['batch_size', 'sequence_length'])
const sourceMask = valueInfo('encoder_attention_mask', 'int64', ['batch_size', 'encoder_sequence_length'])
const sourceStates = valueInfo('encoder_hidden_states', 'float32', [
  'batch_size',
  'encoder_sequence_length',
  width,
])
const logits = valueInfo('logits', 'float32', ['batch_size', 'sequence_length', vocab])

/** Cache tensors as inputs or outputs, of the text (`decoder`) or of the source (`encoder`). */
const cache = (prefix: string, whose: 'decoder' | 'encoder', length: string): Field[][] =>
  Array.from({ length: layers }, (_, i) =>
    ['key', 'value'].map((part) =>
      valueInfo(`${prefix}.${i}.${whose}.${part}`, 'float32', ['batch_size', heads, length, head]),
    ),
  ).flat()
const pastText = cache('past_key_values', 'decoder', 'past_decoder_sequence_length')
const pastSource = cache('past_key_values', 'encoder', 'encoder_sequence_length_out')
const presentText = cache('present', 'decoder', 'past_decoder_sequence_length + 1')
const presentSource = cache('present', 'encoder', 'encoder_sequence_length_out')

function encoderNodes(n: TinyBuilder): void {
  const x = n.op('Add', [
    n.embed('input_ids'),
    n.positions('source.places', n.scalar(0), n.size('input_ids', 1)),
  ])
  const [q = '', k = '', v = ''] = ['q', 'k', 'v'].map((name) => n.byHead(n.linear(x, `source.${name}`)))
  const seen = n.op('Add', [x, n.attend(q, k, v, n.bias(n.unmasked('attention_mask')))])
  n.op('Identity', [n.mix(seen, 'source.mix')], {}, 'last_hidden_state')
}

/**
 * The decoder's nodes. With `past` the keys and values of the source come from the cache, and, as in merged files of the hub,
 * what stands in their place among the outputs is empty; without it they are made from the encoder's states.
 */
function decoderNodes(n: TinyBuilder, past: boolean, out: (name: string) => string, dummies: boolean): void {
  const count = n.size('input_ids', 1)
  const before = past ? n.size('past_key_values.0.decoder.key', 2) : n.scalar(0)
  const total = n.op('Add', [before, count])
  const bias = n.bias(n.causal(total, count))
  const sourceBias = n.bias(n.unmasked('encoder_attention_mask'))
  let x = n.op('Add', [n.embed('input_ids'), n.positions('places', before, count)])
  for (let i = 0; i < layers; i++) {
    const own = (part: string, name: string) => {
      const fresh = n.byHead(n.linear(x, `${i}.${name}`))
      const inputs = past ? [`past_key_values.${i}.decoder.${part}`, fresh] : [fresh]
      return n.op('Concat', inputs, { axis: 2 }, out(`present.${i}.decoder.${part}`))
    }
    const cross = (part: string, name: string) => {
      const output = out(`present.${i}.encoder.${part}`)
      if (!past)
        return n.op('Identity', [n.byHead(n.linear('encoder_hidden_states', `${i}.c.${name}`))], {}, output)
      if (dummies) n.op('ConstantOfShape', [n.ints(0, heads, 1, head)], {}, output)
      return `past_key_values.${i}.encoder.${part}`
    }
    const q = n.byHead(n.linear(x, `${i}.q`))
    x = n.op('Add', [x, n.attend(q, own('key', 'k'), own('value', 'v'), bias)])
    const cq = n.byHead(n.linear(x, `${i}.c.q`))
    x = n.op('Add', [x, n.attend(cq, cross('key', 'k'), cross('value', 'v'), sourceBias)])
    x = n.mix(x, `${i}.mix`)
  }
  n.logits(x, out('logits'))
}

const file = (name: string, n: TinyBuilder, inputs: Field[][], outputs: Field[][]): Uint8Array =>
  onnxFile(graph(name, { nodes: n.nodes, initializers: [...n.constants.values()], inputs, outputs }))

/** Both branches in one file: `use_cache_branch` chooses. */
function merged(): Uint8Array {
  const main = new TinyBuilder('tiny seq2seq')
  const outputs = [logits, ...presentText, ...presentSource]
  const names = outputs.map((info) => readName(writeMessage(info)))
  const branch = (prefix: string, past: boolean): Field[] => {
    const inner = new TinyBuilder('tiny seq2seq', main.constants, prefix)
    decoderNodes(inner, past, (name) => prefix + name, true)
    return graph(prefix, {
      nodes: inner.nodes,
      outputs: names.map((name) => valueInfo(prefix + name, 'float32')),
    })
  }
  main.choose('use_cache_branch', branch('with_past/', true), branch('without_past/', false), names)
  const branchInput = valueInfo('use_cache_branch', 'bool', [1])
  return file(
    'merged',
    main,
    [sourceMask, ids, sourceStates, ...pastText, ...pastSource, branchInput],
    outputs,
  )
}

/** The files of the model by name. */
export function tinySeq2seq(): Record<string, Uint8Array> {
  const encoder = new TinyBuilder('tiny seq2seq')
  encoderNodes(encoder)
  const first = new TinyBuilder('tiny seq2seq')
  decoderNodes(first, false, (name) => name, false)
  const next = new TinyBuilder('tiny seq2seq')
  decoderNodes(next, true, (name) => name, false)
  const mask = valueInfo('attention_mask', 'int64', ['batch_size', 'sequence_length'])
  const states = valueInfo('last_hidden_state', 'float32', ['batch_size', 'sequence_length', width])
  return {
    encoder_model: file('encoder', encoder, [ids, mask], [states]),
    decoder_model: file(
      'decoder',
      first,
      [sourceMask, ids, sourceStates],
      [logits, ...presentText, ...presentSource],
    ),
    decoder_with_past_model: file(
      'decoder with past',
      next,
      [sourceMask, ids, ...pastText, ...pastSource],
      [logits, ...presentText],
    ),
    decoder_model_merged: merged(),
  }
}
