/** A tokenizer of `@huggingface/transformers` behind our interface. */
import type { PreTrainedTokenizer } from '@huggingface/transformers'
import type { ChatMessage, Tokenizer } from '../language-model.ts'

/** The begin token where tokenizer_config.json asks for one (`add_bos_token`) that tokenizer.json does not add. */
function missingBegin(inner: PreTrainedTokenizer): number[] {
  const begin =
    inner.add_bos_token && inner.bos_token ? inner.convert_tokens_to_ids(inner.bos_token) : undefined
  return begin === undefined || inner.encode('a')[0] === begin ? [] : [begin]
}

/** @param chatTemplate a Jinja template in place of the model's own */
export function wrapTokenizer(inner: PreTrainedTokenizer, chatTemplate?: string): Tokenizer {
  const begin = missingBegin(inner)
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
    encodePrompt: (text) => [...begin, ...inner.encode(text, { add_special_tokens: true })],
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
