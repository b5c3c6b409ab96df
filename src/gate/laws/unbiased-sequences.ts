/**
 * Unbiased over whole texts. Steps that are unbiased one by one need not make an unbiased text: where two positions share a
 * code they are correlated. Exactly on toy models where the watermark declares an orbit, and sampled with real keys in any
 * case, since codes may be shared in ways that contexts do not show. Texts are no longer than the declaration's claim.
 */

import { type Stream, seededRandom } from '../../core/keys/index.ts'
import { draw } from '../../text/decode/index.ts'
import type { Watermark } from '../../watermark.ts'
import { keySeed, nextToken, type ToyModel, toyModel } from './arbitraries/index.ts'
import { exactVocabulary, totalVariation } from './average.ts'
import { secretKey } from './codes.ts'
import type { Rates } from './engine/bounds.ts'
import { meanTest } from './engine/mean-test.ts'
import { fc } from './fast-check.ts'
import { forAll, resultOf, SAMPLED_SHRINKS, Violation } from './for-all.ts'
import { defineLaw, type Effort, notApplicable } from './law.ts'
import { memberOf } from './messages.ts'
import { sequenceLaw } from './sequence-law.ts'
import { Tally } from './tally.ts'
import { beginTexts, keysAtOnce } from './texts-in-step.ts'
import { modelLaw, type Opening, openingOf, showToyModel } from './toy-world.ts'

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

/** Keys whose texts are written in step, where a watermark can do several rows at once. */
const TEXTS_AT_ONCE = 64

/** Writes one text per key: all tokens but the last are drawn, the last one's q is kept as a vector over whole texts. */
function lastSteps<Code>(
  watermark: Watermark<Code>,
  model: ToyModel,
  length: number,
  opening: Opening,
  keys: readonly string[],
  { uniform }: Stream,
): Float64Array[] {
  const size = model.vocabSize
  const texts = beginTexts(watermark, keys, { opening })
  const drawn = keys.map((): number[] => [])
  const at = new Uint32Array(keys.length)
  const outs = keys.map(() => new Float64Array(size ** length))
  for (let t = 0; t < length; t++) {
    const ps = drawn.map((tokens) => nextToken(model, tokens))
    for (const [i, q] of texts.step(ps).entries()) {
      if (t === length - 1) outs[i]!.set(q, at[i]! * size)
      else {
        const token = draw(q, uniform())
        texts.drew(i, token, ps[i]![token]!)
        drawn[i]!.push(token)
        at[i] = at[i]! * size + token
      }
    }
  }
  return outs
}

export const unbiasedSequencesLaw = defineLaw(
  {
    name: 'unbiased over texts',
    statement: "over keys, the law of whole texts equals the model's: positions do not share codes",
    sampled: true,
  },
  async (given, trial) => {
    if (!given.unbiased) return notApplicable('declared biased')
    const watermark = memberOf(given, trial)
    const opening = openingOf(watermark)
    if (opening === undefined)
      return notApplicable('the context rule marks no position after up to 256 zeros')
    const length = Math.min(MAX_LENGTH, watermark.unbiasedUpTo ?? MAX_LENGTH)
    const plan = {
      show: ({ model }: { readonly model: ToyModel }) => showToyModel(model, `texts of ${length} tokens of `),
    }
    const seeded = (fixed: readonly ToyModel[]) => fixed.map((model, i) => ({ model, keys: trial.seed + i }))
    const rates: Rates = {
      falseAlarm: trial.falseAlarm / models.length,
      miss: trial.miss,
      bias: Math.min(0.5, coarser[trial.effort] * trial.bias),
    }
    const largest = exactVocabulary(watermark)
    if (largest >= 2) {
      const exact = await forAll(
        trial,
        {
          ...plan,
          part: 'exact',
          arbitrary: fc.record({
            model: largest >= 3 ? fc.oneof(toyModel(2), toyModel(3)) : toyModel(2),
            keys: keySeed(),
          }),
          examples: seeded(largest >= 3 ? [...threeTokens, ...models] : models),
          runs: EXACT_RUNS,
        },
        ({ model, keys }) => {
          const law = sequenceLaw(watermark, model, length, opening, secretKey(keys, 0))
          const bias = totalVariation(law, modelLaw(model, length, watermark))
          if (bias > 1e-11)
            throw new Violation(
              `the law of texts, averaged over keys, is ${bias.toPrecision(3)} away from the model's in total variation`,
            )
        },
      )
      if (exact.why !== undefined) return resultOf(exact)
    }
    const tally = new Tally()
    const found = await forAll(
      trial,
      {
        ...plan,
        part: 'sampled',
        arbitrary: fc.record({ model: toyModel(2), keys: keySeed() }),
        examples: seeded(models),
        runs: 0,
        shrinks: SAMPLED_SHRINKS,
      },
      async ({ model, keys }) => {
        const stream = seededRandom(keys, 'texts')
        const test = meanTest(modelLaw(model, length, watermark), rates)
        while (test.verdict === undefined) {
          const names = keysAtOnce(watermark, TEXTS_AT_ONCE, (i) => secretKey(keys, i), test.taken)
          for (const q of lastSteps(watermark, model, length, opening, names, stream))
            if (test.verdict === undefined) test.add(q)
          const pause = trial.breathe()
          if (pause !== undefined) await pause
        }
        tally.add(test)
        if (test.verdict === 'fails')
          throw new Violation(
            `over ${test.taken} keys the law of texts is ${test.observed.toPrecision(3)} away from the model's`,
          )
      },
    )
    const exact = largest >= 2 ? [`exact on ${EXACT_RUNS} toy models, and sampled with real keys`] : []
    const claim = length < MAX_LENGTH ? [`texts of ${length}: the claim reaches no further`] : []
    return resultOf(found, tally.evidence(trial, rates.bias), [...exact, ...claim].join('; '))
  },
)
