/**
 * Green lists that a trained network makes of the context. The network is public. The key is a table: every token has a secret class, drawn
 * uniformly and independently of all others, and the network says which classes are green after a context.
 *
 * The null law is exact. Lists depend on the text alone and classes on the key alone, so for a text that was written without the key the classes
 * of its tokens are independent uniform draws. A token that occurs c times adds the number of its c lists that contain its class:
 * one variable per token type, whose law is counted over all classes. Their sum is convolved.
 */
import { below, type Context, type Random, wordsBy } from '../../core/keys/index.ts'
import type { MethodParts } from '../../core/method/index.ts'
import { logLawsTail, logNormalTail } from '../../core/stats/index.ts'
import type { Detector, Evidence } from '../../watermark.ts'
import type { GreenSet, GreenTest } from './green.ts'
import { tilted } from './tilt.ts'

/** The classes that are green: 1 or 0 for each. */
export type List = Uint8Array

/** The parts that differ between the two methods. */
export interface LearnedLists {
  readonly classes: number
  /** Returns the list after a context; the same for every key. */
  listAfter(context: Context): List
  /** The published test of the number of green tokens among those that it counts. */
  published(green: number, counted: number): { readonly statistic: number; readonly z: number }
  /** Tokens that the published test leaves out; default none. */
  isCounted?(context: Context): boolean
}

/** The position of each context's list in the order in which lists appear, and the lists. */
function listsOf({ contexts }: Evidence, { listAfter }: LearnedLists): (List | undefined)[] {
  let last: Context | undefined
  let list: List | undefined
  return contexts.map((context) => {
    if (context !== undefined && context !== last) {
      list = listAfter(context)
      last = context
    }
    return context && list
  })
}

/** Returns for each token type the law of its number of greens over a uniform class. */
function lawsOf(tokens: Evidence['tokens'], lists: readonly (List | undefined)[], classes: number) {
  const ofType = new Map<number, List[]>()
  for (const [t, list] of lists.entries()) {
    if (list === undefined) continue
    const own = ofType.get(tokens[t]!)
    if (own) own.push(list)
    else ofType.set(tokens[t]!, [list])
  }
  const counts = new Uint32Array(classes)
  return Array.from(ofType.values(), (own) => {
    counts.fill(0)
    for (const list of own) for (let c = 0; c < classes; c++) counts[c]! += list[c]!
    const law = new Float64Array(counts.reduce((most, count) => Math.max(most, count), 0) + 1)
    for (const count of counts) law[count]! += 1 / classes
    return law
  })
}

/** The number of green tokens and its exact tail, or the published test. */
function listDetector(lists: LearnedLists, test: GreenTest): Detector {
  const guaranteed = test === 'guaranteed'
  return {
    id: 'lists',
    bound: 1,
    ...(!guaranteed && { guaranteed }),
    follows: ({ foundBy, recurs }) => foundBy === undefined && recurs,
    test(evidence) {
      const { tokens, contexts } = evidence
      const perToken = evidence.scoreEach()
      const { isCounted } = lists
      if (!guaranteed && isCounted)
        for (const [t, context] of contexts.entries())
          if (context && !isCounted(context)) perToken[t] = Number.NaN
      const counted = perToken.filter((score) => !Number.isNaN(score))
      const green = counted.reduce((sum, score) => sum + score, 0)
      const scored = counted.length
      const seen = { scored, perToken }
      if (scored === 0) return { statistic: 0, logPValue: 0, exact: guaranteed, ...seen }
      if (!guaranteed) {
        const { statistic, z } = lists.published(green, scored)
        return { statistic, logPValue: Math.min(0, logNormalTail(z)), exact: false, ...seen }
      }
      const laws = lawsOf(tokens, listsOf(evidence, lists), lists.classes)
      const { logTail: logPValue, exact } = logLawsTail(green, laws)
      return { statistic: green, logPValue, exact, ...seen }
    },
  }
}

/** The declaration, without its context rule: `delta` is added to the logits of green tokens. Biased. */
export function learned(lists: LearnedLists, delta: number, test: GreenTest): MethodParts<GreenSet> {
  const { draw: _, fast: __, enumerate: ___, ...parts } = tilted(delta, 1 / 2, 'guaranteed')
  const { classes, listAfter } = lists
  const classOf = (shared: Random, token: number): number => below(shared, token, classes)
  return {
    ...parts,
    draw(_random, _vocabSize, { shared, context }) {
      const list = listAfter(context)
      // words below one half are green
      return { random: wordsBy((token) => (list[classOf(shared, token)] === 1 ? 0 : 2 ** 31)), shift: 0 }
    },
    detector: listDetector(lists, test),
  }
}
