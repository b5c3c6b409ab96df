/** Texts of a model whose tokens are independent: the same distribution at every position. */
import { embedder } from '../embed/index.ts'
import { seededRandom } from '../keys/index.ts'
import { draw } from '../models/warp.ts'
import type { Watermark } from '../watermark.ts'
import { secretKey } from './codes.ts'
import { type PairDesign, type PairTest, pairTest } from './engine/pair-test.ts'
import { Violation } from './for-all.ts'
import type { Trial } from './law.ts'

/** The watermark with a note of each position's context, undefined where the rule marks nothing. */
function noting<Code>(watermark: Watermark<Code>, contexts: (string | undefined)[]): Watermark<Code> {
  const { context: rule } = watermark
  return {
    ...watermark,
    context: {
      ...rule,
      begin(perText) {
        const cursor = rule.begin(perText)
        return {
          next(tokens) {
            const context = cursor.next(tokens)
            contexts.push(context?.join())
            return context
          },
          drew: (token, probability) => cursor.drew?.(token, probability),
        }
      },
    },
  }
}

export interface IidText {
  readonly tokens: Uint8Array
  readonly contexts: readonly (string | undefined)[]
}

/**
 * A watermarked text of `length` tokens with next-token distribution p, over at most 256 tokens, at every position. The key
 * decides everything.
 */
export function iidText<Code>(
  watermark: Watermark<Code>,
  p: Float64Array,
  length: number,
  key: string,
): IidText {
  const stream = seededRandom(key, 'iid text')
  const contexts: (string | undefined)[] = []
  const text = embedder(noting(watermark, contexts), { key, vocabSize: p.length, seed: key, check: false })
  const given = p.slice()
  const q = new Float64Array(p.length)
  const tokens: number[] = []
  while (tokens.length < length) {
    text.reweight(tokens, given, q)
    const token = draw(q, stream.uniform())
    if (!(p[token]! > 0)) throw new Violation(`drew token ${token}, whose probability is ${p[token]}`)
    text.drew(token, p[token]!)
    tokens.push(token)
  }
  return { tokens: Uint8Array.from(tokens), contexts }
}

/** Feeds texts, one per key, until the bets are won or there are enough. */
export async function betOnTexts<Code>(
  watermark: Watermark<Code>,
  design: PairDesign,
  { keys, texts, nats }: { readonly keys: number; readonly texts: number; readonly nats: number },
  trial: Trial,
): Promise<{ readonly test: PairTest; readonly won: boolean }> {
  const test = pairTest(design)
  while (test.texts < texts) {
    const { tokens, contexts } = iidText(watermark, design.p, design.length, secretKey(keys, test.texts))
    test.add(tokens, contexts)
    if (test.reached(nats)) return { test, won: true }
    await trial.breathe()
  }
  return { test, won: false }
}
