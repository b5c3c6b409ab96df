/**
 * Unbiased over long texts. Two positions that share a code are correlated, and in a text of hundreds of tokens over a few
 * symbols contexts come back: if the code comes back with them, equal tokens are too frequent. The model's tokens are
 * independent, so the law of the number of equal pairs is known and every bet on it is exact (see `engine/pair-test.ts`).
 *
 * Where the declaration limits its claim (`unbiasedUpTo`) both sides are tested: up to that length texts follow the model's
 * law, beyond it they are shown not to (`shown-beyond.ts`).
 */
import type { Watermark } from '../watermark.ts'
import { keySeed, weights } from './arbitraries/index.ts'
import { pairDesign } from './engine/pair-test.ts'
import { fc } from './fast-check.ts'
import { type Found, forAll, Violation } from './for-all.ts'
import { fractions, probabilities } from './fractions.ts'
import { betOnTexts } from './iid-texts.ts'
import { type LawEvidence, type LawResult, notApplicable, type Trial } from './law.ts'
import { LENGTH, longTexts, pairPlan, type Sight, sightOf, type TextPlan } from './pair-plan.ts'
import { replayOf, resultOf, type Shown } from './result.ts'
import { type Beyond, shownBeyond } from './shown-beyond.ts'

const NAME = 'equal pairs'
/** Values that shrinking may try: one that passes costs all texts. */
const SHRINKS = 3

interface Case {
  readonly w: number[]
  readonly keys: number
}

/** What texts up to the claimed length say. */
interface UpTo {
  readonly found: Found<Case>
  readonly keys: number
  readonly observed: number
}

async function upTo<Code>(
  watermark: Watermark<Code>,
  { length, models, runs, texts, level }: TextPlan,
  trial: Trial,
  part?: 'long',
): Promise<UpTo> {
  let keys = 0
  let observed = 0
  const found = await forAll(
    trial,
    {
      ...(part !== undefined && { part }),
      arbitrary: fc.record({ w: weights({ minTokens: 2, maxTokens: 16, maxWeight: 20 }), keys: keySeed() }),
      examples: models.map(({ w }, i) => ({ w: [...w], keys: trial.seed + i })),
      runs,
      shrinks: SHRINKS,
    },
    async ({ w, keys: seed }) => {
      const stake = { keys: seed, texts, nats: -Math.log(level) }
      const listed = models.find((model) => model.w.join() === w.join())
      const design = listed?.design ?? pairDesign(probabilities(w), length)
      const { test, won } = await betOnTexts(watermark, design, stake, trial)
      keys += test.texts
      observed = won ? test.excess : Math.max(observed, test.excess)
      if (won) throw new Violation(`in ${test.texts} texts of ${length} tokens, ${test.finding()}`)
    },
  )
  return { found, keys, observed }
}

const needlesslyModest = ({ detail }: Beyond, evidence: LawEvidence, { seed }: Trial): LawResult => ({
  law: NAME,
  verdict: 'fails',
  detail,
  evidence,
  counterexample: { seed, path: '', replay: replayOf(NAME, seed, '') },
})

const apartOf = (sights: readonly Sight[]): string =>
  Math.max(...sights.map(({ apart }) => apart)).toPrecision(2)
const showTexts =
  ({ length }: TextPlan) =>
  ({ w }: Case): Shown => ({ p: fractions(w), also: `texts of ${length} independent tokens` })

/** Texts as far as the claim reaches: those that the promise rests on, then a few long ones. */
async function within<Code>(watermark: Watermark<Code>, claimed: number, trial: Trial): Promise<LawResult> {
  const plan = pairPlan(trial, Math.min(LENGTH, claimed))
  const { found, keys, observed } = await upTo(watermark, plan, trial)
  const evidence = {
    kind: 'sampled',
    falseAlarm: trial.falseAlarm,
    miss: trial.miss,
    keys,
    smallestBias: Math.max(...plan.sights.map(({ excess }) => excess)),
    observedBias: observed,
    promises: plan.sights.map(({ vocabSize, excess }) => ({ vocabSize, bias: excess })),
  } as const
  const detail = `texts of ${plan.length} tokens; bias: excess of P(x_s = x_t) over all pairs (${apartOf(plan.sights)} at one distance)`
  const result = resultOf(NAME, trial, found, showTexts(plan), evidence, detail)
  const long = longTexts(trial, claimed)
  if (result.verdict === 'fails' || long === undefined) return result
  const further = await upTo(watermark, long, trial, 'long')
  const sights = long.models.map(({ design }) => sightOf(design, long.texts, { ...trial, level: long.level }))
  return resultOf(
    NAME,
    trial,
    further.found,
    showTexts(long),
    {
      ...evidence,
      keys: keys + further.keys,
      ...(further.found.why !== undefined && { observedBias: further.observed }),
    },
    `${detail}; in ${long.texts} texts of ${long.length} tokens ${apartOf(sights)} at distance 1`,
  )
}

async function equalPairs<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  if (!watermark.unbiased) return notApplicable(NAME, 'declared biased')
  const claimed = watermark.unbiasedUpTo ?? Number.POSITIVE_INFINITY
  const upToClaim = claimed > 1 ? await within(watermark, claimed, trial) : undefined
  if (upToClaim !== undefined && (upToClaim.verdict === 'fails' || claimed === Number.POSITIVE_INFINITY))
    return upToClaim
  const beyond = await shownBeyond(watermark, claimed, trial)
  const evidence: LawEvidence = upToClaim?.evidence ?? {
    kind: 'sampled',
    falseAlarm: trial.falseAlarm,
    miss: trial.miss,
    keys: beyond.keys,
    smallestBias: beyond.smallest,
    observedBias: beyond.observed,
  }
  if (!beyond.shown) return needlesslyModest(beyond, evidence, trial)
  const detail = upToClaim === undefined ? beyond.detail : `${upToClaim.detail}; ${beyond.detail}`
  return { law: NAME, verdict: 'holds', detail, evidence }
}

export const equalPairsLaw = {
  name: NAME,
  statement:
    'in long texts of independent tokens any two positions are equal as often as the model says, up to the claimed length and no further',
  sampled: true,
  check: equalPairs,
}
