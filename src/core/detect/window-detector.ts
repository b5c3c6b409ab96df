import { integer, number, outOfRange, refuseUnknown } from '../../input.ts'
import type { Detector, LawOf, NullLaw } from '../../watermark.ts'
import { bestStretch, logStretches } from './best-stretch.ts'
import { checkLaw, lawFor } from './null-laws.ts'

export interface WindowDetectorOptions {
  /** The law of one score under the null, or a function of the vocabulary's size. */
  readonly nullLaw: LawOf
  /** Scores lie in [0, bound]. Default: unbounded. */
  readonly bound?: number
  /** The fewest scores in a window. Default 16. Given, bits are searched over windows too, as other scores are. */
  readonly shortest?: number
  /**
   * For bits: searches with this drift alone, and an exact p-value. A stretch shows if its rate of ones is above it. Best about midway between the rates of unmarked and of marked tokens; rounded to a multiple of
   * 1/16, finer near 0 and 1. Default: three drifts.
   */
  readonly drift?: number
}

interface Window {
  readonly from: number
  readonly to: number
}

/** Windows of `shortest`, twice, four times ... as many scores, each moved on by a quarter of its length: any stretch holds one of more than half of its length, or nearly. */
function windowsOf(n: number, shortest: number): Window[] {
  const windows: Window[] = []
  for (let length = shortest; length < n; length *= 2)
    for (let from = 0; from + length <= n; from += Math.max(1, length >>> 2))
      windows.push({ from, to: from + length })
  return windows
}

/** The sums of the first 0, 1, ... scores. */
function sumsOf(perToken: Float64Array, bound: number): number[] {
  const sums = [0]
  for (const [t, score] of perToken.entries()) {
    if (Number.isNaN(score)) continue
    if (!(score >= 0 && score <= bound)) throw outOfRange(`score at ${t}`, `a number in [0, ${bound}]`, score)
    sums.push(sums.at(-1)! + score)
  }
  return sums
}

/** ln of the smallest p-value of a window, times how many there are. */
function logWindows(sums: readonly number[], law: NullLaw, shortest: number): number {
  const scored = sums.length - 1
  const windows = windowsOf(scored, shortest)
  // rounding of differences, towards less evidence
  const slack = law.step === undefined ? 2 ** -50 * sums[scored]! : 0
  let least = 0
  for (const { from, to } of windows) {
    const sum = sums[to]! - sums[from]! - slack
    // far below what would count: its tail need not be computed
    if (sum <= law.mean * (to - from)) continue
    least = Math.min(least, Math.log(windows.length) + law.logTail(sum, to - from))
  }
  return least
}

/**
 * The best stretch of a text, for texts of which only a part is marked ("WinMax"). Half of the level goes to the whole text, the rest to the search, so a text that is marked throughout loses no
 * more than a factor of 2. The statistic is -ln p.
 *
 * Bits (`bound: 1` and a law of whole scores: green lists, halves, channels) are searched over all stretches of any length, by the largest sum of score - drift. The law of that maximum is exact. Three drifts are tried, for
 * weak to strong marks: p = min(2 p_whole, 6 p_drift), a union bound over four tests. With one `drift` of your own, p is the exact tail of its maximum alone.
 *
 * Other scores are searched over windows of 16, 32, 64 ... scores, with exact tails and a union bound over all K of them: p = min(2 p_whole, 2 K p_window), whatever the dependence between windows.
 * @example windowDetector({ nullLaw: exponential() }).id // 'window'
 */
export function windowDetector(options: WindowDetectorOptions): Detector {
  refuseUnknown('windowDetector', options, ['nullLaw', 'bound', 'shortest', 'drift'])
  checkLaw('nullLaw', options?.nullLaw)
  const bound = number('bound', options.bound ?? Number.POSITIVE_INFINITY, 0, Number.POSITIVE_INFINITY)
  const shortest = integer('shortest', options.shortest ?? 16, 1)
  const { drift } = options
  if (drift !== undefined) number('drift', drift, 0, 1, true)
  if (drift !== undefined && (bound !== 1 || options.shortest !== undefined))
    throw outOfRange('drift', 'none unless scores are bits (bound: 1) and without shortest', drift)
  return {
    id: 'window',
    bound,
    nullLaw: options.nullLaw,
    // scores under contexts that recur are not independent
    follows: ({ foundBy, recurs }) => foundBy === undefined && !recurs,
    test(evidence) {
      const law = lawFor(options.nullLaw, evidence.vocabSize)
      const perToken = evidence.scoreEach()
      const sums = sumsOf(perToken, bound)
      const scored = sums.length - 1
      const bits = bound === 1 && law.step === 1 && options.shortest === undefined
      if (drift !== undefined && !bits) throw outOfRange('drift', 'none unless scores are 0 or 1', drift)
      if (scored === 0) return { statistic: 0, logPValue: 0, exact: drift !== undefined, scored, perToken }
      if (drift !== undefined) {
        const { logTail, exact } = bestStretch(sums, law.mean, drift)
        return { statistic: 0 - logTail, logPValue: logTail, exact, scored, perToken }
      }
      const searched = bits ? logStretches(sums, law.mean) : logWindows(sums, law, shortest)
      const logPValue = Math.min(0, Math.LN2 + Math.min(searched, law.logTail(sums[scored]!, scored)))
      return { statistic: 0 - logPValue, logPValue, exact: false, scored, perToken }
    },
  }
}
