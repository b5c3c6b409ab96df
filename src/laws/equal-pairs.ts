/**
 * Unbiased over long texts. Two positions that share a code are correlated, and in a text of hundreds of tokens over a few
 * symbols contexts come back: if the code comes back with them, equal tokens are too frequent. The model's tokens are
 * independent, so the law of the number of equal pairs is known and every bet on it is exact (see `engine/pair-test.ts`).
 *
 * Where the declaration limits its claim (`unbiasedUpTo`) both sides are tested: up to that length texts follow the model's
 * law, beyond it they are shown not to.
 */
import type { Watermark } from '../watermark.ts'
import { keySeed, weights } from './arbitraries/index.ts'
import {
  coincidence,
  natsAtDistance,
  natsOverAll,
  type PairBet,
  type PairDesign,
  pairDesign,
  smallestPairExcess,
  textsForPairExcess,
} from './engine/index.ts'
import { fc } from './fast-check.ts'
import { type Found, forAll, Violation } from './for-all.ts'
import { fractions, probabilities } from './fractions.ts'
import { betOnTexts } from './iid-texts.ts'
import { type Effort, type LawEvidence, type LawResult, notApplicable, type Trial } from './law.ts'
import { resultOf, type Shown } from './result.ts'
import { shownBeyond } from './shown-beyond.ts'

const NAME = 'equal pairs'
const LENGTH = 360
/** Short texts have few pairs: beyond so many texts the promise gives way. */
const MAX_TEXTS = 4000
/** Values that shrinking may try: one that passes costs all texts. */
const SHRINKS = 8

const uniform = (size: number): number[] => Array<number>(size).fill(1)

interface Plan {
  /** How many times the bias of one step is promised. */
  readonly coarser: number
  /** Weights of the models that are always tried. */
  readonly models: readonly number[][]
  /** How many are drawn besides. */
  readonly drawn: number
}

const plans: Record<Effort, Plan> = {
  quick: { coarser: 4, models: [uniform(4), uniform(16), [5, 3, 2]], drawn: 1 },
  usual: { coarser: 1, models: [uniform(2), uniform(4), uniform(8), uniform(16), [5, 3, 2]], drawn: 1 },
  thorough: { coarser: 0.5, models: [...[2, 3, 4, 6, 8, 12, 16].map(uniform), [5, 3, 2]], drawn: 8 },
}

interface Rates {
  readonly level: number
  readonly miss: number
}

/** What so many texts are sure to see: an excess over all pairs, and a difference either way at the shortest distance. */
interface Sight {
  readonly vocabSize: number
  readonly excess: number
  readonly apart: number
}

const towards = (bets: readonly PairBet[], sign: 1 | -1): PairBet[] =>
  bets.filter(({ theta }) => sign * theta > 0)

/** The texts that it takes to see an excess on a model. */
function textsFor(design: PairDesign, excess: number, { level, miss }: Rates): number {
  const rates = { nats: natsOverAll(design, level), miss }
  return textsForPairExcess(towards(design.all, 1), coincidence(design.p), excess, rates, MAX_TEXTS)
}

function sightOf(design: PairDesign, texts: number, { level, miss }: Rates): Sight {
  const share = coincidence(design.p)
  const seen = (bets: readonly PairBet[], nats: number): number =>
    smallestPairExcess(bets, share, texts, { nats, miss })
  const nats = natsAtDistance(design, level)
  return {
    vocabSize: design.p.length,
    excess: seen(towards(design.all, 1), natsOverAll(design, level)),
    apart: Math.max(...([1, -1] as const).map((sign) => seen(towards(design.apart[0]!, sign), nats))),
  }
}

interface Case {
  readonly w: number[]
  readonly keys: number
}

/** What the texts up to the claimed length say. */
interface UpTo {
  readonly found: Found<Case>
  readonly keys: number
  readonly observed: number
  /** Of the models that are always tried. */
  readonly sights: readonly Sight[]
}

async function upTo<Code>(watermark: Watermark<Code>, length: number, trial: Trial): Promise<UpTo> {
  const { coarser, models, drawn } = plans[trial.effort]
  const wanted = Math.min(0.5, coarser * trial.bias)
  const rates = { level: trial.falseAlarm / (models.length + drawn), miss: trial.miss }
  const designs = models.map((w) => pairDesign(probabilities(w), length))
  // as many as it takes where all tokens are equally likely, on every model
  const even = designs.filter((_, i) => new Set(models[i]).size === 1)
  const texts = Math.max(...even.map((design) => textsFor(design, wanted, rates)))
  let keys = 0
  let observed = 0
  const found = await forAll(
    trial,
    {
      arbitrary: fc.record({ w: weights({ minTokens: 2, maxTokens: 16, maxWeight: 20 }), keys: keySeed() }),
      examples: models.map((w, i) => ({ w, keys: trial.seed + i })),
      runs: models.length + drawn,
      shrinks: SHRINKS,
    },
    async ({ w, keys: seed }) => {
      const design = pairDesign(probabilities(w), length)
      const stake = { keys: seed, texts, nats: -Math.log(rates.level) }
      const { test, won } = await betOnTexts(watermark, design, stake, trial)
      keys += test.texts
      observed = won ? test.excess : Math.max(observed, test.excess)
      if (won) throw new Violation(`in ${test.texts} texts of ${length} tokens, ${test.finding()}`)
    },
  )
  return { found, keys, observed, sights: designs.map((design) => sightOf(design, texts, rates)) }
}

/** @example (await equalPairs(gumbel(), trial())).verdict // 'holds' */
export async function equalPairs<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  if (!watermark.unbiased) return notApplicable(NAME, 'declared biased')
  const claimed = watermark.unbiasedUpTo ?? Number.POSITIVE_INFINITY
  const length = Math.min(LENGTH, claimed)
  const show = ({ w }: Case): Shown => ({
    p: fractions(w),
    also: `texts of ${length} independent tokens`,
  })
  const details: string[] = []
  let evidence: LawEvidence = { kind: 'exact', cases: 0 }
  if (length > 1) {
    const { found, keys, observed, sights } = await upTo(watermark, length, trial)
    const worst = (pick: (sight: Sight) => number): number => Math.max(...sights.map(pick))
    evidence = {
      kind: 'sampled',
      keys,
      falseAlarm: trial.falseAlarm,
      miss: trial.miss,
      smallestBias: worst(({ excess }) => excess),
      observedBias: observed,
      promises: sights.map(({ vocabSize, excess }) => ({ vocabSize, bias: excess })),
    }
    if (found.why !== undefined) return resultOf(NAME, trial, found, show, evidence)
    const apart = worst((sight) => sight.apart).toPrecision(2)
    details.push(
      `texts of ${length} tokens; bias: of P(x_s = x_t), over all pairs (${apart} at one distance)`,
    )
  }
  if (Number.isFinite(claimed)) {
    const beyond = await shownBeyond(watermark, claimed, trial)
    if (!beyond.shown) return { law: NAME, verdict: 'fails', detail: beyond.detail, evidence }
    details.push(beyond.detail)
  }
  return { law: NAME, verdict: 'holds', detail: details.join('; '), evidence }
}

export const equalPairsLaw = {
  name: NAME,
  statement:
    'in long texts of independent tokens, any two positions are equal as often as the model says, up to the claimed length and no further',
  sampled: true,
  check: equalPairs,
}
