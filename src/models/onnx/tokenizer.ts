/** A tokenizer of `@huggingface/transformers` behind our interface. */
import type { PreTrainedTokenizer } from '@huggingface/transformers'
import type { ChatMessage, Tokenizer } from '../language-model.ts'

export interface TokenizerOptions {
  /** Put before every prompt: for models that expect a begin token which their tokenizer does not add. */
  readonly beginToken?: number | undefined
  /** A Jinja template in place of the model's own. */
  readonly chatTemplate?: string | undefined
}

export function wrapTokenizer(inner: PreTrainedTokenizer, options: TokenizerOptions = {}): Tokenizer {
  const { beginToken, chatTemplate } = options
  const template = chatTemplate ?? inner.chat_template
  const encodeChat = (messages: readonly ChatMessage[]): number[] =>
    inner.apply_chat_template(messages as ChatMessage[], {
      add_generation_prompt: true,
      tokenize: true,
      return_tensor: false,
      return_dict: false,
      ...(chatTemplate === undefined ? {} : { chat_template: chatTemplate }),
    }) as number[]
  return {
    encode: (text) => (text === '' ? [] : inner.encode(text, { add_special_tokens: false })),
    encodePrompt(text) {
      const tokens = inner.encode(text, { add_special_tokens: true })
      return beginToken === undefined ? tokens : [beginToken, ...tokens]
    },
    // the library refuses an empty list
    decode: (tokens) =>
      tokens.length === 0
        ? ''
        : inner.decode(Array.from(tokens), {
            skip_special_tokens: true,
            clean_up_tokenization_spaces: false,
          }),
    ...(template ? { encodeChat } : {}),
  }
}
