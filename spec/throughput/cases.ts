/** What is measured, and the bounds that must hold. */
import { alignmentDetector } from '../../src/detect/index.ts'
import { embedder } from '../../src/embed/index.ts'
import { seededRandom } from '../../src/keys/stream.ts'
import {
  type AnyWatermark,
  christ,
  deltaReweight,
  dipmark,
  expEdit,
  gammaReweight,
  gumbel,
  itsEdit,
  kgw,
  mcmark,
  sta1,
  synthid,
  unigram,
} from '../../src/watermarks/index.ts'
import type { Softmax } from './measure.ts'

export const vocabularies = [32_000, 50_257, 128_256]

/** Methods with the bound of their step, in softmaxes over the same vocabulary, the softmax of the step included. */
export const steps: readonly (readonly [AnyWatermark, number | undefined])[] = [
  [kgw({ delta: 2 }), 2],
  [unigram({ delta: 2 }), 2],
  [sta1(), 2],
  [gumbel(), 2],
  [itsEdit(), 2],
  [expEdit(), 2],
  [deltaReweight(), undefined],
  [gammaReweight(), 4],
  [dipmark({ alpha: 0.4 }), 4],
  [mcmark({ channels: 20 }), 4],
  [mcmark({ channels: 100 }), 4],
  [synthid({ layers: 20 }), 20],
  [synthid({ layers: 30 }), undefined],
  [christ({ entropy: 1e-9 }), undefined],
]

/** Detectors of sums: at 500 tokens within 2 softmaxes over 50,257. */
export const sumDetectors: readonly AnyWatermark[] = [
  kgw({ delta: 2 }),
  unigram({ delta: 2 }),
  sta1(),
  gumbel(),
  deltaReweight(),
  gammaReweight(),
  dipmark({ alpha: 0.4 }),
  mcmark({ channels: 20 }),
  mcmark({ channels: 100 }),
  synthid({ layers: 20 }),
  synthid({ layers: 20, detector: 'weighted' }),
]

/** Edit methods whose permutation test does all its runs: no early stop, no shortcut. */
export const fullEditTests: readonly AnyWatermark[] = [[expEdit(), 1] as const, [itsEdit(), 0] as const].map(
  ([watermark, penalty]) => ({
    ...watermark,
    detector: alignmentDetector({ keyLength: 256, penalty, enough: 10_000 }),
  }),
)

/** Tokens with the frequencies of words: Zipf's law. */
export function zipfText(length: number, vocabSize: number, seed: number): Int32Array {
  const stream = seededRandom('throughput text', seed)
  return Int32Array.from({ length }, () => Math.floor(vocabSize ** stream.uniform()) - 1)
}

/** One position after another of a text: softmax, then the watermark. `mass` stands in for what the softmax gave. */
export function step(watermark: AnyWatermark, softmax: Softmax, mass: Float64Array = softmax.p): () => void {
  const { vocabSize, q } = softmax
  const text = embedder(watermark, { key: 'throughput', vocabSize, seed: 1, check: false })
  text.drew(0, 0.5) // prefix rules begin after some surprise
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
