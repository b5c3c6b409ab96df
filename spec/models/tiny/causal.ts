/** A causal graph as older exports of GPT-2 have it: no input for positions, which are counted from the past. */
import { ELEMENT, graph, onnxFile, valueInfo } from '../../../src/text/models/onnx/onnx-file.ts'
import {
  integerField,
  messageField,
  textField,
  writeMessage,
} from '../../../src/text/models/onnx/protobuf.ts'
import { SIZE, TinyBuilder, type Weights } from './builder.ts'

const { heads, head, layers, vocab } = SIZE

/** With float16 the cache and the logits are half-precision numbers, as in the hub's `model_fp16.onnx`. */
export function tinyCausal(type: 'float32' | 'float16' = 'float32', weights: Weights = 'float'): Uint8Array {
  const n = new TinyBuilder('tiny causal', undefined, undefined, weights)
  const count = n.size('input_ids', 1)
  const past = n.size('past_key_values.0.key', 2)
  const total = n.op('Add', [past, count])
  const visible = n.op('And', [n.causal(total, count), n.unmasked('attention_mask')])
  const bias = n.bias(visible)
  let x = n.op('Add', [n.embed('input_ids'), n.positions('places', past, count)])
  for (let i = 0; i < layers; i++) {
    const [q = '', k = '', v = ''] = ['q', 'k', 'v'].map((name) => n.byHead(n.linear(x, `${i}.${name}`)))
    const join = (part: string, fresh: string): string => {
      const [past, present] = [`past_key_values.${i}.${part}`, `present.${i}.${part}`]
      if (type === 'float32') return n.op('Concat', [past, fresh], { axis: 2 }, present)
      const whole = n.op('Concat', [n.op('Cast', [past], { to: ELEMENT.float32 }), fresh], { axis: 2 })
      n.op('Cast', [whole], { to: ELEMENT.float16 }, present)
      return whole
    }
    const seen = n.attend(q, join('key', k), join('value', v), bias)
    x = n.mix(n.op('Add', [x, n.linear(seen, `${i}.o`)]), `${i}.mix`)
  }
  n.op('Cast', [n.logits(x, 'wide_logits')], { to: ELEMENT[type] }, 'logits')
  const slots = Array.from({ length: layers }, (_, i) => [`${i}.key`, `${i}.value`]).flat()
  const cache = (prefix: string, length: string) =>
    slots.map((slot) => valueInfo(`${prefix}.${slot}`, type, ['batch_size', heads, length, head]))
  const file = onnxFile(
    graph('tiny causal', {
      nodes: n.nodes,
      initializers: [...n.constants.values()],
      inputs: [
        valueInfo('input_ids', 'int64', ['batch_size', 'sequence_length']),
        valueInfo('attention_mask', 'int64', ['batch_size', 'total_sequence_length']),
        ...cache('past_key_values', 'past_sequence_length'),
      ],
      outputs: [
        valueInfo('logits', type, ['batch_size', 'sequence_length', vocab]),
        ...cache('present', 'total_sequence_length'),
      ],
    }),
  )
  // int4 is an extension of the runtime's, which the file has to name
  const named = writeMessage([messageField(8, [textField(1, 'com.microsoft'), integerField(2, 1)])])
  return Uint8Array.from([...file, ...named])
}
