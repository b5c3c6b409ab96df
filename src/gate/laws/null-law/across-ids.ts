/**
 * The law of one score over the ids of a large vocabulary. A code of 50,000 tokens may cost a millisecond to draw, so `one-score.ts`
 * can draw few of them there; but once drawn it scores any number of tokens. Of each key a token from each range of ids is scored:
 * the shares that have p <= a lie in [0, 1] and have a mean of at most a, whatever the scores have to do with each other. Where
 * scores of different tokens are independent, such shares hardly spread, and bets on them see a rate that is a little off.
 */

import { lawFor } from '../../../core/detect/index.ts'
import { seededRandom } from '../../../core/keys/index.ts'
import type { SeededCode, Watermark } from '../../../watermark.ts'
import { keySeed } from '../arbitraries/index.ts'
import { codesOf, secretKey } from '../codes.ts'
import { smallestUpper, UpperBets } from '../engine/upper-bets.ts'
import { fc } from '../fast-check.ts'
import { type Found, forAll, SAMPLED_SHRINKS, Violation } from '../for-all.ts'
import type { Trial } from '../law.ts'
import { type SizeCase, showSize } from './one-score.ts'
import { lengthFor, scoredContexts } from './sampled-scores.ts'

/** Sizes of vocabulary: between the sizes of `one-score.ts`, and its largest. */
const WIDE_SIZES = [150, 5003, 50_257] as const
const KEYS = 400
/** Ranges of ids, one token of each is scored; and groups of neighbouring ranges that are looked at apart. */
const RANGES = 32
const GROUPS = 8
/** Keys of their own, from which levels are learned that p-values really take. */
const PILOT = 16
const SHARES = [0.05, 0.2, 0.4, 0.6, 0.8] as const
/** Levels that are always looked at. */
const LEVELS = [0.5, 0.1, 0.01] as const
/** Values closer than this are one value that was rounded in two ways. */
const SAME = 1e-9

/**
 * ln p of one token from each range of ids, under one key at a random context; 0 where the detector takes a score for no evidence, and
 * undefined where it scores nothing.
 */
function logsOf<Code>(
  watermark: Watermark<Code>,
  { vocabSize, keys, length }: SizeCase & { readonly length: number },
  key: number,
  logTail: (score: number) => number,
): Float64Array | undefined {
  const detector = watermark.detector!
  const stream = seededRandom(keys, 'across ids', key)
  // what is the same under every key is no evidence, and detectors leave it out
  const contexts = scoredContexts(watermark.context, length, vocabSize, stream).filter(
    (context) => !detector.keyless?.(context),
  )
  if (contexts.length === 0) return undefined
  const context = contexts[stream.below(contexts.length)]!
  const code = codesOf(watermark, secretKey(keys, key), vocabSize, [context])[0]!
  const seedOf = detector.id === 'seeds' ? (code as SeededCode).seedOf : undefined
  return Float64Array.from({ length: RANGES }, (_, range) => {
    const from = Math.floor((range * vocabSize) / RANGES)
    const to = Math.floor(((range + 1) * vocabSize) / RANGES)
    const token = from + stream.below(to - from)
    return seedOf !== undefined && seedOf(token) === undefined ? 0 : logTail(watermark.score(token, code))
  })
}

/** Levels below 1, learned from keys that the test does not use. */
function levelsOf(pilot: readonly Float64Array[]): number[] {
  const sorted = pilot.flatMap((logs) => [...logs]).sort((a, b) => a - b)
  const taken = SHARES.map((share) => Math.exp(sorted[Math.floor(share * (sorted.length - 1))]!))
  return [...new Set([...LEVELS, ...taken])].filter((a) => a < 1 - SAME)
}

/** Of each level, the share of all ranges and of each group of them at which p lies at or below it. */
function sharesOf(logs: Float64Array, levels: readonly number[], out: Float64Array): void {
  const each = RANGES / GROUPS
  let at = 0
  for (const level of levels) {
    const most = Math.log(level) + SAME
    let all = 0
    for (let group = 0; group < GROUPS; group++) {
      let count = 0
      for (let i = 0; i < each; i++) if (logs[group * each + i]! <= most) count++
      out[at + 1 + group] = count / each
      all += count
    }
    out[at] = all / RANGES
    at += 1 + GROUPS
  }
}

const wordsOf = (group: number, vocabSize: number): string => {
  if (group === 0) return 'tokens of all ids'
  const edge = (i: number): number => Math.floor((i * vocabSize) / GROUPS)
  return `tokens ${edge(group - 1).toLocaleString('en')} to ${(edge(group) - 1).toLocaleString('en')}`
}

function check<Code>(watermark: Watermark<Code>, one: SizeCase, falseAlarm: number): number {
  const law = lawFor(watermark.detector!.nullLaw!, one.vocabSize)
  const logTail = (score: number): number => {
    const log = law.logTail(score, 1)
    if (!(log <= 0)) throw new Violation(`a score of ${score}: ln of its p-value is ${log}`)
    return log
  }
  const length = lengthFor(watermark.context, one.vocabSize, one.keys)
  const logsAt = (key: number) => logsOf(watermark, { ...one, length }, key, logTail)
  const pilot = Array.from({ length: PILOT }, (_, i) => logsAt(-1 - i)).filter((logs) => logs !== undefined)
  if (pilot.length === 0) return 0
  const levels = levelsOf(pilot)
  const most = Float64Array.from({ length: levels.length * (1 + GROUPS) }, (_, j) =>
    Math.min(1 - SAME, levels[Math.floor(j / (1 + GROUPS))]! * (1 + 2 * SAME)),
  )
  const bets = new UpperBets(most, KEYS, falseAlarm)
  const x = new Float64Array(most.length)
  for (let key = 0; key < KEYS; key++) {
    const logs = logsAt(key)
    if (logs === undefined) continue
    sharesOf(logs, levels, x)
    bets.add(x)
    if (bets.wealth < 1 / falseAlarm) continue
    const { projection, mean } = bets.best()
    const level = levels[Math.floor(projection / (1 + GROUPS))]!
    const subject = wordsOf(projection % (1 + GROUPS), one.vocabSize)
    throw new Violation(
      `one score with ${one.vocabSize.toLocaleString('en')} tokens: p <= ${+level.toPrecision(3)} for ${+(100 * mean).toPrecision(3)}% of ${subject}, over ${bets.count} keys`,
    )
  }
  return bets.count
}

export interface AcrossIds {
  readonly found: Found
  readonly keys: number
  /**
   * The rate of p <= 1/2, among the tokens of an eighth of the ids, that is certain to be seen, however their scores depend on each
   * other; absent where the rule scored too few texts for a promise.
   */
  readonly sees?: number
}

const MOST_LEVELS = LEVELS.length + SHARES.length

/** Scores tokens of all ids at each size of vocabulary, and bets that p-values are too small. */
export async function acrossIds<Code>(
  watermark: Watermark<Code>,
  trial: Trial,
  falseAlarm: number,
): Promise<AcrossIds> {
  let keys = 0
  let fewest = KEYS
  const examples = WIDE_SIZES.map((vocabSize) => ({ vocabSize, keys: trial.seed + vocabSize }))
  const arbitrary = fc.record({ vocabSize: fc.constantFrom(...WIDE_SIZES), keys: keySeed() })
  const plan = { part: 'ids', arbitrary, examples, runs: 0, shrinks: SAMPLED_SHRINKS, show: showSize }
  const rates = { falseAlarm: falseAlarm / examples.length, miss: trial.miss }
  const found = await forAll(trial, plan, async (one) => {
    const taken = check(watermark, one, rates.falseAlarm)
    keys += taken
    fewest = Math.min(fewest, taken)
    await trial.breathe()
  })
  if (fewest < KEYS) return { found, keys }
  return { found, keys, sees: 1 / 2 + smallestUpper(1 / 2, KEYS, MOST_LEVELS * (1 + GROUPS), rates) }
}
