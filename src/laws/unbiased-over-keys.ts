import { embedder } from '../embed/index.ts'
import { seededRandom } from '../keys/index.ts'
import type { Watermark } from '../watermark.ts'
import { keySeed, weights } from './arbitraries/index.ts'
import { SURPRISE, secretKey } from './codes.ts'
import { meanTest, type Rates, type Running } from './engine/index.ts'
import { fc } from './fast-check.ts'
import { forAll, SAMPLED_SHRINKS, Violation } from './for-all.ts'
import { fractions, probabilities } from './fractions.ts'
import { type LawResult, notApplicable, type Trial } from './law.ts'
import { resultOf } from './result.ts'
import { Tally, untilVerdict } from './tally.ts'

const NAME = 'unbiased over keys'

/** Marked positions per key: their average is one vector, which varies less than one q does. */
const POSITIONS = 12
/** Positions to wait for them. */
const PATIENCE = 120

/** Tried first: the shapes at which published methods and their mistakes differ most. */
const shapes: readonly number[][] = [
  [1, 3],
  [5, 3, 2],
  [0, 1, 1, 1],
  [30, 3, 2, 1, 1, 1],
]
const RUNS = shapes.length + 2

/** Writes the mean of q over the first marked positions of a text into `mean`; returns how long a text that took. */
function meanAlong<Code>(
  watermark: Watermark<Code>,
  p: Float64Array,
  path: readonly number[],
  key: string,
  q: Float64Array,
  mean: Float64Array,
): number {
  const text = embedder(watermark, { key, vocabSize: p.length, seed: key })
  const tokens: number[] = []
  let marked = 0
  let last = 0
  mean.fill(0)
  for (const token of path) {
    if (text.reweight(tokens, p, q)) {
      marked++
      last = tokens.length + 1
      for (let i = 0; i < q.length; i++) mean[i]! += q[i]!
      if (marked === POSITIONS) break
    }
    // a rule that waits for entropy has waited enough after one surprising token
    text.drew(token, SURPRISE)
    tokens.push(token)
  }
  for (let i = 0; i < q.length; i++) mean[i]! /= marked
  return last
}

/** Tests the mean of q over random secret keys, as the embedder gives it. */
export async function keysTest<Code>(
  watermark: Watermark<Code>,
  p: Float64Array,
  keys: number,
  rates: Rates,
  trial: Trial,
): Promise<Running> {
  const stream = seededRandom(keys, 'path')
  const long = Array.from({ length: PATIENCE }, () => stream.below(p.length))
  const q = new Float64Array(p.length)
  const mean = new Float64Array(p.length)
  // contexts do not depend on the key: no text need be longer than the last position marked here
  const path = long.slice(0, meanAlong(watermark, p, long, secretKey(keys, -1), q, mean))
  if (path.length === 0) throw new Violation(`the context rule marks none of ${PATIENCE} positions`)
  const feed = (test: ReturnType<typeof meanTest>, index: number): void => {
    if (meanAlong(watermark, p, path, secretKey(keys, index), q, mean) > 0) test.add(mean)
  }
  return untilVerdict(meanTest(p, rates), feed, trial)
}

/**
 * One-shot unbiased as keys really are: over random secret keys, through the embedder and the key schedule, the mean of q is
 * p. The false-alarm rate is that of all distributions together; the miss rate that of each.
 */
async function unbiasedOverKeys<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  if (!watermark.unbiased) return notApplicable(NAME, 'declared biased')
  const rates = { falseAlarm: trial.falseAlarm / RUNS, miss: trial.miss, bias: trial.bias }
  const tally = new Tally()
  const arbitrary = fc.record({ w: weights({ maxWeight: 1000 }), keys: keySeed() })
  const examples = shapes.map((w, i) => ({ w, keys: trial.seed + i }))
  const found = await forAll(
    trial,
    { arbitrary, examples, runs: RUNS, shrinks: SAMPLED_SHRINKS },
    async ({ w, keys }) => {
      const test = await keysTest(watermark, probabilities(w), keys, rates, trial)
      tally.add(test)
      if (test.verdict === 'fails')
        throw new Violation(
          `after ${test.taken} keys the mean of q is ${test.observed.toPrecision(3)} away from p in total variation`,
        )
    },
  )
  const show = ({ w }: { w: number[] }) => ({ p: fractions(w) })
  return resultOf(NAME, trial, found, show, tally.evidence(trial.falseAlarm, rates))
}

export const unbiasedOverKeysLaw = {
  name: NAME,
  statement: 'over random secret keys the mean of q equals p',
  sampled: true,
  check: unbiasedOverKeys,
}
