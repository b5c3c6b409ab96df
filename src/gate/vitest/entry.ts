/** The entry `uwbench/vitest`: laws as tests. Needs vitest and fast-check. */
export { describeTestee } from './describe-testee.ts'
export { type DescribeOptions, describeWatermark } from './describe-watermark.ts'
export { watermarkMatchers } from './matchers.ts'
