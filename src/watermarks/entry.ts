/** Every shipped watermark, and how their ids are read. A new method is one file beside and one line in method-list.ts. */
export type { AnyWatermark } from '../watermark.ts'
export * from './method-list.ts'
export { parseWatermark } from './parse.ts'
export { withGoodnessOfFit } from './sharper/goodness-of-fit.ts'
export { type MinimaxScoreOptions, withMinimaxScore } from './sharper/minimax-score.ts'
export { paperWatermarks, shippedMethods, shippedWatermarks } from './shipped.ts'
