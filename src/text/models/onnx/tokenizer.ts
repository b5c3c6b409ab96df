/** A tokenizer of `@huggingface/transformers` behind our interface. */
import { createContext, Script } from 'node:vm'
import type { ChatMessage, Tokenizer } from '../../decode/language-model.ts'
import type { PreTrainedTokenizer } from './files.ts'

const place = createContext({ work: (): void => {} })
const call = new Script('work()')

/**
 * Encodes a text within a time that grows with it. Patterns of a tokenizer.json may come from anybody, and one such as `(a|a)+$` takes
 * for ever; scripts of `vm` are the one way to stop a pattern.
 */
function encodeInTime(text: string, encode: () => number[]): number[] {
  const timeout = 5000 + Math.ceil(text.length / 10)
  let tokens: number[] = []
  place.work = () => {
    tokens = encode()
  }
  try {
    call.runInContext(place, { timeout })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw new RangeError(
      `tokenizer: expected at most ${timeout / 1000} seconds for a text of ${text.length} characters, took longer; a pattern in its tokenizer.json backtracks too much`,
    )
  }
  return tokens
}

/** Returns the begin token where tokenizer_config.json asks for one (`add_bos_token`) that tokenizer.json does not add. */
function missingBegin(inner: PreTrainedTokenizer): number[] {
  const begin =
    inner.add_bos_token && inner.bos_token ? inner.convert_tokens_to_ids(inner.bos_token) : undefined
  return begin === undefined || inner.encode('a')[0] === begin ? [] : [begin]
}

/**
 * Wraps a tokenizer.
 * @param chatTemplate a Jinja template in place of the model's own
 */
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
    encode: (text) =>
      text === '' ? [] : encodeInTime(text, () => inner.encode(text, { add_special_tokens: false })),
    encodePrompt: (text) => [
      ...begin,
      ...encodeInTime(text, () => inner.encode(text, { add_special_tokens: true })),
    ],
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
