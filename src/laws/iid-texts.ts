/** Texts of a model whose tokens are independent: the same distribution at every position. */
import { embedder } from '../embed/index.ts'
import { seededRandom } from '../keys/index.ts'
import { draw } from '../models/warp.ts'
import type { Watermark } from '../watermark.ts'
import { secretKey } from './codes.ts'
import { type PairDesign, type PairTest, pairTest } from './engine/pair-test.ts'
import { Violation } from './for-all.ts'
import type { Trial } from './law.ts'
import { beginInStep, drew, type ManyRows, stepTogether } from './many-rows.ts'

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

function mustHaveMass(p: Float64Array, token: number): void {
  if (!(p[token]! > 0)) throw new Violation(`drew token ${token}, whose probability is ${p[token]}`)
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
    mustHaveMass(p, token)
    text.drew(token, p[token]!)
    tokens.push(token)
  }
  return { tokens: Uint8Array.from(tokens), contexts }
}

/** Texts that are written in step, where a watermark can do several positions at once. */
const TEXTS_AT_ONCE = 32

/** The same texts, all at once: position by position, each under its key. */
function iidTextsInStep<Code>(
  watermark: Watermark<Code>,
  p: Float64Array,
  length: number,
  keys: readonly string[],
  many: NonNullable<ManyRows<Code>['many']>,
): IidText[] {
  const texts = keys.map((key) => beginInStep(watermark, key))
  const streams = keys.map((key) => seededRandom(key, 'iid text'))
  const ps = keys.map(() => p)
  for (let t = 0; t < length; t++)
    for (const [i, q] of stepTogether(watermark, texts, ps, many).entries()) {
      const token = draw(q, streams[i]!.uniform())
      mustHaveMass(p, token)
      drew(texts[i]!, token, p[token]!)
    }
  return texts.map(({ tokens, contexts }) => ({ tokens: Uint8Array.from(tokens), contexts }))
}

/** Texts under key seed `keys`, from number `from` on: one, or as many as are written in step. */
function nextTexts<Code>(watermark: Watermark<Code>, { p, length }: PairDesign, keys: number, from: number) {
  const { many } = watermark.reweight as ManyRows<Code>
  if (many === undefined) return [iidText(watermark, p, length, secretKey(keys, from))]
  const names = Array.from({ length: TEXTS_AT_ONCE }, (_, i) => secretKey(keys, from + i))
  return iidTextsInStep(watermark, p, length, names, many)
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
    for (const { tokens, contexts } of nextTexts(watermark, design, keys, test.texts)) {
      test.add(tokens, contexts)
      if (test.reached(nats)) return { test, won: true }
    }
    await trial.breathe()
  }
  return { test, won: false }
}
