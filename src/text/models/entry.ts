/** The entry `uwbench/models`: language models and decoding. Loading one needs `@huggingface/transformers`. */

export {
  type BatchOptions,
  type GenerateOptions,
  type Generation,
  generate,
  generateMany,
  type TextRequest,
  type TokenEvent,
} from '../decode/generate.ts'
export type {
  ChatMessage,
  Continuation,
  Encoder,
  LanguageModel,
  Prompt,
  Session,
  Tokenizer,
} from '../decode/language-model.ts'
export { promptTokens } from '../decode/prompt.ts'
export { type MarkovOptions, markovModel, type NgramModelOptions, ngramModel } from '../decode/toy.ts'
export { draw, type Sampling, type Warp, warper } from '../decode/warp.ts'
export { type EmbeddedOptions, embeddedModel } from './embedded.ts'
export { loadEncoder, loadModel } from './load.ts'
export { type LoadedTokenizer, loadTokenizer } from './load-tokenizer.ts'
export { ModelUnavailableError } from './npm-package.ts'
export type { Dtype, EncoderOptions, LoadOptions } from './onnx/options.ts'
