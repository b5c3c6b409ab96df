/**
 * Are two numbers of a pair exchangeable? Where they are, each difference is as likely d as -d, whatever its size and whatever the
 * other pairs: `prod_i (1 + l g_i)` with g_i = d_i / (|d_i| + s_i), s_i the mean size of the differences before, is fair for every l in
 * (-1, 1), and so is the mean over several l of both signs. It ever reaches 1/a with probability at most a (Ville): no law of the
 * differences is assumed, and no variance.
 */
import { logSumExp } from './log-sum-exp.ts'

const LEANS = [0.1, 0.3, 0.9, -0.1, -0.3, -0.9] as const

/** ln of the p-value: 1 over the most that the bets ever had. */
export function logPairsP(differences: readonly number[]): number {
  const logs = new Float64Array(LEANS.length)
  let [size, most] = [0, 0]
  for (const [i, d] of differences.entries()) {
    // before there is anything to compare with, nothing is bet
    const gain = i === 0 || d === 0 ? 0 : d / (Math.abs(d) + size / i)
    size += Math.abs(d)
    for (let l = 0; l < logs.length; l++) logs[l]! += Math.log1p(LEANS[l]! * gain)
    most = Math.max(most, logSumExp(logs) - Math.log(logs.length))
  }
  return -most
}

/** The same for e-values that are given, text by text: rows of ln wealth, one column per strategy. */
export function logBetsP(rows: readonly (readonly number[])[]): number {
  const logs = new Float64Array(rows[0]?.length ?? 1)
  let most = 0
  for (const row of rows) {
    for (let l = 0; l < logs.length; l++) logs[l]! += row[l]!
    most = Math.max(most, logSumExp(logs) - Math.log(logs.length))
  }
  return -most
}
