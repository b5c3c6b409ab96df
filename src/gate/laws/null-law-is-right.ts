/**
 * Detection keeps its promise on text that has nothing to do with the key: scores lie in the declared bound, and
 * P(pValue <= a) <= a for every a. In three parts: the law of one score, sampled at vocabularies of many sizes and over the ids of
 * large ones; the tail of many scores, computed from it; and p-values of whole texts over keys, which see scores that are not
 * independent.
 */
import type { Watermark } from '../../watermark.ts'
import { smallestExcess, smallestRate } from './engine/p-value-test.ts'
import { type Found, resultOf } from './for-all.ts'
import { defineLaw, type Effort, type Finding, notApplicable, sampledEvidence, type Trial } from './law.ts'
import { type AcrossIds, acrossIds } from './null-law/across-ids.ts'
import { type ComputedTails, computedTails, isSum } from './null-law/computed-tail.ts'
import { freshPairs } from './null-law/declared.ts'
import { type OneScore, oneScore } from './null-law/one-score.ts'
import { DEEPEST } from './null-law/tilted-scores.ts'
import {
  describePlan,
  falsePositives,
  plansFor,
  type WholeTexts,
  wholeTexts,
} from './null-law/whole-texts.ts'

/** The false-alarm rate is divided equally over the parts that sample; the quick effort leaves one out. */
export const SAMPLED_PARTS: Readonly<Record<Effort, number>> = { quick: 3, usual: 4, thorough: 4 }

/** Measures a detector that promises nothing. */
async function measured<Code>(watermark: Watermark<Code>, trial: Trial): Promise<Finding> {
  const parts: string[] = []
  for (const plan of plansFor(watermark, trial)) {
    const { rate, keys } = await falsePositives(watermark, trial, plan, 0.01)
    parts.push(`${(100 * rate).toFixed(1)}% of ${keys} keys on ${describePlan(plan)}`)
  }
  return notApplicable(`declares no guarantee; p <= 1% for ${parts.join(', ')}`)
}

const percent = (x: number): string => `${+(100 * x).toPrecision(2)}%`

/** Says how far down p-values were looked at. */
function depthOf(computed: ComputedTails | undefined, { fewest, rates }: WholeTexts): string {
  if (computed !== undefined && computed.reason === undefined)
    return `tails of up to ${computed.most} scores computed, down to 1e-${Math.floor(DEEPEST / Math.LN10 / 100) * 100}`
  const why = computed?.reason ?? 'no sum of scores'
  // a path that was replayed leads elsewhere
  if (!Number.isFinite(fewest)) return `tails sampled (${why})`
  const seen = [0.01, 0.001].map(
    (a) => `P(p <= ${percent(a)}) from ${percent(smallestRate(a, fewest, rates))} on`,
  )
  return `tails sampled (${why}): sees ${seen.join(', ')}`
}

export const nullLawIsRightLaw = defineLaw(
  {
    name: 'the null law is right',
    statement: 'scores lie in the declared bound; on text without watermark P(p <= a) <= a for every a',
    sampled: true,
  },
  async (watermark, trial) => {
    const { detector } = watermark
    if (detector === undefined) return notApplicable('declares no detector')
    if (detector.guaranteed === false) return measured(watermark, trial)
    const share = trial.falseAlarm / SAMPLED_PARTS[trial.effort]
    let one: OneScore | undefined
    let ids: AcrossIds | undefined
    let computed: ComputedTails | undefined
    let texts: WholeTexts | undefined
    const result = (found: Found, detail = ''): Finding => {
      const keys = (one?.scores ?? 0) + (ids?.keys ?? 0) + (texts?.keys ?? 0)
      const evidence = sampledEvidence(trial, {
        keys,
        smallestBias: texts === undefined ? 1 : smallestExcess(texts.fewest, texts.rates),
        observedBias: texts?.worst ?? 0,
        ...(one !== undefined && { promises: one.promises }),
      })
      return resultOf(found, evidence, detail)
    }
    const pairs = await freshPairs(watermark, trial)
    if (pairs.why !== undefined) return result(pairs)
    if (isSum(watermark)) {
      one = await oneScore(watermark, trial, share)
      if (one.found.why !== undefined) return result(one.found)
      if (trial.effort !== 'quick') {
        ids = await acrossIds(watermark, trial, share)
        if (ids.found.why !== undefined) return result(ids.found)
      }
      computed = await computedTails(watermark, trial, share)
      if (computed.found.why !== undefined) return result(computed.found)
    }
    texts = await wholeTexts(watermark, trial, plansFor(watermark, trial), share)
    const wide = ids?.sees === undefined ? '' : `; over all ids sees P(p <= 50%) from ${percent(ids.sees)} on`
    return result(texts.found, `bias: excess of P(p <= a) over a; ${depthOf(computed, texts)}${wide}`)
  },
)
