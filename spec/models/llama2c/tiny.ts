/** A llama2.c model with random weights and a small vocabulary, as its two files are laid out. */
import { seededRandom } from '../../../src/core/keys/stream.ts'
import type { Sizes } from '../../../src/text/models/llama2c/checkpoint.ts'

export const TINY: Sizes = {
  width: 24,
  hidden: 40,
  layers: 2,
  heads: 3,
  keyValueHeads: 3,
  vocabSize: 300,
  positions: 80,
}

const int32 = (...values: number[]): Uint8Array => new Uint8Array(Int32Array.from(values).buffer)
const float32 = (values: Float32Array): Uint8Array => new Uint8Array(values.buffer)

export const concat = (...parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts))

/** The bytes of a checkpoint; logits vary by a few units. */
export function tinyCheckpoint(sizes: Sizes = TINY): Uint8Array {
  const { width, hidden, layers, heads, vocabSize, positions } = sizes
  const stream = seededRandom('tiny llama2.c', 'weights')
  const random = (count: number, spread: number, centre = 0) =>
    Float32Array.from({ length: count }, () => centre + spread * Math.sqrt(12) * (stream.uniform() - 0.5))
  const matrices = (out: number, inputs: number) => random(layers * out * inputs, 1.5 / Math.sqrt(inputs))
  const half = width / heads / 2
  const angles = (f: (angle: number) => number) =>
    Float32Array.from({ length: positions * half }, (_, i) =>
      f(Math.floor(i / half) / 10_000 ** ((i % half) / half)),
    )
  const tensors = [
    random(vocabSize * width, 0.6),
    random(layers * width, 0.2, 1),
    ...Array.from({ length: 4 }, () => matrices(width, width)),
    random(layers * width, 0.2, 1),
    matrices(hidden, width),
    matrices(width, hidden),
    matrices(hidden, width),
    random(width, 0.2, 1),
    angles(Math.cos),
    angles(Math.sin),
  ]
  const header = [width, hidden, layers, heads, sizes.keyValueHeads, vocabSize, positions]
  return concat(int32(...header), ...tensors.map(float32))
}

/** The bytes of a tokenizer.bin: special tokens, bytes, and these pieces with their scores. */
export function tokenizerBin(pieces: readonly (readonly [piece: string, score: number])[]): Uint8Array {
  const text = new TextEncoder()
  const bytes = Array.from({ length: 256 }, (_, byte): [string, number] => [String.fromCharCode(byte), 0])
  const all = [['<unk>', 0], ['\n<s>\n', 0], ['\n</s>\n', 0], ...bytes, ...pieces] as [string, number][]
  const entries = all.map(([piece, score]) => {
    const content = text.encode(piece)
    return concat(float32(Float32Array.of(score)), int32(content.length), content)
  })
  return concat(int32(27), ...entries)
}

/** 41 pieces: letters, words, spaces. */
export const tinyPieces: [string, number][] = [
  ['  ', -1e9],
  [' t', -1],
  ['he', -2],
  [' the', -3],
  [' c', -4],
  ['at', -5],
  [' cat', -6],
  ['   ', -1e9],
  ['    ', -1e9],
  [' ', -1e9],
  ...Array.from('etaonishrdlcumwfgypbvkxjqz.,é猫!', (letter, i): [string, number] => [letter, -10 - i]),
]
