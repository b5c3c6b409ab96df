/** Encoders: models of the BERT kind, and the first half of a sequence-to-sequence model. */
import { outOfRange } from '../../../input.ts'
import type { Encoder, Tokenizer, Tokens } from '../../decode/language-model.ts'
import { checkedTokens, checkFits } from '../../decode/prompt.ts'
import type { Ort, OrtSession, OrtTensor } from './runtime.ts'
import { batches } from './scan.ts'
import { type Floats, type FloatType, idTensor, readFloats } from './tensor.ts'

export interface EncoderParts {
  readonly ort: Ort
  readonly session: OrtSession
  readonly padToken: number
}

/** Encoded texts, padded on the right to one length. */
export interface Encoded {
  /** rows x columns x width */
  readonly states: Floats
  readonly type: FloatType
  /** rows x columns, 1 where there is a token */
  readonly mask: BigInt64Array
  readonly columns: number
  readonly width: number
}

export async function encode(
  { ort, session, padToken }: EncoderParts,
  texts: readonly Tokens[],
): Promise<Encoded> {
  const rows = texts.length
  const columns = texts.reduce((most, text) => Math.max(most, text.length), 0)
  const ids = new BigInt64Array(rows * columns).fill(BigInt(padToken))
  const mask = new BigInt64Array(rows * columns)
  for (const [row, text] of texts.entries())
    for (let j = 0; j < text.length; j++) {
      ids[row * columns + j] = BigInt(text[j]!)
      mask[row * columns + j] = 1n
    }
  const feeds: Record<string, OrtTensor> = { input_ids: idTensor(ort, ids, [rows, columns]) }
  const has = (name: string) => session.inputNames.includes(name)
  if (has('attention_mask')) feeds.attention_mask = idTensor(ort, mask, [rows, columns])
  if (has('token_type_ids'))
    feeds.token_type_ids = idTensor(ort, new BigInt64Array(rows * columns), [rows, columns])
  const { last_hidden_state: states } = await session.run(feeds, ['last_hidden_state'])
  if (states?.type !== 'float32' && states?.type !== 'float16')
    throw outOfRange("the encoder's last_hidden_state", 'float32 or float16', states?.type)
  return { states: states.data as Floats, type: states.type, mask, columns, width: states.dims[2]! }
}

/** Returns the tokens that a tokenizer puts around a text. */
function frame(tokenizer: Tokenizer): { before: number[]; after: number[] } {
  const plain = tokenizer.encode('a')
  const framed = tokenizer.encodePrompt('a')
  for (let at = 0; at + plain.length <= framed.length; at++)
    if (plain.every((token, i) => framed[at + i] === token))
      return { before: framed.slice(0, at), after: framed.slice(at + plain.length) }
  return { before: [], after: [] }
}

export function encoderModel(
  parts: EncoderParts & {
    readonly id: string
    readonly tokenizer: Tokenizer
    readonly width: number
    readonly vocabSize: number
    readonly maxLength: number
    /** Run each text by itself, because the graph would let the texts of a batch change each other. */
    readonly alone?: boolean
  },
): Encoder {
  const { id, tokenizer, width, vocabSize, alone = false } = parts
  const { before, after } = frame(tokenizer)
  return {
    id,
    tokenizer,
    width,
    async hiddenStates(texts) {
      const found = texts.map(({ length }) => new Float32Array(length * width))
      const inputs = texts.map((text, i) => {
        const list = [...before, ...checkedTokens(`texts[${i}]`, text, vocabSize), ...after]
        checkFits(`texts[${i}]`, list.length, parts)
        return list
      })
      for (const batch of alone ? inputs.map((_, i) => [i]) : batches(inputs, false)) {
        const { states, columns } = await encode(
          parts,
          batch.map((i) => inputs[i]!),
        )
        for (const [row, i] of batch.entries())
          readFloats(states, (row * columns + before.length) * width, found[i]!.length, found[i]!, 0)
      }
      return found
    },
  }
}
