/** Small worlds in which every key can be listed: each context gets one of a few codes, and a key is a choice of one for each. */

import { sumDetector } from '../../src/core/detect/sum-detector.ts'
import type { ContextRule } from '../../src/core/keys/rule.ts'
import { defineWatermark } from '../../src/core/method/define-watermark.ts'
import type { AnyWatermark, NullLaw } from '../../src/watermark.ts'

/** A code is the score of each token. */
type Scores = readonly number[]

export interface World {
  readonly name: string
  readonly rule: ContextRule
  readonly law: NullLaw
  readonly vocabSize: number
  readonly codes: readonly { readonly scores: Scores; readonly weight: number }[]
}

/** Every key with its probability: the watermark under it. `contexts` are those that the texts can have. */
export function* keysOf(world: World, contexts: readonly string[]) {
  const { codes, rule, law } = world
  for (let index = 0; index < codes.length ** contexts.length; index++) {
    const chosen = contexts.map((_, i) => codes[Math.floor(index / codes.length ** i) % codes.length]!)
    const table = new Map(contexts.map((context, i) => [context, chosen[i]!.scores]))
    const watermark: AnyWatermark = defineWatermark<Scores>({
      id: world.name,
      unbiased: true,
      context: rule,
      draw: (_random, _vocabSize, { context }) => table.get(context.join())!,
      reweight: (p, _code, q) => q.set(p),
      score: (token, scores) => scores[token]!,
      detector: sumDetector({ nullLaw: law }),
    })
    yield { watermark, weight: chosen.reduce((product, { weight }) => product * weight, 1) }
  }
}

/** Every text of a length. */
export function* textsOf(vocabSize: number, length: number): Generator<number[]> {
  for (let index = 0; index < vocabSize ** length; index++)
    yield Array.from({ length }, (_, t) => Math.floor(index / vocabSize ** t) % vocabSize)
}

/** Each list of one score per token, of independent scores with the given probabilities. */
export function independentScores(vocabSize: number, pmf: readonly number[]): World['codes'] {
  return Array.from(textsOf(pmf.length, vocabSize), (scores) => ({
    scores,
    weight: scores.reduce((product, score) => product * pmf[score]!, 1),
  }))
}
