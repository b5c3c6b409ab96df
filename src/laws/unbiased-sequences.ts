/**
 * Unbiased over whole texts. Steps that are unbiased one by one need not make an unbiased text: where two positions share a
 * code they are correlated. Exactly on toy models where the watermark declares an orbit, and sampled with real keys in any
 * case, since codes may be shared in ways that contexts do not show. Texts are no longer than the declaration's claim.
 */

import { type Stream, seededRandom } from '../keys/index.ts'
import { draw } from '../models/warp.ts'
import type { Watermark } from '../watermark.ts'
import { keySeed, nextToken, type ToyModel, toyModel } from './arbitraries/index.ts'
import { exactVocabulary, totalVariation } from './average.ts'
import { secretKey } from './codes.ts'
import { meanTest, type Rates } from './engine/index.ts'
import { fc } from './fast-check.ts'
import { forAll, SAMPLED_SHRINKS, Violation } from './for-all.ts'
import { fractions } from './fractions.ts'
import { type Effort, type LawResult, notApplicable, type Trial } from './law.ts'
import { beginInStep, drew, type ManyRows, stepTogether } from './many-rows.ts'
import { resultOf, type Shown } from './result.ts'
import { sequenceLaw } from './sequence-law.ts'
import { Tally, untilVerdict } from './tally.ts'
import { modelLaw, type Opening, open, openingOf } from './toy-world.ts'

const NAME = 'unbiased over texts'
const MAX_LENGTH = 4
/** A text has many outcomes: the sampled part promises this many times the bias of one step. */
export const coarser: Record<Effort, number> = { quick: 5, usual: 2.5, thorough: 1.25 }
/** Models of the sampled part that are always tried: contexts recur most where the next token is uncertain. */
const models: readonly ToyModel[] = [
  { vocabSize: 2, rows: [[1, 1]] },
  {
    vocabSize: 2,
    rows: [
      [3, 2],
      [1, 2],
    ],
  },
]
const SAMPLED_RUNS = models.length
/** Models of the exact part that are always tried: with three tokens a context can come back after two others. */
const threeTokens: readonly ToyModel[] = [
  { vocabSize: 3, rows: [[1, 1, 1]] },
  {
    vocabSize: 3,
    rows: [
      [3, 2, 1],
      [1, 2, 2],
    ],
  },
]
const EXACT_RUNS = 15

interface Case {
  readonly model: ToyModel
  readonly keys: number
}

function exactly<Code>(
  watermark: Watermark<Code>,
  length: number,
  opening: Opening,
  { model, keys }: Case,
): void {
  const law = sequenceLaw(watermark, model, length, opening, secretKey(keys, 0))
  const bias = totalVariation(law, modelLaw(model, length))
  if (bias > 1e-11)
    throw new Violation(
      `the law of texts, averaged over keys, is ${bias.toPrecision(3)} away from the model's in total variation`,
    )
}

/** One text under one key: all tokens but the last are drawn, the last one's q is kept as a vector. */
function oneText<Code>(
  watermark: Watermark<Code>,
  model: ToyModel,
  length: number,
  opening: Opening,
  key: string,
  { uniform }: Stream,
  out: Float64Array,
): void {
  const size = model.vocabSize
  const { tokens, text } = open(watermark, size, opening, key, key)
  const q = new Float64Array(size)
  const drawn: number[] = []
  let at = 0
  out.fill(0)
  for (let t = 0; t < length - 1; t++) {
    const p = nextToken(model, drawn)
    text.reweight(tokens, p, q)
    const token = draw(q, uniform())
    text.drew(token, p[token]!)
    tokens.push(token)
    drawn.push(token)
    at = at * size + token
  }
  text.reweight(tokens, nextToken(model, drawn), q)
  for (let i = 0; i < size; i++) out[at * size + i] = q[i]!
}

/** Keys whose texts are written in step, where a watermark can do several positions at once. */
const TEXTS_AT_ONCE = 64

/** The same for several keys, position by position: one vector per text. */
function textsInStep<Code>(
  watermark: Watermark<Code>,
  model: ToyModel,
  length: number,
  { prompt }: Opening,
  keys: readonly string[],
  { uniform }: Stream,
  many: NonNullable<ManyRows<Code>['many']>,
): Float64Array[] {
  const size = model.vocabSize
  const texts = keys.map((key) => beginInStep(watermark, key, prompt))
  const at = new Uint32Array(keys.length)
  const outs = keys.map(() => new Float64Array(size ** length))
  for (let t = 0; t < length; t++) {
    const ps = texts.map(({ tokens }) => nextToken(model, tokens.slice(prompt.length)))
    for (const [i, q] of stepTogether(watermark, texts, ps, many).entries()) {
      if (t === length - 1) outs[i]!.set(q, at[i]! * size)
      else {
        const token = draw(q, uniform())
        drew(texts[i]!, token, ps[i]![token]!)
        at[i] = at[i]! * size + token
      }
    }
  }
  return outs
}

async function unbiasedSequences<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  if (!watermark.unbiased) return notApplicable(NAME, 'declared biased')
  const opening = openingOf(watermark)
  if (opening === undefined)
    return notApplicable(NAME, 'the context rule marks no position after up to 256 zeros')
  const length = Math.min(MAX_LENGTH, watermark.unbiasedUpTo ?? MAX_LENGTH)
  const show = ({ model: { rows } }: Case): Shown => ({
    p: fractions(rows[0]!),
    also: `texts of ${length} tokens of a toy model with rows ${rows.map((row) => `[${fractions(row).join(', ')}]`).join(', ')}`,
  })
  const rates: Rates = {
    falseAlarm: trial.falseAlarm / SAMPLED_RUNS,
    miss: trial.miss,
    bias: Math.min(0.5, coarser[trial.effort] * trial.bias),
  }
  const tally = new Tally()
  const largest = exactVocabulary(watermark)
  if (largest >= 2) {
    const arbitrary = fc.record({
      model: largest >= 3 ? fc.oneof(toyModel(2), toyModel(3)) : toyModel(2),
      keys: keySeed(),
    })
    const fixed = largest >= 3 ? [...threeTokens, ...models] : models
    const examples = fixed.map((model, i) => ({ model, keys: trial.seed + i }))
    const exact = await forAll(trial, { part: 'exact', arbitrary, examples, runs: EXACT_RUNS }, (one) =>
      exactly(watermark, length, opening, one),
    )
    if (exact.why !== undefined) return resultOf(NAME, trial, exact, show)
  }
  const found = await forAll(
    trial,
    {
      part: 'sampled',
      arbitrary: fc.record({ model: toyModel(2), keys: keySeed() }),
      examples: models.map((model, i) => ({ model, keys: trial.seed + i })),
      runs: SAMPLED_RUNS,
      shrinks: SAMPLED_SHRINKS,
    },
    async ({ model, keys }) => {
      const stream = seededRandom(keys, 'texts')
      const out = new Float64Array(model.vocabSize ** length)
      const { many } = watermark.reweight as ManyRows<Code>
      const ahead: Float64Array[] = []
      const feed = (test: ReturnType<typeof meanTest>, index: number): void => {
        if (many === undefined || opening.forced > 0) {
          oneText(watermark, model, length, opening, secretKey(keys, index), stream, out)
          test.add(out)
          return
        }
        if (ahead.length === 0) {
          const names = Array.from({ length: TEXTS_AT_ONCE }, (_, i) => secretKey(keys, index + i))
          ahead.push(...textsInStep(watermark, model, length, opening, names, stream, many))
        }
        test.add(ahead.shift()!)
      }
      const test = await untilVerdict(meanTest(modelLaw(model, length), rates), feed, trial)
      tally.add(test)
      if (test.verdict === 'fails')
        throw new Violation(
          `over ${test.taken} keys the law of texts is ${test.observed.toPrecision(3)} away from the model's`,
        )
    },
  )
  const exact = largest >= 2 ? [`exact on ${EXACT_RUNS} toy models, and sampled with real keys`] : []
  const claim = length < MAX_LENGTH ? [`texts of ${length}: the claim reaches no further`] : []
  const detail = [...exact, ...claim].join('; ')
  return resultOf(NAME, trial, found, show, tally.evidence(trial.falseAlarm, rates), detail)
}

export const unbiasedSequencesLaw = {
  name: NAME,
  statement: "over keys, the law of whole texts equals the model's: positions do not share codes",
  sampled: true,
  check: unbiasedSequences,
}
