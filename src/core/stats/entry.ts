/** The entry `uwbench/stats`: statistics for detectors and tables: exact tails in log space, tests with stated error rates, intervals. */
export { type Auroc, auroc } from './auroc.ts'
export { type Alternative, binomialTest } from './binomial-test.ts'
export { type BootstrapOptions, bootstrapInterval, type Draws } from './bootstrap-interval.ts'
export { chernoffInterval } from './chernoff-interval.ts'
export { clopperPearson, type Interval } from './clopper-pearson.ts'
export { fisherTest } from './fisher.ts'
export { kolmogorovTest } from './kolmogorov-test.ts'
export { logBinomialTail } from './log-binomial-tail.ts'
export { logChiSquareTail } from './log-chi-square-tail.ts'
export { logDrawsTail, type WinnersDraw } from './log-draws-tail.ts'
export { logGammaTail } from './log-gamma-tail.ts'
export { logNormalTail } from './log-normal-tail.ts'
export { logStretchTail } from './log-stretch-tail.ts'
export { logStudentTail } from './log-student-tail.ts'
export { logSumExp } from './log-sum-exp.ts'
export { log1mexp } from './log1mexp.ts'
export { type MeanInterval, meanInterval } from './mean-interval.ts'
export { midRanks } from './mid-ranks.ts'
export { multinomialTest } from './multinomial-test.ts'
export { normalQuantile } from './normal-quantile.ts'
export { median, quantile } from './quantile.ts'
export { quantileInterval } from './quantile-interval.ts'
export { type Spearman, type SpearmanOptions, spearman } from './spearman.ts'
export { logChernoffTail, logLatticeTail, logWeightedBernoulliTail } from './sums/index.ts'
export {
  type SuperUniformLevel,
  type SuperUniformOptions,
  type SuperUniformVerdict,
  superUniform,
} from './super-uniform.ts'
export { totalVariation } from './total-variation.ts'
