export * from './mean-test.ts'
export { keysForExcess, pValueTest, smallestExcess } from './p-value-test.ts'
export { type PowerPlan, powerPlan } from './power-test.ts'
export type { Rates, Verdict } from './rates.ts'
