/**
 * A goodness-of-fit test of Gumbel scores. Without the key, v = e^-score of each pair of context and token is uniform; a mark makes some of them small. At low entropy these are few: a
 * token of mass p is marked by v < p or so, and the sum of scores drowns them in those of all other tokens. The statistic of Berk and Jones looks at the smallest values at every depth, and
 * needs no guess of the entropy.
 */

import { ContextMemory } from '../../core/keys/index.ts'
import { defineWatermark } from '../../core/method/index.ts'
import { berkJones, logBerkJonesTail } from '../../core/stats/index.ts'
import { outOfRange } from '../../input.ts'
import { type Detector, type Evidence, requireWatermark, type Watermark } from '../../watermark.ts'
import { drawExponentials, type Exponentials, gumbelScore } from '../mechanisms/gumbel-max.ts'

/** Scores with NaN where a pair of context and token was scored before: it has the same score again, which is no news. */
function firstScores({ tokens, contexts, rule, scoreEach }: Evidence): Float64Array {
  const perToken = scoreEach()
  if (!rule.recurs) return perToken
  const seen = new ContextMemory(tokens.length)
  return perToken.map((score, t) => {
    const context = contexts[t]
    return context === undefined || seen.add([...context, tokens[t]!]) ? Number.NaN : score
  })
}

const detector: Detector = {
  id: 'berk-jones',
  bound: Number.POSITIVE_INFINITY,
  follows: ({ foundBy }) => foundBy === undefined,
  test(evidence) {
    const perToken = firstScores(evidence)
    // ln v, the smallest first
    const logs = perToken
      .filter((score) => !Number.isNaN(score))
      .map((score) => 0 - score)
      .sort()
    const statistic = berkJones(logs)
    const logPValue = logBerkJonesTail(statistic, logs.length)
    return { statistic, logPValue, exact: true, scored: logs.length, perToken }
  },
}

/**
 * The same Gumbel watermark, with a goodness-of-fit test (Berk and Jones) in place of the sum of scores. It needs fewer tokens where few of them show the mark, as where the model is almost
 * sure of most or after many edits, and up to 30% more where many do; no guess of the entropy is needed. The p-value is exact. Each pair of context and token counts once, so contexts may recur.
 * It reads the same texts.
 * @example withGoodnessOfFit(gumbel()).id // 'gumbel, goodness of fit'
 */
export function withGoodnessOfFit(watermark: Watermark<Exponentials>): Watermark<Exponentials> {
  requireWatermark(watermark)
  // published uniforms have 24 bits, and seeds that may collide
  if (watermark.draw !== drawExponentials || watermark.score !== gumbelScore)
    throw outOfRange('watermark', 'a Gumbel watermark with own codes', watermark.id)
  return defineWatermark<Exponentials>({ ...watermark, id: `${watermark.id}, goodness of fit`, detector })
}
