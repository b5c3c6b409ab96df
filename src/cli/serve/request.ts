/** Requests for texts: what `/v1/completions` and `/v1/chat/completions` take, checked. */
import { boolean, integer, number, text as string } from '../../input.ts'
import { type ChatMessage, type LanguageModel, type Prompt, promptTokens } from '../../text/decode/index.ts'
import { ApiError, refuseFields, wrongField } from './api-error.ts'

/** A request for texts. */
export interface TextsRequest {
  /** Each prompt gets `n` texts. */
  readonly prompts: readonly (readonly number[])[]
  readonly chat: boolean
  readonly n: number
  readonly maxTokens: number | undefined
  readonly sampling: { readonly temperature: number; readonly topP: number; readonly topK: number }
  readonly seed: number | undefined
  readonly stop: readonly string[]
  /** True: the end tokens of the model do not end a text. */
  readonly ignoreEnd: boolean
  /** The most likely tokens to report with each token; undefined for none, 0 for the token alone. */
  readonly logprobs: number | undefined
  /** Names tokens by their ids in logprobs: `token_id:42`. */
  readonly namesAreIds: boolean
  readonly tokenIds: boolean
  readonly stream: boolean
  readonly streamUsage: boolean
  readonly watermarking: boolean
}

/** The part of the server that decides which requests are valid. */
export interface Limits {
  readonly model: LanguageModel
  readonly name: string
  readonly maxTokens: number
  readonly marks: boolean
  /** False: requests may not switch the watermark off. */
  readonly mayUnmark: boolean
}

/** The most tokens that are reported with each token. */
const MAX_LOGPROBS = 20
/** The most stop strings, and the characters of each. */
const MAX_STOPS = 16
const MAX_STOP_LENGTH = 256

const BOTH = [
  'model',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'n',
  'seed',
  'stop',
  'logprobs',
  'stream',
]
  // of vLLM
  .concat('stream_options', 'return_token_ids', 'return_tokens_as_token_ids', 'ignore_eos', 'watermarking')
  // read by nobody: they change no text
  .concat('user', 'metadata', 'store')
const FIELDS = {
  completion: [...BOTH, 'prompt'],
  chat: [...BOTH, 'messages', 'max_completion_tokens', 'top_logprobs'],
}
/** Fields that would change the distribution or the answer in ways that are not offered, and their values that change nothing. */
const NEUTRAL: Readonly<Record<string, unknown>> = {
  frequency_penalty: 0,
  presence_penalty: 0,
  best_of: 1,
  echo: false,
  suffix: null,
}

type Body = Readonly<Record<string, unknown>>

/** Leaves out fields that are null, which clients send for "not given", and those with a value that changes nothing. */
function givenFields(body: unknown): Body {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ApiError(400, 'expected a JSON object')
  const given: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(body)) {
    if (value === null || (Object.hasOwn(NEUTRAL, name) && NEUTRAL[name] === value)) continue
    if (Object.hasOwn(NEUTRAL, name))
      throw wrongField(name, `${NEUTRAL[name]}: nothing else is offered`, value)
    given[name] = value
  }
  return given
}

const optional = <T>(value: unknown, read: (value: unknown) => T): T | undefined =>
  value === undefined ? undefined : read(value)

const flag = (body: Body, name: string, otherwise = false): boolean =>
  optional(body[name], (value) => boolean(name, value)) ?? otherwise

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/** A string, token ids, or a list of either. */
function promptsOf(prompt: unknown): Prompt[] {
  if (typeof prompt === 'string') return [prompt]
  if (isList(prompt) && prompt.length > 0) {
    if (prompt.every((one) => typeof one === 'number')) return [prompt as number[]]
    const fits = (one: unknown) =>
      typeof one === 'string' ||
      (isList(one) && one.length > 0 && one.every((token) => typeof token === 'number'))
    if (prompt.every(fits)) return prompt as Prompt[]
  }
  throw wrongField('prompt', 'a string, token ids, or a list of either', prompt)
}

const ROLES: Readonly<Record<string, ChatMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
}

/** Returns the text of a message: a string, or parts of type text. */
function contentOf(content: unknown, param: string): string {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  if (!isList(parts)) throw wrongField(param, 'a string or parts of type text', content)
  return parts
    .map((part) => {
      const { type, text } = Object(part) as Body
      if (type !== 'text' || typeof text !== 'string') throw wrongField(param, 'parts of type text', type)
      return text
    })
    .join('')
}

function messagesOf(messages: unknown, { model, name }: Limits): ChatMessage[] {
  if (model.tokenizer.encodeChat === undefined)
    throw new ApiError(400, `${name} has no chat template; use /v1/completions`, { param: 'messages' })
  if (!isList(messages) || messages.length === 0) throw wrongField('messages', 'a list of messages', messages)
  return messages.map((message, i) => {
    const { role, content } = Object(message) as Body
    if (typeof role !== 'string' || !Object.hasOwn(ROLES, role))
      throw wrongField(`messages[${i}].role`, Object.keys(ROLES).join(', '), role)
    return { role: ROLES[role]!, content: contentOf(content, `messages[${i}].content`) }
  })
}

function stopsOf(stop: unknown): string[] {
  const list = stop === undefined ? [] : isList(stop) ? stop : [stop]
  if (list.length > MAX_STOPS) throw wrongField('stop', `at most ${MAX_STOPS} strings`, stop)
  return list.map((one) => {
    if (string('stop', one, MAX_STOP_LENGTH) === '')
      throw wrongField('stop', 'strings that are not empty', one)
    return one as string
  })
}

/** Reads how many tokens to report: chat says whether and how many, completions how many. */
function logprobsOf(body: Body, chat: boolean): number | undefined {
  if (!chat) return optional(body.logprobs, (value) => integer('logprobs', value, 0, MAX_LOGPROBS))
  const top = optional(body.top_logprobs, (value) => integer('top_logprobs', value, 0, MAX_LOGPROBS))
  if (flag(body, 'logprobs')) return top ?? 0
  if (top !== undefined) throw wrongField('logprobs', 'true where top_logprobs is given', body.logprobs)
  return undefined
}

function watermarkingOf(body: Body, { marks, mayUnmark }: Limits): boolean {
  const asked = flag(body, 'watermarking', marks)
  if (asked && !marks) throw wrongField('watermarking', 'false: this server has no watermark', true)
  if (!asked && marks && !mayUnmark)
    throw new ApiError(403, 'watermarking: this server writes no text without its watermark', {
      param: 'watermarking',
    })
  return asked
}

function topPOf(value: unknown): number {
  if (number('top_p', value, 0, 1) === 0) throw wrongField('top_p', 'a number in (0, 1]', value)
  return value as number
}

/** Returns the token limit of all texts, which every prompt has room for. */
function maxTokensOf(body: Body, chat: boolean, prompts: TextsRequest['prompts'], limits: Limits): number {
  const { model, name, maxTokens } = limits
  const longest = prompts.reduce((most, { length }) => Math.max(most, length), 0)
  const room = model.maxLength - (model.kind === 'causal' ? longest : 0)
  if (room < 1)
    throw new ApiError(400, `${name} has room for ${model.maxLength} tokens, the prompt has ${longest}`, {
      ...{ param: chat ? 'messages' : 'prompt', code: 'context_length_exceeded' },
    })
  const most = Math.min(room, maxTokens)
  const param = chat && body.max_completion_tokens !== undefined ? 'max_completion_tokens' : 'max_tokens'
  const asked = optional(body[param], (value) => integer(param, value, 1))
  if (asked !== undefined && asked > most)
    throw wrongField(
      param,
      `at most ${most} after a prompt of ${longest} tokens`,
      asked,
      'context_length_exceeded',
    )
  return asked ?? (chat ? most : Math.min(16, most))
}

/** Reads the body of a request. Throws an `ApiError`, or an error of a check that names the field. */
export function readRequest(given: unknown, chat: boolean, limits: Limits): TextsRequest {
  const body = givenFields(given)
  refuseFields(body, FIELDS[chat ? 'chat' : 'completion'])
  const { model, name } = limits
  if (body.model !== undefined && body.model !== name)
    throw new ApiError(404, `the model ${JSON.stringify(body.model)} is not here; this server has ${name}`, {
      ...{ param: 'model', code: 'model_not_found' },
    })
  const asked = chat ? [messagesOf(body.messages, limits)] : promptsOf(body.prompt)
  const prompts = asked.map((prompt) => promptTokens(model, prompt))
  const topK = optional(body.top_k, (value) => integer('top_k', value, -1)) ?? 0
  const stream = flag(body, 'stream')
  const options = Object(body.stream_options ?? {}) as Body
  if (body.stream_options !== undefined) refuseFields(options, ['include_usage'])
  return {
    prompts,
    chat,
    n: optional(body.n, (value) => integer('n', value, 1, 1024)) ?? 1,
    maxTokens: maxTokensOf(body, chat, prompts, limits),
    sampling: {
      temperature: optional(body.temperature, (value) => number('temperature', value, 0, 100)) ?? 1,
      topP: optional(body.top_p, topPOf) ?? 1,
      topK: Math.max(0, topK),
    },
    seed: optional(body.seed, (value) => integer('seed', value, Number.MIN_SAFE_INTEGER)),
    stop: stopsOf(body.stop),
    ignoreEnd: flag(body, 'ignore_eos'),
    logprobs: logprobsOf(body, chat),
    namesAreIds: flag(body, 'return_tokens_as_token_ids'),
    tokenIds: flag(body, 'return_token_ids'),
    stream,
    streamUsage: stream && flag(options, 'include_usage'),
    watermarking: watermarkingOf(body, limits),
  }
}
