/** The entry `uwbench/testee`: watermarks in any language, as processes that speak the testee protocol. Needs Node and fast-check. */
export { checkTestee, type TesteeResults } from './check-testee.ts'
export { type TesteeCommand, TesteeFailure } from './process.ts'
export type { Capability, TesteeInfo } from './protocol.ts'
