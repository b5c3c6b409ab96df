/** Texts of a toy model: each step has a distribution of its own, with exponential weights. */
import { type Embedder, embedder } from '../../src/core/embed/index.ts'
import { type Message, seededRandom } from '../../src/core/keys/index.ts'
import type { AnyWatermark } from '../../src/watermark.ts'

interface TextOptions {
  readonly key: string
  readonly vocabSize: number
  readonly length: number
  readonly message?: Message
  /** Other numbers give other models and draws. */
  readonly seed: number
}

export function writeText(watermark: AnyWatermark, options: TextOptions): number[] {
  const { key, vocabSize, length, message, seed } = options
  const text: Embedder = embedder(watermark, { key, vocabSize, seed, message })
  const stream = seededRandom(seed, 'message texts')
  const [p, q] = [new Float64Array(vocabSize), new Float64Array(vocabSize)]
  const tokens: number[] = []
  for (let t = 0; t < length; t++) {
    for (let i = 0; i < vocabSize; i++) p[i] = -Math.log(stream.uniform())
    const total = p.reduce((sum, mass) => sum + mass, 0)
    for (let i = 0; i < vocabSize; i++) p[i]! /= total
    text.reweight(tokens, p, q)
    let [left, token] = [stream.uniform(), 0]
    while (token < vocabSize - 1 && left >= q[token]!) left -= q[token++]!
    tokens.push(token)
    text.drew(token, p[token]!)
  }
  return tokens
}
