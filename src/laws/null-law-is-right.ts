/**
 * Detection keeps its promise on text that has nothing to do with the key: scores lie in the declared bound, and
 * P(pValue <= a) <= a for every a. In three parts: the law of one score, sampled at vocabularies of many sizes and over the ids of
 * large ones; the tail of many scores, computed from it; and p-values of whole texts over keys, which see scores that are not
 * independent.
 */
import type { Watermark } from '../watermark.ts'
import { smallestExcess, smallestRate } from './engine/p-value-test.ts'
import type { Found } from './for-all.ts'
import { type Effort, type LawEvidence, type LawResult, notApplicable, type Trial } from './law.ts'
import { type AcrossIds, acrossIds } from './null-law/across-ids.ts'
import { type ComputedTails, computedTails, isSum } from './null-law/computed-tail.ts'
import { freshPairs } from './null-law/declared.ts'
import { type OneScore, oneScore } from './null-law/one-score.ts'
import { MOST_SCORES } from './null-law/tail-cases.ts'
import { DEEPEST } from './null-law/tilted-scores.ts'
import { falsePositives, type Plan, plansFor, type WholeTexts, wholeTexts } from './null-law/whole-texts.ts'
import { counterexampleOf, type Shown } from './result.ts'

const NAME = 'the null law is right'
/** The false-alarm rate is divided equally over the parts that sample; the quick effort leaves one out. */
export const SAMPLED_PARTS: Readonly<Record<Effort, number>> = { quick: 3, usual: 4, thorough: 4 }

/** A detector that promises nothing is measured instead. */
async function measured<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  const parts: string[] = []
  for (const plan of plansFor(watermark, trial.seed)) {
    const { rate, keys } = await falsePositives(watermark, trial, plan, 0.01)
    parts.push(`${(100 * rate).toFixed(1)}% of ${keys} keys on ${describe(plan)}`)
  }
  return notApplicable(NAME, `declares no guarantee; p <= 1% for ${parts.join(', ')}`)
}

const describe = ({ kind, length, vocab }: Plan): string => `a ${kind} text of ${length} tokens of ${vocab}`

const percent = (x: number): string => `${+(100 * x).toPrecision(2)}%`

/** How far down p-values were looked at. */
function depthOf(computed: ComputedTails | undefined, { fewest, rates }: WholeTexts): string {
  if (computed !== undefined && computed.reason === undefined)
    return `tails of up to ${MOST_SCORES} scores computed, down to 1e-${Math.floor(DEEPEST / Math.LN10 / 100) * 100}`
  const why = computed?.reason ?? 'no sum of scores'
  // a path that was replayed leads elsewhere
  if (!Number.isFinite(fewest)) return `tails sampled (${why})`
  const seen = [0.01, 0.001].map(
    (a) => `P(p <= ${percent(a)}) from ${percent(smallestRate(a, fewest, rates))} on`,
  )
  return `tails sampled (${why}): sees ${seen.join(', ')}`
}

async function nullLawIsRight<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  const { detector } = watermark
  if (detector === undefined) return notApplicable(NAME, 'declares no detector')
  if (detector.guaranteed === false) return measured(watermark, trial)
  const share = trial.falseAlarm / SAMPLED_PARTS[trial.effort]
  const plans = plansFor(watermark, trial.seed)
  let one: OneScore | undefined
  let ids: AcrossIds | undefined
  let texts: WholeTexts | undefined
  const evidence = (): LawEvidence => ({
    kind: 'sampled',
    keys: (one?.scores ?? 0) + (ids?.keys ?? 0) + (texts?.keys ?? 0),
    falseAlarm: trial.falseAlarm,
    miss: trial.miss,
    smallestBias: texts === undefined ? 1 : smallestExcess(texts.fewest, texts.rates),
    observedBias: texts?.worst ?? 0,
    ...(one !== undefined && { promises: one.promises }),
  })
  const refused = <T>(found: Found<T>, show: (value: T) => Shown): LawResult | undefined =>
    found.why === undefined
      ? undefined
      : {
          law: NAME,
          verdict: 'fails',
          detail: found.why,
          evidence: evidence(),
          counterexample: counterexampleOf(NAME, trial, found, show),
        }
  const pairs = await freshPairs(watermark, trial)
  const repeated = refused(pairs, (tokens) => ({ also: `the text [${tokens.join(', ')}]` }))
  if (repeated) return repeated
  let computed: ComputedTails | undefined
  if (isSum(watermark)) {
    const showSize = ({ vocabSize, keys }: { vocabSize: number; keys: number }): Shown => ({
      also: `a vocabulary of ${vocabSize}, key seed ${keys}`,
    })
    one = await oneScore(watermark, trial, share)
    const single = refused(one.found, showSize)
    if (single) return single
    if (trial.effort !== 'quick') {
      ids = await acrossIds(watermark, trial, share)
      const wide = refused(ids.found, showSize)
      if (wide) return wide
    }
    computed = await computedTails(watermark, trial, share)
    const tail = refused(computed.found, ({ vocabSize, scores, recurring, keys }) => ({
      also: `${scores} scores${recurring ? ', some counted several times' : ''}, vocabulary of ${vocabSize}, seed ${keys}`,
    }))
    if (tail) return tail
  }
  texts = await wholeTexts(watermark, trial, plans, share)
  const whole = refused(texts.found, ({ plan, keys }) => ({
    also: `${describe(plans[plan]!)}, from key seed ${keys}`,
  }))
  if (whole) return whole
  const wide = ids?.sees === undefined ? '' : `; over all ids sees P(p <= 50%) from ${percent(ids.sees)} on`
  const detail = `bias: excess of P(p <= a) over a; ${depthOf(computed, texts)}${wide}`
  return { law: NAME, verdict: 'holds', detail, evidence: evidence() }
}

export const nullLawIsRightLaw = {
  name: NAME,
  statement: 'scores lie in the declared bound; on text without watermark P(p <= a) <= a for every a',
  sampled: true,
  check: nullLawIsRight,
}
