import { integer, list, outOfRange, text, wrongType } from '../input.ts'
import type { ChatMessage, LanguageModel, Prompt, Tokens } from './language-model.ts'

const isChat = (prompt: Tokens | readonly ChatMessage[]): prompt is readonly ChatMessage[] =>
  typeof prompt[0] === 'object'

const isTokenizer = (value: unknown): boolean => {
  const { encodePrompt, decode } = (value ?? {}) as Record<string, unknown>
  return typeof encodePrompt === 'function' && typeof decode === 'function'
}

/** Checks that a value is a language model. */
export function requireModel(value: unknown, name = 'model'): void {
  const model = value as Partial<LanguageModel> | null | undefined
  if (
    typeof model?.begin !== 'function' ||
    typeof model.vocabSize !== 'number' ||
    !isTokenizer(model.tokenizer)
  )
    throw wrongType(name, 'a language model such as markovModel() or await embeddedModel()', value)
}

/** Token ids as an array, each of them in the vocabulary. */
export function checkedTokens(name: string, tokens: Tokens, vocabSize: number): number[] {
  return Array.from(list<number>(name, tokens, 'a list of token ids'), (token, i) =>
    integer(`${name}[${i}]`, token, 0, vocabSize - 1),
  )
}

/**
 * A prompt as the model will see it. Text gets the begin token that the model expects; tokens are used as given.
 * @example promptTokens(markovModel({ vocabSize: 50 }), '3 1 4') // [3, 1, 4]
 */
export function promptTokens(model: LanguageModel, prompt: Prompt): number[] {
  requireModel(model)
  // a tokenizer of a toy model reads numbers, which may be any
  if (typeof prompt === 'string')
    return checkedTokens('prompt', model.tokenizer.encodePrompt(text('prompt', prompt)), model.vocabSize)
  list('prompt', prompt, 'a string, tokens or chat messages')
  if (!isChat(prompt)) return checkedTokens('prompt', prompt, model.vocabSize)
  if (model.tokenizer.encodeChat === undefined)
    throw wrongType('prompt', `a string or tokens (${model.id} has no chat template)`, prompt)
  return model.tokenizer.encodeChat(prompt)
}

/** The longest text that is generated, whatever the model has room for: toy models have no limit of their own. */
const MAX_NEW_TOKENS = 1_000_000

/** The token limit of a text: as requested, else 200 or what the model has room for. */
export function tokenLimit(
  model: LanguageModel,
  prompt: readonly number[],
  asked: number | undefined,
): number {
  const room = model.maxLength - (model.kind === 'causal' ? prompt.length : 0)
  if (room < 1)
    throw outOfRange(
      'prompt',
      `fewer than ${model.maxLength} tokens (${model.id})`,
      `${prompt.length} tokens`,
    )
  if (asked === undefined) return Math.min(200, room)
  integer('maxNewTokens', asked, 1, MAX_NEW_TOKENS)
  if (asked > room)
    throw outOfRange('maxNewTokens', `at most ${room} after a prompt of ${prompt.length} tokens`, asked)
  return asked
}
