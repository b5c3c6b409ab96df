/**
 * An e-process: the wealth of a gambler who bets that the mean of a sequence of vectors is not what it should be.
 *
 * One vector q against a distribution p: every affine bet that never loses more than the stake and is fair when E q = p has
 * the form `<r, q/p>` with r in the simplex. (Affine on the simplex means `<c, q>`; never negative means c >= 0; fair means
 * `<c, p> = 1`; put r = c p.) With `r = p (1 + k b)` and `<b, p> = 0` it reads `1 + k <b, q - p>`. The difference of two
 * random vectors d = x - y of equal mean: `1 + k <b, d>`, never negative when `k (max b - min b) <= 1`.
 *
 * Bets depend on the past only, so under the null the wealth is a non-negative martingale that starts at 1, and so is the
 * mean over the four strategies. By Ville's inequality it ever reaches 1/a with probability at most a: looking after every
 * key costs nothing, and neither does stopping early for any other reason.
 */

/** How hard each strategy leans on the deviation seen so far. */
const STRATEGIES = [1, 4, 16, 64] as const
/** Share of the largest bet that could lose everything. */
const CAUTION = 0.99

export interface Bets {
  /** Takes the next difference vector, and what it is measured against (p, or the mean of the two vectors). */
  add(difference: Float64Array, weight: Float64Array): void
  /** Natural log of the wealth. */
  logWealth(): number
  /** Whether the wealth is at least e^log; cheap while it is far below. */
  reached(log: number): boolean
}

/**
 * Bets against a claimed mean: wealth that grows where the mean is another one, and only there.
 * @param m number of outcomes
 * @param patience how many keys the prior "no deviation" is worth; about 1 / bias^2
 * @param paired whether differences are of two random vectors rather than of one and a distribution
 */
export function bets(m: number, patience: number, paired: boolean): Bets {
  const sum = new Float64Array(m)
  const base = new Float64Array(m)
  const log = new Float64Array(STRATEGIES.length)
  let seen = 0
  const logWealth = (): number => {
    const top = Math.max(...log)
    let total = 0
    for (const value of log) total += Math.exp(value - top)
    return top + Math.log(total / log.length)
  }
  return {
    logWealth,
    // the mean of the strategies is at most the best of them
    reached: (goal) => log.some((value) => value >= goal) && logWealth() >= goal,
    add(difference, weight) {
      let gain = 0
      let low = 0
      let high = 0
      for (let i = 0; i < m; i++) {
        // predictable: sum and base hold the past only
        const reference = paired ? (base[i]! + patience / m) / (seen + patience) : weight[i]!
        const b = sum[i]! / ((patience + seen) * reference)
        gain += b * difference[i]!
        if (b < low) low = b
        if (b > high) high = b
        sum[i]! += difference[i]!
        base[i]! += weight[i]!
      }
      seen++
      const loss = paired ? high - low : -low
      if (loss === 0) return
      const most = CAUTION / loss
      for (let s = 0; s < log.length; s++) log[s]! += Math.log1p(Math.min(STRATEGIES[s]!, most) * gain)
    },
  }
}
