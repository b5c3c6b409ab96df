/**
 * Unbiased over long texts. Two positions that share a code are correlated, and in a text of hundreds of tokens over a few
 * symbols contexts come back: if the code comes back with them, equal tokens are too frequent. The model's tokens are
 * independent, so the law of the number of equal pairs is known and every bet on it is exact (see `engine/pair-test.ts`).
 *
 * If the declaration limits its claim (`unbiasedUpTo`), both sides are tested: up to that length texts follow the model's
 * law, beyond it they are shown not to (`shown-beyond.ts`).
 */
import { targetLaw } from '../../core/embed/index.ts'
import type { Watermark } from '../../watermark.ts'
import { keySeed, weights } from './arbitraries/index.ts'
import { pairDesign } from './engine/pair-test.ts'
import { fc } from './fast-check.ts'
import { type Found, forAll, resultOf, Violation } from './for-all.ts'
import { fractions, probabilities } from './fractions.ts'
import { betOnTexts } from './iid-texts.ts'
import { defineLaw, type Finding, notApplicable, sampledEvidence, type Trial } from './law.ts'
import { memberOf } from './messages.ts'
import { LENGTH, longTexts, pairPlan, type Sight, sightOf, type TextPlan } from './pair-plan.ts'
import { shownBeyond } from './shown-beyond.ts'

/** Values that shrinking may try: one that passes costs all texts. */
const SHRINKS = 3

/** Bets on texts of one length. */
async function upTo<Code>(
  watermark: Watermark<Code>,
  { length, models, runs, texts, level }: TextPlan,
  trial: Trial,
  part?: 'long',
): Promise<{ readonly found: Found; readonly keys: number; readonly observed: number }> {
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
      show: ({ w }) => ({ p: fractions(w), also: `texts of ${length} independent tokens` }),
    },
    async ({ w, keys: seed }) => {
      const stake = { keys: seed, texts, nats: -Math.log(level) }
      const p = probabilities(w)
      const listed = watermark.target ? undefined : models.find((model) => model.w.join() === w.join())
      const design = listed?.design ?? pairDesign(targetLaw(watermark, p), length)
      const { test, won } = await betOnTexts(watermark, p, design, stake, trial)
      keys += test.texts
      observed = won ? test.excess : Math.max(observed, test.excess)
      if (won) throw new Violation(`in ${test.texts} texts of ${length} tokens, ${test.finding()}`)
    },
  )
  return { found, keys, observed }
}

const apartOf = (sights: readonly Sight[]): string =>
  Math.max(...sights.map(({ apart }) => apart)).toPrecision(2)

/** Texts up to the claimed length: those that the promise rests on, then a few long ones. */
async function within<Code>(watermark: Watermark<Code>, claimed: number, trial: Trial): Promise<Finding> {
  const plan = pairPlan(trial, Math.min(LENGTH, claimed))
  const { found, keys, observed } = await upTo(watermark, plan, trial)
  const parts = {
    keys,
    smallestBias: Math.max(...plan.sights.map(({ excess }) => excess)),
    observedBias: observed,
    promises: plan.sights.map(({ vocabSize, excess }) => ({ vocabSize, bias: excess })),
  }
  const detail = `texts of ${plan.length} tokens; bias: excess of P(x_s = x_t) over all pairs (${apartOf(plan.sights)} at one distance)`
  const long = longTexts(trial, claimed)
  if (found.why !== undefined || long === undefined)
    return resultOf(found, sampledEvidence(trial, parts), detail)
  const further = await upTo(watermark, long, trial, 'long')
  const sights = long.models.map(({ design }) => sightOf(design, long.texts, { ...trial, level: long.level }))
  const evidence = sampledEvidence(trial, {
    ...parts,
    keys: keys + further.keys,
    ...(further.found.why !== undefined && { observedBias: further.observed }),
  })
  return resultOf(
    further.found,
    evidence,
    `${detail}; in ${long.texts} texts of ${long.length} tokens ${apartOf(sights)} at distance 1`,
  )
}

export const equalPairsLaw = defineLaw(
  {
    name: 'equal pairs',
    statement:
      'in long texts of independent tokens any two positions are equal as often as the model says, up to the claimed length and no further',
    sampled: true,
  },
  async (given, trial) => {
    if (!given.unbiased) return notApplicable('declared biased')
    const watermark = memberOf(given, trial)
    const claimed = watermark.unbiasedUpTo ?? Number.POSITIVE_INFINITY
    const upToClaim = claimed > 1 ? await within(watermark, claimed, trial) : undefined
    if (upToClaim !== undefined && (upToClaim.verdict === 'fails' || claimed === Number.POSITIVE_INFINITY))
      return upToClaim
    const { shown, detail, ...parts } = await shownBeyond(watermark, claimed, trial)
    const evidence = upToClaim?.evidence ?? sampledEvidence(trial, parts)
    // needlessly modest
    if (!shown) return { verdict: 'fails', detail, evidence, counterexample: { path: '' } }
    const details = upToClaim === undefined ? detail : `${upToClaim.detail}; ${detail}`
    return { verdict: 'holds', detail: details, evidence }
  },
)
