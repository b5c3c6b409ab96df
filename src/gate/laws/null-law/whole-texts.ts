/**
 * p-values of whole texts. A text is held fixed and keys are random: that is the null exactly, for any text, however repetitive. It
 * sees what the law of one score and the tail of many cannot: scores that are not independent, because contexts or codes are
 * used again.
 */
import { detect } from '../../../core/detect/index.ts'
import { type Stream, seededRandom } from '../../../core/keys/index.ts'
import type { Watermark } from '../../../watermark.ts'
import { keySeed } from '../arbitraries/index.ts'
import { secretKey } from '../codes.ts'
import type { Rates } from '../engine/bounds.ts'
import { keysForExcess, pValueTest } from '../engine/p-value-test.ts'
import { fc } from '../fast-check.ts'
import { type Found, forAll, Violation } from '../for-all.ts'
import type { Effort, Shown, Trial } from '../law.ts'
import { isSum } from './computed-tail.ts'
import { checkBound } from './declared.ts'
import { COARSER } from './one-score.ts'
import { lengthFor } from './sampled-scores.ts'

/** Permutation runs of detectors that need them. */
const RUNS = 19
/** Codes to draw per plan: sums of scores afford many keys and long texts, alignments and scans fewer. */
const CODES: Record<Effort, number> = { quick: 120_000, usual: 600_000, thorough: 4_000_000 }
const FEWEST_KEYS = 80

/** Texts that detectors meet, and those that break them. */
const kinds = {
  random: (n: number, vocab: number, { below }: Stream): number[] =>
    Array.from({ length: n }, () => below(vocab)),
  /** A few tokens make up most of the text, as words do. */
  skewed: (n: number, vocab: number, { uniform }: Stream): number[] =>
    Array.from({ length: n }, () => Math.floor(vocab * uniform() ** 4)),
  /** A phrase said again and again, with as many tokens as the text has repetitions. */
  looping(n: number, vocab: number, { below }: Stream): number[] {
    const phrase = Array.from({ length: Math.round(Math.sqrt(n)) }, () => below(vocab))
    return Array.from({ length: n }, (_, t) => phrase[t % phrase.length]!)
  },
} as const

/** A kind of text, its length, and the excess of P(p <= a) over a that is promised to be seen, as a multiple of the bias. */
export interface Plan {
  readonly kind: keyof typeof kinds
  readonly vocab: number
  readonly length: number
  readonly times: number
}

/** Short texts show a lattice and its atoms, long ones a rate that is a little off, repetitive ones whether trials are independent. */
export const coarse: readonly Plan[] = [
  { kind: 'random', vocab: 64, length: 14, times: 4.5 },
  { kind: 'looping', vocab: 64, length: 49, times: 5 },
  // so few tokens that most of them follow each context: codes that draw them without replacement show it
  { kind: 'random', vocab: 3, length: 40, times: 5 },
  { kind: 'skewed', vocab: 64, length: 48, times: 7 },
  { kind: 'random', vocab: 64, length: 600, times: 9 },
]
/** For scores of very many values, which have no atoms worth seeing, and whose exact tails are slow in short texts. */
export const fine: readonly Plan[] = [
  { kind: 'random', vocab: 64, length: 40, times: 10 },
  { kind: 'looping', vocab: 64, length: 900, times: 10 },
  { kind: 'random', vocab: 3, length: 40, times: 10 },
  { kind: 'skewed', vocab: 64, length: 60, times: 12.5 },
  { kind: 'random', vocab: 64, length: 600, times: 14 },
]
/** For detectors that are no sum, whose tails are not computed: longer than blocks, windows and tables of simulated tails, and over many tokens, or contexts would recur. */
const long: Plan = { kind: 'random', vocab: 1_009, length: 10_000, times: 18 }
/** The keys of that text: a detector that is no sum may take half a second for it. */
const LONG_KEYS: Record<Effort, number> = { quick: 0, usual: 60, thorough: 400 }
/** If the work grows faster than the text, only the first plans are tried, on a text of this length. */
const SHORT = 12
const SHORT_PLANS = 2

/** Counts the codes that one detection draws. */
function workOf<Code>(
  watermark: Watermark<Code>,
  tokens: readonly number[],
  key: string,
  vocabSize = 64,
): number {
  let drawn = 0
  const counting: Watermark<Code> = {
    ...watermark,
    draw(random, vocabSize, site) {
      drawn++
      return watermark.draw(random, vocabSize, site)
    },
  }
  detect(counting, tokens, { key, vocabSize, runs: RUNS })
  return drawn
}

/** Returns whether the work of a detection grows faster than the text: alignments and scans. */
function grows<Code>(watermark: Watermark<Code>): boolean {
  const tokens = Array.from({ length: SHORT }, (_, t) => t)
  try {
    return workOf(watermark, tokens, 'any') > 2 * SHORT
  } catch {
    // what it says about real texts is heard there
    return false
  }
}

/** The texts for a watermark; longer ones where its rule scores few positions. */
export function plansFor<Code>(
  watermark: Watermark<Code>,
  { seed, effort }: Pick<Trial, 'seed' | 'effort'>,
): readonly Plan[] {
  const { bound } = watermark.detector!
  const short = bound > 100 && Number.isFinite(bound) ? fine : coarse
  const all = LONG_KEYS[effort] === 0 || isSum(watermark) ? short : [...short, long]
  if (grows(watermark)) return all.slice(0, SHORT_PLANS).map((plan) => ({ ...plan, length: SHORT }))
  const longer = lengthFor(watermark.context, 64, seed) / 16
  return longer === 1
    ? all
    : all.map((plan) => ({
        ...plan,
        length: Math.max(plan.length, Math.min(1_200, Math.round(plan.length * longer))),
      }))
}

export const describePlan = ({ kind, length, vocab }: Plan): string =>
  `a ${kind} text of ${length} tokens of ${vocab}`

interface TextCase {
  readonly plan: number
  readonly keys: number
}

export interface WholeTexts {
  readonly found: Found
  readonly keys: number
  /** The keys of the text that had the fewest. */
  readonly fewest: number
  readonly rates: Rates
  readonly worst: number
}

/** ln of the p-values of one text under many keys. */
async function pValues<Code>(
  watermark: Watermark<Code>,
  { kind, vocab, length }: Plan,
  seed: number,
  keysFor: (work: number) => number,
  trial: Trial,
): Promise<{ logs: Float64Array; exact: boolean }> {
  const tokens = kinds[kind](length, vocab, seededRandom(seed, 'text'))
  const count = keysFor(Math.max(1, workOf(watermark, tokens, secretKey(seed, -1), vocab)))
  const logs = new Float64Array(count)
  let exact = true
  for (let i = 0; i < count; i++) {
    const outcome = detect(watermark, tokens, { key: secretKey(seed, i), vocabSize: vocab, runs: RUNS })
    logs[i] = outcome.logPValue
    exact &&= outcome.exact
    if (i % 64 === 63) await trial.breathe()
  }
  return { logs, exact }
}

/** Samples the p-values of texts of each plan over keys and tests them. */
export async function wholeTexts<Code>(
  watermark: Watermark<Code>,
  trial: Trial,
  plans: readonly Plan[],
  falseAlarm: number,
): Promise<WholeTexts> {
  const rates: Rates = { falseAlarm: falseAlarm / plans.length, miss: trial.miss, bias: trial.bias }
  let keys = 0
  let fewest = Number.POSITIVE_INFINITY
  let worst = 0
  const check = async (one: TextCase): Promise<void> => {
    checkBound(watermark, one.keys)
    const plan = plans[one.plan]!
    const wanted = keysForExcess(Math.min(1, plan.times * COARSER[trial.effort] * trial.bias), rates)
    const afford = (work: number): number =>
      plan === long
        ? LONG_KEYS[trial.effort]
        : Math.min(wanted, Math.max(FEWEST_KEYS, Math.floor(CODES[trial.effort] / work)))
    const { logs, exact } = await pValues(watermark, plan, one.keys, afford, trial)
    const { verdict, excess, why } = pValueTest(logs, exact, rates)
    keys += logs.length
    worst = Math.max(worst, excess)
    fewest = Math.min(fewest, logs.length)
    if (verdict === 'fails') throw new Violation(why)
  }
  const arbitrary = fc.record({ plan: fc.noShrink(fc.nat({ max: plans.length - 1 })), keys: keySeed() })
  const examples = plans.map((_, plan) => ({ plan, keys: trial.seed + plan }))
  const show = ({ plan, keys }: TextCase): Shown => ({
    also: `${describePlan(plans[plan]!)}, from key seed ${keys}`,
  })
  const found = await forAll(trial, { part: 'text', arbitrary, examples, runs: plans.length, show }, check)
  return { found, keys, fewest, rates, worst }
}

/** The share of p-values at or below a level, for detectors that promise nothing about it. */
export async function falsePositives<Code>(
  watermark: Watermark<Code>,
  trial: Trial,
  plan: Plan,
  level: number,
): Promise<{ rate: number; keys: number }> {
  const keysFor = (work: number): number =>
    Math.min(2_000, Math.max(FEWEST_KEYS, Math.floor(CODES[trial.effort] / work)))
  const { logs } = await pValues(watermark, plan, trial.seed, keysFor, trial)
  const count = logs.reduce((sum, log) => sum + (log <= Math.log(level) ? 1 : 0), 0)
  return { rate: count / logs.length, keys: logs.length }
}
