/** The texts and models that the law "equal pairs" bets on, and what that is certain to see. */
import { coincidence } from './engine/pair-moments.ts'
import { type PairBet, smallestPairExcess, textsForPairExcess } from './engine/pair-power.ts'
import { natsAtDistance, natsOverAll, type PairDesign, pairDesign } from './engine/pair-test.ts'
import { probabilities } from './fractions.ts'
import type { Trial } from './law.ts'

/** Tokens of a text, unless the claim reaches less far. */
export const LENGTH = 360
/** Short texts have few pairs: beyond this number of texts the promise gives way. */
const MAX_TEXTS = 4000

const uniform = (size: number): number[] => Array<number>(size).fill(1)

/** Tokens of a long text, and how many there are of each model. */
export const LONG_LENGTH = 2000
const LONG_TEXTS = 40

/** The multiple of the bias of one step that is promised, the models that are always tried, how many more are drawn, and the models of long texts. */
const efforts = {
  quick: { coarser: 4, models: [uniform(16), uniform(4), [5, 3, 2]], drawn: 1, long: [] },
  usual: {
    coarser: 1,
    models: [uniform(16), uniform(4), uniform(8), uniform(2), [5, 3, 2]],
    drawn: 1,
    long: [uniform(16), uniform(4)],
  },
  thorough: {
    coarser: 0.5,
    models: [...[16, 4, 8, 2, 3, 6, 12].map(uniform), [5, 3, 2]],
    drawn: 8,
    long: [uniform(16), uniform(4), uniform(2)],
  },
}

interface Rates {
  readonly level: number
  readonly miss: number
}

/** The sight of a number of texts: an excess over all pairs, and a difference either way at the shortest distance. */
export interface Sight {
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

export function sightOf(design: PairDesign, texts: number, { level, miss }: Rates): Sight {
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

interface Model {
  readonly w: readonly number[]
  readonly design: PairDesign
}

/** Texts that are bet on. */
export interface TextPlan {
  readonly length: number
  /** The models that are always tried: their weights and bets. */
  readonly models: readonly Model[]
  /** All models, those that are drawn included. */
  readonly runs: number
  /** Texts of each model, and the level of its bets. */
  readonly texts: number
  readonly level: number
}

export interface PairPlan extends TextPlan {
  /** The promise on the models that are always tried. */
  readonly sights: readonly Sight[]
}

type Conditions = Pick<Trial, 'effort' | 'bias' | 'falseAlarm' | 'miss'>

/** The false-alarm rate is divided equally over all models. */
function levelOf({ effort, falseAlarm }: Pick<Conditions, 'effort' | 'falseAlarm'>): number {
  const { models, drawn, long } = efforts[effort]
  return falseAlarm / (models.length + drawn + long.length)
}

function makePlan({ effort, bias, falseAlarm, miss }: Conditions, length: number): PairPlan {
  const { coarser, models: weights, drawn } = efforts[effort]
  const runs = weights.length + drawn
  const rates = { level: levelOf({ effort, falseAlarm }), miss }
  const models = weights.map((w) => ({ w, design: pairDesign(probabilities(w), length) }))
  // as many as it takes where all tokens are equally likely, on every model
  const even = models.filter(({ w }) => new Set(w).size === 1)
  const wanted = Math.min(0.5, coarser * bias)
  const texts = Math.max(...even.map(({ design }) => textsFor(design, wanted, rates)))
  const sights = models.map(({ design }) => sightOf(design, texts, rates))
  return { length, models, runs, texts, level: rates.level, sights }
}

/**
 * A few texts of 2,000 tokens, or as many as are claimed; undefined where that is no more than in other texts, or the effort has none. They
 * show a memory that is cleared after hundreds of tokens: codes used again win at once, so few texts are enough.
 */
export function longTexts({ effort, falseAlarm }: Conditions, claimed: number): TextPlan | undefined {
  const { long } = efforts[effort]
  const length = Math.min(LONG_LENGTH, claimed)
  if (length <= LENGTH || long.length === 0) return undefined
  const models = long.map((w) => ({ w, design: pairDesign(probabilities(w), length) }))
  return { length, models, runs: models.length, texts: LONG_TEXTS, level: levelOf({ effort, falseAlarm }) }
}

/** The last plan: a suite checks many watermarks under the same conditions. */
let last: { readonly name: string; readonly plan: PairPlan } | undefined

/** The plan of a trial for texts of `length` tokens. */
export function pairPlan({ effort, bias, falseAlarm, miss }: Conditions, length: number): PairPlan {
  const name = [effort, bias, falseAlarm, miss, length].join()
  if (last?.name !== name) last = { name, plan: makePlan({ effort, bias, falseAlarm, miss }, length) }
  return last.plan
}
