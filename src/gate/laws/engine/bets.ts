/**
 * An e-process: the wealth of a gambler betting that the mean of a sequence of vectors q is not a distribution p.
 *
 * Every affine bet that never loses more than the stake and is fair when E q = p has the form `<r, q/p>` with r in the simplex.
 * (Affine on the simplex means `<c, q>`; never negative means c >= 0; fair means `<c, p> = 1`; put r = c p.) With
 * `r = p (1 + k b)` and `<b, p> = 0` it reads `1 + k <b, q - p>`.
 *
 * Bets depend on the past only, so under the null the wealth is a non-negative martingale that starts at 1, and so is the
 * mean over the four strategies. By Ville's inequality it ever reaches 1/a with probability at most a: looking after every
 * key costs nothing, and neither does stopping early for any other reason.
 */

/** Factors by which strategies lean on the deviation seen so far. */
const STRATEGIES = [1, 4, 16, 64] as const
/** Share of the largest bet that could lose everything. */
const CAUTION = 0.99

export interface Bets {
  /** Takes the next difference q - p. */
  add(difference: Float64Array): void
  /** Natural log of the wealth. */
  logWealth(): number
  /** Returns whether the wealth is at least e^log; cheap while it is far below. */
  reached(log: number): boolean
}

/**
 * Starts bets that the mean is not p: wealth that grows where it is another one, and only there.
 * @param p a distribution without zeros
 * @param patience how many keys the prior "no deviation" is worth; about 1 / bias^2
 */
export function bets(p: Float64Array, patience: number): Bets {
  const sum = new Float64Array(p.length)
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
    add(difference) {
      let gain = 0
      let low = 0
      for (let i = 0; i < p.length; i++) {
        // predictable: the sum holds the past only
        const b = sum[i]! / ((patience + seen) * p[i]!)
        gain += b * difference[i]!
        if (b < low) low = b
        sum[i]! += difference[i]!
      }
      seen++
      if (low === 0) return
      const most = CAUTION / -low
      for (let s = 0; s < log.length; s++) log[s]! += Math.log1p(Math.min(STRATEGIES[s]!, most) * gain)
    },
  }
}
