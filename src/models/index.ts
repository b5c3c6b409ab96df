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
