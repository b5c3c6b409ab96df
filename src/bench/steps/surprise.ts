/**
 * The excess surprise of a text over what the model expects: x_t = -ln p(token_t) - H_t, with H_t the entropy of the distribution that
 * was sampled from, before the watermark. Where the law of the text is the model's, x is a martingale difference, whatever the
 * text so far: the sum over a text has mean 0 even where texts end early, since the end is decided by the text so far (the mean per
 * token of a text that may end early has not).
 */

/** The leans of the bets on more surprise than expected. */
export const LEANS = [0.03, 0.1, 0.3] as const
/** The share of a stake that is never lost: x_t is at least -H_t, which is known before the token is drawn. */
const CAUTION = 0.9

/** Sums x over a text. */
export function excessOf(logProbabilities: ArrayLike<number>, entropies: ArrayLike<number>): number {
  let sum = 0
  for (let t = 0; t < logProbabilities.length; t++) sum -= logProbabilities[t]! + entropies[t]!
  return sum
}

/**
 * ln of what is left of a stake of 1 after betting on every token of a text, for each lean: prod_t (1 + l_t x_t) with
 * l_t = min(lean, 0.9 / H_t). Its mean is 1 where the law of the text is the model's: an e-value, and so is its product over texts.
 */
export function surpriseBets(logProbabilities: ArrayLike<number>, entropies: ArrayLike<number>): number[] {
  return LEANS.map((lean) => {
    let log = 0
    for (let t = 0; t < logProbabilities.length; t++) {
      const entropy = entropies[t]!
      const excess = Math.max(-entropy, -logProbabilities[t]! - entropy)
      log += Math.log1p(Math.min(lean, CAUTION / entropy) * excess)
    }
    return log
  })
}
