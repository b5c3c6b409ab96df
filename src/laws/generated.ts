import { embedder } from '../embed/index.ts'
import { seededRandom } from '../keys/index.ts'
import { draw } from '../models/warp.ts'
import type { Watermark } from '../watermark.ts'

/** A text of `length` tokens from the watermarked uniform distribution, the easiest there is. The key decides everything. */
export function generated<Code>(
  watermark: Watermark<Code>,
  vocabSize: number,
  length: number,
  key: string,
): number[] {
  const stream = seededRandom(key, 'generated')
  const text = embedder(watermark, { key, vocabSize, seed: key, check: false })
  const p = new Float64Array(vocabSize).fill(1 / vocabSize)
  const q = new Float64Array(vocabSize)
  const tokens: number[] = []
  while (tokens.length < length) {
    text.reweight(tokens, p, q)
    const token = draw(q, stream.uniform())
    text.drew(token, p[token]!)
    tokens.push(token)
  }
  return tokens
}
