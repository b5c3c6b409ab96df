/**
 * Coins as the worst case. Among all values in [0, 1] with mean m the coin that shows 1 with probability m spreads most
 * (Hoeffding 1963), so what holds for its Chernoff bound holds for every projection q(A): a mean of n independent values whose
 * expectations average to m falls to t < m with probability at most `exp(-n kl(t, m))`.
 */

const term = (a: number, b: number): number => (a === 0 ? 0 : a * Math.log(a / b))

/** Kullback-Leibler divergence of coins: `a ln(a/b) + (1-a) ln((1-a)/(1-b))`, in nats. */
export const kl = (a: number, b: number): number => Math.max(0, term(a, b) + term(1 - a, 1 - b))

const STEPS = 60

/** The point of an interval at which an increasing condition becomes true. */
export function bisect(low: number, high: number, isAbove: (x: number) => boolean): number {
  let [a, b] = [low, high]
  for (let i = 0; i < STEPS; i++) {
    const middle = (a + b) / 2
    if (isAbove(middle)) b = middle
    else a = middle
  }
  return b
}

/** The smallest mean above m that is `nats` away from it: `kl(t, m) = nats`; 1 where there is none. */
export const above = (m: number, nats: number): number => bisect(m, 1, (t) => kl(t, m) >= nats)
