import { integer, list, number, outOfRange } from '../../input.ts'

/**
 * Do counts come from the given probabilities? The log-likelihood ratio G = sum of c ln(c / (n p)) with a p-value
 * that is an upper bound for every n and every p, in the far tail too: with k cells of positive probability,
 *   P(G >= g) <= e^-(g - (k-1)) (g / (k-1))^(k-1)   for g > k-1
 * (Agrawal, "Finite-sample concentration of the multinomial in relative entropy", IEEE Trans. Inf. Theory 2020): G's
 * moment generating function is at most that of a Gamma(k-1, 1). (Asymptotically G is Gamma((k-1)/2, 1), that is, 2G
 * is chi-square with k-1 degrees of freedom: the guarantee costs the difference of the two shapes.)
 *
 * @example multinomialTest([300, 100, 100, 100], [0.25, 0.25, 0.25, 0.25]).pValue // 1.6e-32
 */
export function multinomialTest(
  counts: ArrayLike<number>,
  probabilities: ArrayLike<number>,
): { statistic: number; pValue: number; logPValue: number } {
  list('counts', counts, 'a list of counts')
  list('probabilities', probabilities, 'a list of probabilities')
  if (counts.length !== probabilities.length || counts.length === 0)
    throw outOfRange('counts', `one count for each of ${probabilities.length} probabilities`, counts)
  let n = 0
  let total = 0
  let cells = 0
  for (let i = 0; i < counts.length; i++) {
    n += integer(`counts[${i}]`, counts[i], 0)
    total += number(`probabilities[${i}]`, probabilities[i], 0, 1)
    if (probabilities[i]! > 0) cells++
  }
  if (!(Math.abs(total - 1) <= 1e-9)) throw outOfRange('probabilities', 'masses that sum to 1', total)
  let statistic = 0
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i]!
    if (count > 0) statistic += count * Math.log((count * total) / (n * probabilities[i]!))
  }
  const freedom = cells - 1
  const logPValue =
    statistic === Number.POSITIVE_INFINITY
      ? Number.NEGATIVE_INFINITY
      : statistic <= freedom || freedom === 0
        ? 0
        : freedom - statistic + freedom * Math.log(statistic / freedom)
  return { statistic, pValue: Math.exp(logPValue), logPValue }
}
