/**
 * Tails of sums of independent integer variables: P(X1 + ... + Xn >= s) to a relative error of 1e-12, in the far tail as in
 * the middle, for any n.
 *
 * One machine does it (tilted-tail.ts). The sum is tilted so that s becomes its mean; a closed form carries the smallness of the
 * tail, and what is left is a sum of tilted masses of ordinary size. Those come from a convolution of positive terms where the
 * problem is small (lattice-convolution.ts, truncated-power.ts) and from a Fourier inversion that skips what is certainly
 * negligible where it is not. The machine sees a law only as a `TiltedSum`, and there are three: n copies of a variable on a
 * lattice, from all its masses (log-lattice-tail.ts; lattice-form.ts normalises them, lattice-tilt.ts tilts, lattice-transform.ts
 * transforms); the same from a few dozen moments, made once per law, for the many calls of a detector (series-tail.ts,
 * lattice-series.ts); and bits with weights (log-weighted-bernoulli-tail.ts, weighted-bernoulli.ts, binomial-masses.ts).
 * `latticeTails` and `weightedTails` keep what many calls share and take the fastest way that reaches. Where the weights are not
 * whole there is no lattice, and `logChernoffTail` stops at the tilt: the closed form alone is a bound.
 */
export { latticeTails } from './lattice-tails.ts'
export { logChernoffTail } from './log-chernoff-tail.ts'
export { logLatticeTail } from './log-lattice-tail.ts'
export { logLawsTail } from './log-laws-tail.ts'
export { logWeightedBernoulliTail } from './log-weighted-bernoulli-tail.ts'
export { weightedTails } from './weighted-tails.ts'
