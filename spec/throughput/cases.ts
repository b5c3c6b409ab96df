/** What is measured, and the bounds that must hold. */
import { alignmentDetector } from '../../src/core/detect/entry.ts'
import { embedder } from '../../src/core/embed/entry.ts'
import { seededRandom } from '../../src/core/keys/stream.ts'
import { madeBy } from '../../src/core/method/define-method.ts'
import { wordScore } from '../../src/watermark.ts'
import {
  type AnyWatermark,
  dualKeyGumbel,
  ens,
  gumbel,
  kgw,
  mcmark,
  synthid,
} from '../../src/watermarks/entry.ts'
import { asPublished } from '../../src/watermarks/reference.ts'
import { strongWatermarks, usualWatermarks } from '../watermarks/shipped.ts'
import type { Softmax } from './measure.ts'

export const vocabularies = [32_000, 50_257, 128_256]

/** The most that a step of a method may take, in softmaxes over the same vocabulary, the softmax of the step included. */
const bounds: Readonly<Record<string, number>> = {
  kgw: 2,
  unigram: 2,
  sta1: 2,
  gumbel: 2,
  itsEdit: 2,
  expEdit: 2,
  gammaReweight: 4,
  dipmark: 4,
  mcmark: 4,
  dualKeyGumbel: 2.5,
  synthid: 20,
}

/** Every method with the bound of its step; one that has none is measured all the same. */
export const steps: readonly (readonly [AnyWatermark, number | undefined])[] = [
  ...usualWatermarks().map((watermark) => [watermark, bounds[madeBy(watermark)!.method.name]] as const),
  [mcmark({ channels: 100 }), 4],
  [synthid({ layers: 30 }), undefined],
]

/** Methods whose step has a bound at the largest vocabulary in use: the second key reads as many words again, and marks in sequence pass over it as often. */
export const largeSteps: readonly (readonly [AnyWatermark, number])[] = [
  [dualKeyGumbel(), 2.5],
  [ens({ marks: 5 }), 8],
]

/** Scores that make up that of a token, each from words of its own: one per mark in sequence, one per key. Bounds of detection are per score. */
export function scoresPerToken(watermark: AnyWatermark): number {
  const { method, values } = madeBy(watermark)!
  return method.name === 'ens' ? (values as { marks: number }).marks : method.name === 'dualKeyGumbel' ? 2 : 1
}

/** Detectors of sums: at 500 tokens within 2 softmaxes over 50,257. */
export const sumDetectors: readonly AnyWatermark[] = [
  ...strongWatermarks(),
  mcmark({ channels: 100 }),
].filter(({ detector }) => detector!.id === 'sum')

/** Codes of engines, with the most nanoseconds per token that `detectMany` may take. */
export const engines: readonly (readonly [AnyWatermark, number])[] = [
  [asPublished(gumbel(), 'vllm'), 200],
  [asPublished(dualKeyGumbel(), 'vllm'), 400],
  [asPublished(kgw({ delta: 2, gamma: 0.25 }), 'vllm'), 200],
  [asPublished(synthid({ layers: 32 }), 'vllm'), 500],
  [asPublished(gumbel(), 'sglang'), 200],
  [asPublished(dualKeyGumbel(), 'sglang'), 200],
  [asPublished(gumbel(), 'textseal'), 200],
  [asPublished(dualKeyGumbel(), 'textseal'), 200],
  [asPublished(kgw({ delta: 2 }), 'textseal'), 200],
  [asPublished(synthid({ layers: 30 }), 'textseal'), 200],
  [asPublished(synthid({ layers: 30 }), 'llama.cpp'), 500],
]

/** Whether `detectMany` scores its texts from words that one call of a kernel computes. */
export const isFromWords = (watermark: AnyWatermark): boolean =>
  wordScore(watermark) !== undefined && watermark.context.fast !== undefined

/** Edit methods whose permutation test does all its runs: no early stop, no shortcut. */
export const fullEditTests: readonly AnyWatermark[] = usualWatermarks()
  .filter(({ detector }) => detector!.id === 'alignment')
  .map((watermark) => {
    const { keyLength, penalty } = madeBy(watermark)!.values as { keyLength: number; penalty: number }
    return { ...watermark, detector: alignmentDetector({ keyLength, penalty, enough: 10_000 }) }
  })

/** Tokens with the frequencies of words: Zipf's law. */
export function zipfText(length: number, vocabSize: number, seed: number): Int32Array {
  const stream = seededRandom('throughput text', seed)
  return Int32Array.from({ length }, () => Math.floor(vocabSize ** stream.uniform()) - 1)
}

/** One position after another of a text: softmax, then the watermark. `mass` stands in for what the softmax gave. */
export function step(watermark: AnyWatermark, softmax: Softmax, mass: Float64Array = softmax.p): () => void {
  const { vocabSize, q } = softmax
  const text = embedder(watermark, { key: 'throughput', vocabSize, seed: 1, check: false })
  text.drew(0, 1e-300) // prefix rules begin after some surprise
  const tokens = [0, 0]
  let position = 0
  return () => {
    softmax.run()
    // a context that is new each time
    tokens[0] = position % vocabSize
    tokens[1] = Math.floor(position / vocabSize)
    position++
    if (!text.reweight(tokens, mass, q)) throw new Error(`${watermark.id}: not marked`)
  }
}

/** p with mass on its `k` most likely tokens only. */
export function topK(p: Float64Array, k: number, out: Float64Array): Float64Array {
  const least = p.toSorted().at(-k)!
  const kept = p.map((mass) => (mass >= least ? mass : 0))
  const total = kept.reduce((sum, mass) => sum + mass, 0)
  for (let i = 0; i < p.length; i++) out[i] = kept[i]! / total
  return out
}
