/**
 * Detection keeps its promise on text that has nothing to do with the key: scores lie in the declared bound, and
 * P(pValue <= a) <= a for every a. Texts are held fixed and keys are random: that is the null exactly, for any text, however
 * repetitive.
 */

import { detect } from '../detect/index.ts'
import { type Stream, seededRandom } from '../keys/index.ts'
import type { Watermark } from '../watermark.ts'
import { keySeed } from './arbitraries/index.ts'
import { codesOf, contextsOf, secretKey } from './codes.ts'
import { keysForExcess, pValueTest, type Rates, smallestExcess } from './engine/index.ts'
import { fc } from './fast-check.ts'
import { forAll, Violation } from './for-all.ts'
import { type LawResult, notApplicable, type Trial } from './law.ts'
import { resultOf, type Shown } from './result.ts'

const NAME = 'the null law is right'
const VOCAB = 64
/** Permutation runs of detectors that need them. */
const RUNS = 19
/** Codes to draw per plan: sums of scores afford many keys and long texts, alignments and scans fewer. */
const EFFORT = 600_000
const FEWEST_KEYS = 80

/** Texts that detectors meet, and those that break them. */
const kinds = {
  random: (n: number, { below }: Stream): number[] => Array.from({ length: n }, () => below(VOCAB)),
  /** A few tokens make up most of the text, as words do. */
  skewed: (n: number, { uniform }: Stream): number[] =>
    Array.from({ length: n }, () => Math.floor(VOCAB * uniform() ** 4)),
  /** A phrase said again and again, with as many tokens as the text has repetitions. */
  looping(n: number, { below }: Stream): number[] {
    const phrase = Array.from({ length: Math.round(Math.sqrt(n)) }, () => below(VOCAB))
    return Array.from({ length: n }, (_, t) => phrase[t % phrase.length]!)
  },
} as const

/** A kind of text, its length, and the excess of P(p <= a) over a that is promised to be seen, as a multiple of the bias. */
interface Plan {
  readonly kind: keyof typeof kinds
  readonly length: number
  readonly times: number
}

/** Short texts show a lattice and its atoms, long ones a rate that is a little off, repetitive ones whether trials are independent. */
const coarse: readonly Plan[] = [
  { kind: 'random', length: 14, times: 4.5 },
  { kind: 'looping', length: 49, times: 5 },
  { kind: 'skewed', length: 48, times: 7 },
  { kind: 'random', length: 600, times: 9 },
]
/** For scores of very many values, which have no atoms worth seeing, and whose exact tails are slow in short texts. */
const fine: readonly Plan[] = [
  { kind: 'random', length: 40, times: 10 },
  { kind: 'looping', length: 900, times: 10 },
  { kind: 'skewed', length: 60, times: 12.5 },
  { kind: 'random', length: 600, times: 14 },
]
const plansFor = ({ detector }: Pick<Watermark, 'detector'>): readonly Plan[] =>
  detector!.bound > 100 && Number.isFinite(detector!.bound) ? fine : coarse

/** What remains where the work grows faster than the text: the first plans, on a text of this length. */
const SHORT = 12
const SHORT_PLANS = 2

interface Case {
  readonly plan: number
  readonly keys: number
}

/** How many codes one detection draws. */
function workOf<Code>(watermark: Watermark<Code>, tokens: readonly number[], key: string): number {
  let drawn = 0
  const counting: Watermark<Code> = {
    ...watermark,
    draw(random, vocabSize, site) {
      drawn++
      return watermark.draw(random, vocabSize, site)
    },
  }
  detect(counting, tokens, { key, vocabSize: VOCAB, runs: RUNS })
  return drawn
}

/** Whether the work of a detection grows faster than the text: alignments and scans. */
const grows = <Code>(watermark: Watermark<Code>, key: string): boolean =>
  workOf(
    watermark,
    Array.from({ length: SHORT }, (_, t) => t),
    key,
  ) >
  2 * SHORT

/** The text of a case, and over how many keys it is affordable. */
function prepared<Code>(
  watermark: Watermark<Code>,
  { kind, length, times }: Plan,
  keys: number,
  { falseAlarm, miss, bias }: Rates,
): { tokens: number[]; count: number } {
  const tokens = kinds[kind](length, seededRandom(keys, 'text'))
  const work = Math.max(1, workOf(watermark, tokens, secretKey(keys, -1)))
  const wanted = keysForExcess(Math.min(1, times * bias), { falseAlarm, miss })
  return { tokens, count: Math.min(wanted, Math.max(FEWEST_KEYS, Math.floor(EFFORT / work))) }
}

function checkBound<Code>(watermark: Watermark<Code>, keys: number): void {
  const bound = watermark.detector!.bound
  const contexts = contextsOf(watermark, VOCAB, 40, seededRandom(keys, 'bound'))
  for (const code of codesOf(watermark, secretKey(keys, -2), VOCAB, contexts))
    for (let token = 0; token < VOCAB; token++) {
      const score = watermark.score(token, code)
      if (!(score >= 0 && score <= bound))
        throw new Violation(`a score of ${score}, outside the declared [0, ${bound}]`)
    }
}

async function nullLawIsRight<Code>(watermark: Watermark<Code>, trial: Trial): Promise<LawResult> {
  if (watermark.detector === undefined) return notApplicable(NAME, 'declares no detector')
  const all = plansFor(watermark)
  const plans = grows(watermark, secretKey(trial.seed, -1))
    ? all.slice(0, SHORT_PLANS).map((plan) => ({ ...plan, length: SHORT }))
    : all
  const rates = { falseAlarm: trial.falseAlarm / plans.length, miss: trial.miss, bias: trial.bias }
  let total = 0
  let worst = 0
  let fewest = Number.POSITIVE_INFINITY
  const check = async (one: Case): Promise<void> => {
    checkBound(watermark, one.keys)
    const { tokens, count: draws } = prepared(watermark, plans[one.plan]!, one.keys, rates)
    const logs = new Float64Array(draws)
    let exact = true
    for (let i = 0; i < draws; i++) {
      const outcome = detect(watermark, tokens, { key: secretKey(one.keys, i), vocabSize: VOCAB, runs: RUNS })
      if (!(outcome.logPValue <= 0)) throw new Violation(`ln of the p-value is ${outcome.logPValue}`)
      logs[i] = outcome.logPValue
      exact &&= outcome.exact
      if (i % 64 === 63) await trial.breathe()
    }
    const { verdict, excess, why } = pValueTest(logs, exact, rates)
    total += draws
    worst = Math.max(worst, excess)
    fewest = Math.min(fewest, draws)
    if (verdict === 'fails') throw new Violation(why)
  }
  const arbitrary = fc.record({ plan: fc.noShrink(fc.nat({ max: plans.length - 1 })), keys: keySeed() })
  const examples = plans.map((_, plan) => ({ plan, keys: trial.seed + plan }))
  const found = await forAll(trial, { arbitrary, examples, runs: plans.length }, check)
  const show = ({ plan, keys }: Case): Shown => ({
    also: `a ${plans[plan]!.kind} text of ${plans[plan]!.length} tokens of ${VOCAB}, from key seed ${keys}`,
  })
  const evidence = {
    kind: 'sampled',
    keys: total,
    falseAlarm: trial.falseAlarm,
    miss: trial.miss,
    smallestBias: smallestExcess(fewest, rates),
    observedBias: worst,
  } as const
  return resultOf(NAME, trial, found, show, evidence, 'bias: excess of P(p <= a) over a')
}

export const nullLawIsRightLaw = {
  name: NAME,
  statement: 'scores lie in the declared bound; on text without watermark P(p <= a) <= a for every a',
  sampled: true,
  check: nullLawIsRight,
}
