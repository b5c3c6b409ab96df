import { integer, list, outOfRange, text, wrongType } from '../../input.ts'
import type { ChatMessage, LanguageModel, Prompt, Tokens } from './language-model.ts'

const isChat = (prompt: Tokens | readonly ChatMessage[]): prompt is readonly ChatMessage[] =>
  typeof prompt[0] === 'object'

const isTokenizer = (value: unknown): boolean => {
  const { encodePrompt, decode } = (value ?? {}) as Record<string, unknown>
  return typeof encodePrompt === 'function' && typeof decode === 'function'
}

export function requireModel(value: unknown, name = 'model'): void {
  const model = value as Partial<LanguageModel> | null | undefined
  if (
    typeof model?.begin !== 'function' ||
    typeof model.vocabSize !== 'number' ||
    !isTokenizer(model.tokenizer)
  )
    throw wrongType(name, 'a language model such as markovModel() or await embeddedModel()', value)
}

/** Returns token ids as an array, each of them in the vocabulary. */
export function checkedTokens(name: string, tokens: Tokens, vocabSize: number): number[] {
  return Array.from(list<number>(name, tokens, 'a list of token ids'), (token, i) =>
    integer(`${name}[${i}]`, token, 0, vocabSize - 1),
  )
}

/** The properties of a model that decide which texts it can read. */
export interface TextLimits {
  readonly id: string
  readonly vocabSize: number
  /** Stands for an empty prompt. */
  readonly beginToken: number | undefined
  readonly maxLength: number
}

/** Refuses a text of more tokens than a model can read. */
export function checkFits(
  name: string,
  length: number,
  { id, maxLength }: Pick<TextLimits, 'id' | 'maxLength'>,
): void {
  if (length > maxLength)
    throw outOfRange(name, `at most ${maxLength} tokens in all (${id})`, `${length} tokens`)
}

/** Returns the tokens of a text (the begin token if it is empty), checked to be in the vocabulary and to leave `room` for more. */
export function checkedText(name: string, tokens: Tokens, room: number, limits: TextLimits): number[] {
  const { id, vocabSize, beginToken } = limits
  const list = checkedTokens(name, tokens, vocabSize)
  if (list.length === 0 && beginToken !== undefined) list.push(beginToken)
  if (list.length === 0) throw outOfRange(name, `at least one token (${id} has no begin token)`, tokens)
  checkFits(name, list.length + room, limits)
  return list
}

/**
 * Returns a prompt as the model will see it. Text gets the begin token that the model expects; tokens are used as given.
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
export const MAX_NEW_TOKENS = 1_000_000

/** Returns the number of tokens that a model has room for after a prompt. */
export function roomAfter(name: string, model: LanguageModel, { length }: Tokens): number {
  const room = model.maxLength - (model.kind === 'causal' ? length : 0)
  if (room < 1)
    throw outOfRange(name, `fewer than ${model.maxLength} tokens (${model.id})`, `${length} tokens`)
  return room
}

/** Returns the token limit of a text: as requested, else 200 or what the model has room for. */
export function tokenLimit(
  model: LanguageModel,
  prompt: readonly number[],
  asked: number | undefined,
): number {
  const room = roomAfter('prompt', model, prompt)
  if (asked === undefined) return Math.min(200, room)
  integer('maxNewTokens', asked, 1, MAX_NEW_TOKENS)
  if (asked > room)
    throw outOfRange('maxNewTokens', `at most ${room} after a prompt of ${prompt.length} tokens`, asked)
  return asked
}
