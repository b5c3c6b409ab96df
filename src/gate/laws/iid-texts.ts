/** Texts of a model whose tokens are independent: the same distribution at every position. */
import { seededRandom } from '../../core/keys/index.ts'
import { draw } from '../../text/decode/index.ts'
import type { Watermark } from '../../watermark.ts'
import { secretKey } from './codes.ts'
import { type PairDesign, type PairTest, pairTest } from './engine/pair-test.ts'
import { Violation } from './for-all.ts'
import type { Trial } from './law.ts'
import { beginTexts, keysAtOnce } from './texts-in-step.ts'

interface IidText {
  readonly tokens: number[]
  /** The context of each position, undefined where the rule marks nothing; empty unless asked for. */
  readonly contexts: readonly (string | undefined)[]
}

/** Writes watermarked texts of `length` tokens with next-token distribution p at every position. Keys decide everything. */
function textsFrom<Code>(
  watermark: Watermark<Code>,
  p: Float64Array,
  length: number,
  keys: readonly string[],
  { label, notes }: { readonly label: string; readonly notes: boolean },
): IidText[] {
  const contexts = keys.map((): (string | undefined)[] => [])
  const texts = beginTexts(watermark, keys, {
    ...(notes && { note: (i, context) => contexts[i]!.push(context?.join()) }),
  })
  const streams = keys.map((key) => seededRandom(key, label))
  const ps = keys.map(() => p)
  for (let t = 0; t < length; t++)
    for (const [i, q] of texts.step(ps).entries()) {
      const token = draw(q, streams[i]!.uniform())
      if (!(p[token]! > 0)) throw new Violation(`drew token ${token}, whose probability is ${p[token]}`)
      texts.drew(i, token, p[token]!)
    }
  return texts.tokens.map((tokens, i) => ({ tokens, contexts: contexts[i]! }))
}

/** Writes texts of independent tokens, one per key, and notes their contexts. */
export const iidTexts = <Code>(
  watermark: Watermark<Code>,
  p: Float64Array,
  length: number,
  keys: readonly string[],
): IidText[] => textsFrom(watermark, p, length, keys, { label: 'iid text', notes: true })

/** Writes a text of `length` tokens from the watermarked uniform distribution, the easiest there is. */
export const generated = <Code>(
  watermark: Watermark<Code>,
  vocabSize: number,
  length: number,
  key: string,
): number[] => {
  const p = new Float64Array(vocabSize).fill(1 / vocabSize)
  return textsFrom(watermark, p, length, [key], { label: 'generated', notes: false })[0]!.tokens
}

/** Texts that are written in step, where a watermark can do several rows at once. */
const TEXTS_AT_ONCE = 32

/** Feeds texts of the distribution p, one per key, until the bets are won or there are enough. */
export async function betOnTexts<Code>(
  watermark: Watermark<Code>,
  p: Float64Array,
  design: PairDesign,
  { keys, texts, nats }: { readonly keys: number; readonly texts: number; readonly nats: number },
  trial: Trial,
): Promise<{ readonly test: PairTest; readonly won: boolean }> {
  const test = pairTest(design)
  while (test.texts < texts) {
    const names = keysAtOnce(watermark, TEXTS_AT_ONCE, (i) => secretKey(keys, i), test.texts)
    for (const { tokens, contexts } of iidTexts(watermark, p, design.length, names)) {
      test.add(Uint8Array.from(tokens), contexts)
      if (test.reached(nats)) return { test, won: true }
    }
    await trial.breathe()
  }
  return { test, won: false }
}
