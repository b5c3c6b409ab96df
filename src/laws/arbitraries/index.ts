export { keySeed } from './key-seed.ts'
export { type TextConstraints, text } from './text.ts'
export { nextToken, type ToyModel, textsOf, toyModel } from './toy-model.ts'
export { type WeightsConstraints, weights } from './weights.ts'
