import { integer, number, outOfRange, refuseUnknown } from '../input.ts'
import type { Detector, LawOf } from './detector.ts'
import { checkLaw, lawFor } from './null-laws.ts'

export interface WindowDetectorOptions {
  /** The law of one score under the null, or a function of the vocabulary's size. */
  readonly nullLaw: LawOf
  /** Scores lie in [0, bound]. Default: unbounded. */
  readonly bound?: number
  /** The fewest scores in a window. Default 16. */
  readonly shortest?: number
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

/**
 * The largest sum of scores in any window of a text, for texts of which only a part is marked ("WinMax"). The tail of each window is exact; the search is paid for by dividing the level: half of
 * it goes to the whole text, the rest to all windows alike. So p = min(2 p_whole, 2 K p_window) over K windows, a bound that holds whatever the dependence between windows, and a text that is marked
 * throughout loses no more than a factor of 2. The statistic is -ln p.
 * @example windowDetector({ nullLaw: exponential() }).id // 'window'
 */
export function windowDetector(options: WindowDetectorOptions): Detector {
  refuseUnknown('windowDetector', options, ['nullLaw', 'bound', 'shortest'])
  checkLaw('nullLaw', options?.nullLaw)
  const bound = number('bound', options.bound ?? Number.POSITIVE_INFINITY, 0, Number.POSITIVE_INFINITY)
  const shortest = integer('shortest', options.shortest ?? 16, 1)
  return {
    id: 'window',
    bound,
    nullLaw: options.nullLaw,
    // scores under contexts that recur are not independent
    follows: ({ foundBy, recurs }) => foundBy === undefined && !recurs,
    test(evidence) {
      const law = lawFor(options.nullLaw, evidence.vocabSize)
      const perToken = evidence.scoreEach()
      const sums = [0]
      for (const [t, score] of perToken.entries()) {
        if (Number.isNaN(score)) continue
        if (!(score >= 0 && score <= bound))
          throw outOfRange(`score at ${t}`, `a number in [0, ${bound}]`, score)
        sums.push(sums.at(-1)! + score)
      }
      const scored = sums.length - 1
      if (scored === 0) return { statistic: 0, logPValue: 0, exact: false, scored, perToken }
      const windows = windowsOf(scored, shortest)
      let least = law.logTail(sums[scored]!, scored)
      // rounding of differences, towards less evidence
      const slack = 2 ** -50 * sums[scored]!
      for (const { from, to } of windows) {
        const sum = sums[to]! - sums[from]! - (law.step === undefined ? slack : 0)
        // far below what would count: its tail need not be computed
        if (sum <= law.mean * (to - from)) continue
        least = Math.min(least, Math.log(windows.length) + law.logTail(sum, to - from))
      }
      const logPValue = Math.min(0, Math.LN2 + least)
      return { statistic: 0 - logPValue, logPValue, exact: false, scored, perToken }
    },
  }
}
