/**
 * Checkpoints of llama2.c: a header of seven int32, then float32 tensors without names, all little-endian. Tensors of the same
 * kind come one after the other for all layers; matrices are `[out, in]`.
 */
import { outOfRange } from '../../../input.ts'

/** The header, in its order. */
export interface Sizes {
  readonly width: number
  readonly hidden: number
  readonly layers: number
  readonly heads: number
  readonly keyValueHeads: number
  readonly vocabSize: number
  readonly positions: number
}

/** One array per kind of tensor, layers one after the other. */
export interface Checkpoint {
  readonly sizes: Sizes
  /** `[vocabSize, width]`, also the output matrix. */
  readonly embedding: Float32Array
  readonly attentionNorm: Float32Array
  readonly query: Float32Array
  readonly key: Float32Array
  readonly value: Float32Array
  readonly output: Float32Array
  readonly feedForwardNorm: Float32Array
  /** `w1` of llama2.c. */
  readonly gate: Float32Array
  /** `w2`. */
  readonly down: Float32Array
  /** `w3`. */
  readonly up: Float32Array
  readonly finalNorm: Float32Array
  /** Rotary angles, `[positions, width / heads / 2]`. */
  readonly cosines: Float32Array
  readonly sines: Float32Array
  /** Bytes of the checkpoint; more may follow in the file. */
  readonly byteLength: number
}

const HEADER = ['width', 'hidden', 'layers', 'heads', 'keyValueHeads', 'vocabSize', 'positions'] as const
/** The largest plausible size: beyond it the file is something else. */
const MAX_SIZE = 1 << 20

const shown = (sizes: Sizes): string => HEADER.map((name) => `${name} ${sizes[name]}`).join(', ')

function readSizes(bytes: Uint8Array): Sizes {
  if (bytes.length < 4 * HEADER.length)
    throw outOfRange('checkpoint', `a header of ${4 * HEADER.length} bytes`, `${bytes.length} bytes`)
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const sizes = Object.fromEntries(HEADER.map((name, i) => [name, view.getInt32(4 * i, true)])) as Record<
    (typeof HEADER)[number],
    number
  >
  const { width, heads, keyValueHeads } = sizes
  const plausible = Object.values(sizes).every((size) => size >= 1 && size <= MAX_SIZE)
  if (!plausible || width % (2 * heads) !== 0 || keyValueHeads !== heads)
    throw new RangeError(
      `checkpoint header: expected positive sizes, heads of even width and a key-value head for each, got ${shown(sizes)}`,
    )
  return sizes
}

/** Reads a checkpoint; throws if the header is not one or the file ends too early. */
export function readCheckpoint(bytes: Uint8Array): Checkpoint {
  const sizes = readSizes(bytes)
  const { width, hidden, layers, heads, vocabSize, positions } = sizes
  const square = layers * width * width
  const wide = layers * width * hidden
  const angles = (positions * width) / heads / 2
  const lengths = {
    embedding: vocabSize * width,
    attentionNorm: layers * width,
    query: square,
    key: square,
    value: square,
    output: square,
    feedForwardNorm: layers * width,
    gate: wide,
    down: wide,
    up: wide,
    finalNorm: width,
    cosines: angles,
    sines: angles,
  }
  const start = 4 * HEADER.length
  const byteLength = start + 4 * Object.values(lengths).reduce((sum, length) => sum + length, 0)
  if (bytes.length < byteLength)
    throw outOfRange('checkpoint', `${byteLength} bytes, by its header`, `${bytes.length} bytes`)
  // a copy, because float32 views must be aligned
  const floats = new Float32Array(Uint8Array.from(bytes.subarray(start, byteLength)).buffer)
  let at = 0
  const tensors = Object.fromEntries(
    Object.entries(lengths).map(([name, length]) => {
      at += length
      return [name, floats.subarray(at - length, at)]
    }),
  ) as Record<keyof typeof lengths, Float32Array>
  return { sizes, ...tensors, byteLength }
}
