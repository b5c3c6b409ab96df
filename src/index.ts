/** The entry `uwbench`: declare a watermark once; embed and detect it. Runs in Node and in browsers. */
export * from './detect/index.ts'
export * from './embed/index.ts'
export { kernels } from './kernels/index.ts'
export { fixed } from './keys/fixed.ts'
export { type NgramOptions, ngram } from './keys/ngram.ts'
export { prefix } from './keys/prefix.ts'
export type { Random } from './keys/random.ts'
export type { ContextRule, Cursor, Memory, Tokens } from './keys/rule.ts'
export type { Context, Site } from './keys/schedule.ts'
export { sequence } from './keys/sequence.ts'
export { declareWatermark as defineWatermark } from './method/declare-watermark.ts'
export { declaredParameter as parameter } from './method/declared-parameters.ts'
export {
  type AnyMethod,
  defineMethod,
  type Method,
  type MethodDefinition,
  type MethodParts,
  type OptionsOf,
} from './method/define-method.ts'
export type { MethodParameter } from './method/parameters.ts'
export type {
  Declaration,
  MarkedScore,
  Watermark,
  Weighted,
} from './watermark.ts'
export * from './watermarks/index.ts'
