/** Codes exactly as published implementations draw them, bit for bit. */
export {
  type SglangContextsOptions,
  type SynthidContextsOptions,
  sglangContexts,
  synthidContexts,
  type TextsealContextsOptions,
  textsealContexts,
  type VllmContextsOptions,
  vllmContexts,
} from './context.ts'
export { type ExpEditOptions as ExpEditStatisticOptions, expEditStatistic } from './exp-edit.ts'
export { type IntegerKey, publishedKey, vllmKey } from './key.ts'
export { type KgwGreenlistOptions, kgwGreenlist } from './kgw.ts'
export {
  type McmarkCode,
  type McmarkSeedOptions,
  mcmarkChannelStart,
  mcmarkCode,
  mcmarkSeed,
  sta1GreenSize,
} from './mcmark.ts'
export { mersennePermutation, mersenneUniforms } from './mersenne.ts'
export { type ReferenceOutput, type ReferenceOutputOptions, toReferenceOutput } from './output.ts'
export { type PhiloxWordOptions, philoxWord, vllmSubkey } from './philox.ts'
export {
  type SynthidFlavor,
  type SynthidOptions as SynthidGValuesOptions,
  synthidContextMask,
  synthidGValues,
  synthidHashIv,
  synthidSamplingTable,
} from './synthid.ts'
export { TorchGenerator } from './torch.ts'
