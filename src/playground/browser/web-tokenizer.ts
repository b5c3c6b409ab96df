/** A tokenizer in the hub's layout, by `@huggingface/tokenizers`, the one that `@huggingface/transformers` has inside. */
import type { Tokenizer } from '../../models/language-model.ts'

interface Inner {
  encode(text: string, options: { add_special_tokens: boolean }): { readonly ids: number[] }
  decode(
    ids: number[],
    options: { skip_special_tokens: boolean; clean_up_tokenization_spaces: boolean },
  ): string
  token_to_id(token: string): number | undefined
}

export interface TokenizerConfig {
  readonly add_bos_token?: boolean
  readonly bos_token?: string
}

export function webTokenizer(inner: Inner, config: TokenizerConfig): Tokenizer {
  const ids = (text: string, special: boolean): number[] =>
    inner.encode(text, { add_special_tokens: special }).ids
  const begin = config.add_bos_token && config.bos_token ? inner.token_to_id(config.bos_token) : undefined
  const missing = begin === undefined || ids('a', true)[0] === begin ? [] : [begin]
  return {
    encode: (text) => (text === '' ? [] : ids(text, false)),
    encodePrompt: (text) => [...missing, ...ids(text, true)],
    decode: (tokens) =>
      tokens.length === 0
        ? ''
        : inner.decode(Array.from(tokens), {
            skip_special_tokens: true,
            clean_up_tokenization_spaces: false,
          }),
  }
}
