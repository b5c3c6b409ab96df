/** The entry `uwbench`: declare a watermark once; embed and detect it. Runs in Node and in browsers. */
export * from './core/detect/entry.ts'
export * from './core/embed/entry.ts'
export { kernels } from './core/kernels/kernels.ts'
export type {
  Context,
  ContextRule,
  ContextSet,
  Cursor,
  Memory,
  Message,
  Random,
  Site,
  Tokens,
} from './core/keys/index.ts'
export { contextSet, fixed, type NgramOptions, ngram, prefix, sequence } from './core/keys/index.ts'
export type { MethodParameter } from './core/method/index.ts'
export {
  type AnyMethod,
  declaredParameter as parameter,
  defineMethod,
  defineWatermark,
  type MessageOptions,
  type MessageWatermark,
  type Method,
  type MethodDefinition,
  type MethodParts,
  type OptionsOf,
  withMessage,
} from './core/method/index.ts'
export type {
  Declaration,
  FastPaths,
  MarkedScore,
  MessageFamily,
  Speculation,
  Watermark,
  Weighted,
  WordScore,
} from './watermark.ts'
export * from './watermarks/entry.ts'
