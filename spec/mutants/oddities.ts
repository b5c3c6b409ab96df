/**
 * More correct watermarks whose marks are rare, late or narrow, or whose step depends on position or size. No law on q may refuse
 * them; about whole texts and p-values they claim nothing that is tested here.
 */

import { OWN } from '../../src/core/keys/random.ts'
import type { ContextRule } from '../../src/core/keys/rule.ts'
import { dipmark, mcmark, ngram, sta1 } from '../../src/index.ts'
import type { Watermark } from '../../src/watermark.ts'
import type { AnyWatermark } from '../../src/watermarks/entry.ts'
import { complement, dip, drawWords, race, sta, upperHalf, type Words } from './bases.ts'
import { changed } from './mutant.ts'
import { withPosition } from './positions.ts'
import { fisherYates, ordered, unbiasedBelow } from './sizes.ts'

/** A rule that leaves positions alone: by the number of tokens before, a coin of the text, and the probability of the last token. */
const marking = (
  isMarked: (at: { t: number; coin: number; last: number }) => boolean,
  rule: ContextRule = ngram(2),
): ContextRule => ({
  ...rule,
  id: `some of ${rule.id}`,
  begin(perText) {
    const cursor = rule.begin(perText)
    const coin = perText.uniform(OWN)
    let last = 1
    return {
      next(tokens) {
        const context = cursor.next(tokens)
        return isMarked({ t: tokens.length, coin, last }) ? context : undefined
      },
      drew(token, probability) {
        last = probability
        cursor.drew?.(token, probability)
      },
    }
  },
})

/** A number of the text's own joins the context. */
const nonced = (count: number): ContextRule => ({
  ...ngram(2),
  id: 'ngram(2) and a nonce',
  begin(perText) {
    const cursor = ngram(2).begin(perText)
    const nonce = Math.floor(perText.uniform(OWN) * count)
    return {
      next(tokens) {
        const context = cursor.next(tokens)
        return context && [...context, nonce]
      },
    }
  },
})

export const oddities: readonly (readonly [string, AnyWatermark])[] = [
  ['sta1 with 997 green tokens in 1,000', sta1({ gamma: 0.997 })],
  ['marks one position in 300', changed(sta(), { context: marking(({ t }) => t % 300 === 299) })],
  ['marks one text in twenty', changed(sta(), { context: marking(({ coin }) => coin < 0.05) })],
  [
    'marks only the first token',
    changed(dip(), { context: marking(({ t }) => t === 0, ngram(2, { short: true })) }),
  ],
  ['marks after probable tokens only', changed(dip(), { context: marking(({ last }) => last > 2 ** -30) })],
  ['a nonce of 30 bits per text', changed(race(), { context: nonced(2 ** 30) })],
  ['inverse sampling over ids in order', ordered()],
  [
    'a secret order of all tokens, the same at every position',
    changed(dip(), {
      draw: (random, vocabSize, { shared }) => {
        const order = fisherYates(unbiasedBelow)(shared, vocabSize)
        return { word: (i) => random.uint32(order[i] ?? i) }
      },
    }),
  ],
  [
    'words of 24 bits, as float32 has them',
    changed(race(), { draw: (random) => ({ u: (i) => ((random.uint32(i) >>> 8) + 0.5) / 2 ** 24 }) }),
  ],
  [
    'float32 inside, scaled to 1 at the end',
    changed(sta(), {
      reweight: (p, code, q) => {
        sta().reweight(p, code, q)
        let sum = 0
        for (let i = 0; i < q.length; i++) {
          q[i] = Math.fround(q[i]!)
          sum += q[i]!
        }
        for (let i = 0; i < q.length; i++) q[i]! /= sum
      },
      orbit: undefined,
    }),
  ],
  [
    'another method at odd positions',
    changed(sta() as Watermark<Words & { t?: number }>, {
      context: withPosition(ngram(2)),
      draw: (random, _, { context }) => ({ ...drawWords(random), t: context.at(-1)! }),
      reweight: (p, code, q) => (code.t! % 2 === 0 ? sta() : dip()).reweight(p, code, q),
      orbit: (code) => [code, { ...complement(code), t: code.t! }],
    }),
  ],
  [
    'another method on large vocabularies',
    changed(sta(), {
      reweight: (p, code, q) => (p.length > 1000 ? sta() : dip(0.3)).reweight(p, code, q),
      score: upperHalf,
    }),
  ],
  ['dipmark, very weak', dipmark({ alpha: 0.002 })],
  ['mcmark with 200 channels', mcmark({ channels: 200 })],
]
