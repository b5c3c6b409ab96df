/** Every shipped watermark, and how their ids are read. A new method is one file beside and one line in methods.ts. */
export type { AnyWatermark } from '../watermark.ts'
export { withGoodnessOfFit } from './goodness-of-fit.ts'
export * from './methods.ts'
export { type MinimaxScoreOptions, withMinimaxScore } from './minimax-score.ts'
export { parseWatermark } from './parse.ts'
export { paperWatermarks, shippedMethods, shippedWatermarks } from './shipped.ts'
