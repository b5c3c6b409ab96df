/** Language models and decoding: the entry `uwbench/models`. */
export type {
  ChatMessage,
  Continuation,
  Encoder,
  LanguageModel,
  Prompt,
  Session,
  Tokenizer,
  Tokens,
} from './language-model.ts'
export { type MarkovOptions, markovModel, type NgramModelOptions, ngramModel } from './toy.ts'
export { draw, type Sampling, type Warp, warper } from './warp.ts'
