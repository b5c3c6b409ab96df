/** Writes a llama2.c checkpoint as a GGUF file of the architecture `llama`, in float32. */
import type { Checkpoint } from '../../../src/text/models/llama2c/checkpoint.ts'
import { tinyPieces } from '../llama2c/tiny.ts'

const [U32, F32, TEXT, LIST] = [4, 6, 8, 9] as const

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}
const f32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}
const text = (value: string): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)])
const list = (type: number, items: readonly Buffer[]): Buffer =>
  Buffer.concat([u32(type), u64(items.length), ...items])

type Setting = readonly [name: string, type: number, value: Buffer]

const ALIGNMENT = 32
const padding = (length: number): Buffer => Buffer.alloc((ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT)

/** Pieces from id 0 on, with their scores: unknown, begin, end, then 256 bytes, as sentencepiece has them. */
export function ggufOf(
  c: Checkpoint,
  pieces: readonly (readonly [string, number])[],
  chatTemplate?: string,
): Buffer {
  const { width, hidden, layers, heads, keyValueHeads, vocabSize, positions } = c.sizes
  const type = (_: unknown, id: number) => u32(id === 0 ? 2 : id < 3 ? 3 : id < 259 ? 6 : 1)
  const settings: Setting[] = [
    ['general.architecture', TEXT, text('llama')],
    ['llama.context_length', U32, u32(positions)],
    ['llama.embedding_length', U32, u32(width)],
    ['llama.block_count', U32, u32(layers)],
    ['llama.feed_forward_length', U32, u32(hidden)],
    ['llama.attention.head_count', U32, u32(heads)],
    ['llama.attention.head_count_kv', U32, u32(keyValueHeads)],
    ['llama.attention.layer_norm_rms_epsilon', F32, f32(1e-5)],
    ['llama.rope.dimension_count', U32, u32(width / heads)],
    ['llama.vocab_size', U32, u32(vocabSize)],
    ['tokenizer.ggml.model', TEXT, text('llama')],
    [
      'tokenizer.ggml.tokens',
      LIST,
      list(
        TEXT,
        pieces.map(([piece]) => text(piece)),
      ),
    ],
    [
      'tokenizer.ggml.scores',
      LIST,
      list(
        F32,
        pieces.map(([, score]) => f32(score)),
      ),
    ],
    ['tokenizer.ggml.token_type', LIST, list(5, pieces.map(type))],
    ['tokenizer.ggml.unknown_token_id', U32, u32(0)],
    ['tokenizer.ggml.bos_token_id', U32, u32(1)],
    ['tokenizer.ggml.eos_token_id', U32, u32(2)],
    ...(chatTemplate === undefined
      ? []
      : [['tokenizer.chat_template', TEXT, text(chatTemplate)] satisfies Setting]),
  ]
  // dimensions are written fastest first: columns, then rows
  const tensors: [string, number[], Float32Array][] = [
    ['token_embd.weight', [width, vocabSize], c.embedding],
    ['output_norm.weight', [width], c.finalNorm],
  ]
  for (let layer = 0; layer < layers; layer++) {
    const of = (all: Float32Array, size: number) => all.subarray(layer * size, (layer + 1) * size)
    const square = width * width
    tensors.push(
      [`blk.${layer}.attn_norm.weight`, [width], of(c.attentionNorm, width)],
      [`blk.${layer}.attn_q.weight`, [width, width], of(c.query, square)],
      [`blk.${layer}.attn_k.weight`, [width, width], of(c.key, square)],
      [`blk.${layer}.attn_v.weight`, [width, width], of(c.value, square)],
      [`blk.${layer}.attn_output.weight`, [width, width], of(c.output, square)],
      [`blk.${layer}.ffn_norm.weight`, [width], of(c.feedForwardNorm, width)],
      [`blk.${layer}.ffn_gate.weight`, [width, hidden], of(c.gate, width * hidden)],
      [`blk.${layer}.ffn_down.weight`, [hidden, width], of(c.down, width * hidden)],
      [`blk.${layer}.ffn_up.weight`, [width, hidden], of(c.up, width * hidden)],
    )
  }
  let offset = 0
  const infos: Buffer[] = []
  const data: Buffer[] = []
  for (const [name, shape, values] of tensors) {
    infos.push(text(name), u32(shape.length), ...shape.map(u64), u32(0), u64(offset))
    const bytes = Buffer.from(Float32Array.from(values).buffer)
    data.push(bytes, padding(bytes.length))
    offset += bytes.length + padding(bytes.length).length
  }
  const head = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(tensors.length),
    u64(settings.length),
    ...settings.flatMap(([name, kind, value]) => [text(name), u32(kind), value]),
    ...infos,
  ])
  return Buffer.concat([head, padding(head.length), ...data])
}

const bytes = Array.from({ length: 256 }, (_, byte): [string, number] => [
  `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
  0,
])
const special: [string, number][] = [
  ['<unk>', 0],
  ['<s>', 0],
  ['</s>', 0],
]
const pieces = tinyPieces.map(([piece, score]): [string, number] => [piece.replaceAll(' ', '\u2581'), score])

/** The vocabulary of the tiny checkpoint, with what GGUF files have before it. */
export const ggufPieces: readonly (readonly [string, number])[] = [...special, ...bytes, ...pieces]
