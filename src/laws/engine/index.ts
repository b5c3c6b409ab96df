export { bets } from './bets.ts'
export { type MeanBets, meanBets, smallestDeviation } from './mean-bets.ts'
export * from './mean-test.ts'
export { keysForExcess, pValueTest, smallestExcess } from './p-value-test.ts'
export { coincidence } from './pair-moments.ts'
export { type PairBet, smallestPairExcess, textsForPairExcess } from './pair-power.ts'
export {
  natsAtDistance,
  natsOverAll,
  type PairDesign,
  type PairTest,
  pairDesign,
  pairTest,
} from './pair-test.ts'
export { type PowerPlan, powerPlan } from './power-test.ts'
export type { Rates, Verdict } from './rates.ts'
export { chanceOfAtLeast, convolve, detWmkLaw, type Masses, meanDistance, sumLaw } from './spmg-law.ts'
