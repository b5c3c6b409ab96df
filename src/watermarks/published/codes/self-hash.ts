/**
 * KGW with self-hash: each candidate has a green list of its own, so the code of a position is the set of tokens that are in theirs. Published generation looks at
 * the likeliest tokens only, and adds delta to the green ones among them.
 */

import { sumDetector, withoutReplacement } from '../../../core/detect/index.ts'
import type { ContextRule } from '../../../core/keys/index.ts'
import { wordsBy } from '../../../core/keys/index.ts'
import { outOfRange } from '../../../input.ts'
import type { SeededCode } from '../../../watermark.ts'
import { type GreenSet, greenRate } from '../../mechanisms/green.ts'
import { kgwGreenSize } from '../kgw.ts'
import type { PublishedParts } from '../published.ts'
import { perKey, secretIntegers } from '../secret.ts'
import { selfHash } from '../self-hash.ts'
import { TorchGenerator } from '../torch.ts'
import { bySeed, type Counted } from './shared-seeds.ts'

/** Tokens before the candidate that its hash reads. */
export const SELF_HASH_WIDTH = 3

export interface SelfHashValues {
  readonly delta: number
  readonly gamma: number
  readonly context: ContextRule
  readonly contexts: Counted
}

/** The `count` likeliest tokens, the lower id first among equals. */
function likeliest(p: Float64Array, count: number): number[] {
  const best: number[] = []
  for (let token = 0; token < p.length; token++) {
    if (best.length === count && p[token]! <= p[best.at(-1)!]!) continue
    let at = best.length
    while (at > 0 && p[best[at - 1]!]! < p[token]!) at--
    best.splice(at, 0, token)
    if (best.length > count) best.pop()
  }
  return best
}

/** @param candidates how many of the likeliest tokens generation looks at: 40 in Transformers, 41 in lm-watermarking */
export function selfHashParts(
  { delta, gamma, context: rule, contexts }: SelfHashValues,
  table: 'keyed' | 'fixed',
  candidates: number,
): PublishedParts<GreenSet> {
  if (rule.window !== SELF_HASH_WIDTH)
    throw outOfRange(
      'context',
      `ngram(${SELF_HASH_WIDTH}): the self-hash reads three tokens and the next`,
      rule.id,
    )
  const { threshold } = greenRate(gamma)
  const hashOf = perKey((key) =>
    selfHash(secretIntegers(key, { name: 'hashing key', count: 1, bits: 63 })[0]!, table),
  )
  const isGreen = ({ random }: GreenSet, token: number): boolean => random.uint32(token) < threshold
  return {
    draw(_random, vocabSize, { key, context }): GreenSet & SeededCode {
      const hash = hashOf(key)
      const green = kgwGreenSize(vocabSize, gamma)
      const seedOf = (token: number): number => hash.seed(context, token)
      const random = wordsBy((token) =>
        new TorchGenerator(seedOf(token)).randpermRank(vocabSize, token, green) < green ? 0 : threshold,
      )
      return { random, shift: 0, seedOf }
    },
    reweight(p, code, q) {
      q.set(p)
      let total = 1
      for (const token of likeliest(p, candidates))
        if (p[token]! > 0 && isGreen(code, token)) {
          total += p[token]! * Math.expm1(delta)
          q[token] = p[token]! * Math.exp(delta)
        }
      for (let token = 0; token < q.length; token++) q[token]! /= total
    },
    detector: bySeed(
      contexts,
      sumDetector({
        nullLaw: (vocabSize) => withoutReplacement(kgwGreenSize(vocabSize, gamma), vocabSize),
        bound: 1,
      }),
    ),
    enumerate: undefined,
  }
}
