/** Answers in the shapes of OpenAI's API, with the fields that vLLM adds. */
import { randomUUID } from 'node:crypto'
import type { Delta, Finish, ReportedToken } from './choice.ts'
import type { TextsRequest } from './request.ts'

/** The shapes of one answer. */
export interface Answer {
  /** One event of a stream. */
  chunk(delta: Delta): object
  /** The event that opens the text of a chat; undefined where there is no such event. */
  opening(index: number): object | undefined
  /** The last event, where a client asks for it. */
  usageChunk(tokens: number): object
  /** The whole answer. */
  whole(choices: readonly Delta[]): object
}

const bytesOf = (text: string): number[] => [...Buffer.from(text)]

/** Names a token; one whose text another token of the list has too, by its id. */
type Name = (token: number) => string

function completionLogprobs(reported: readonly ReportedToken[], name: Name) {
  const top = ({ token, logprob, top: likely }: ReportedToken) => {
    const all = likely.some(([id]) => id === token) ? likely : [...likely, [token, logprob] as const]
    const named: Record<string, number> = {}
    for (const [id, value] of all) named[Object.hasOwn(named, name(id)) ? idName(id) : name(id)] = value
    return named
  }
  return {
    tokens: reported.map(({ token }) => name(token)),
    token_logprobs: reported.map(({ logprob }) => logprob),
    top_logprobs: reported.map(top),
    text_offset: reported.map(({ offset }) => offset),
  }
}

function chatLogprobs(reported: readonly ReportedToken[], name: Name) {
  const entry = (token: number, logprob: number) => {
    const own = name(token)
    return { token: own, logprob, bytes: bytesOf(own) }
  }
  return {
    content: reported.map(({ token, logprob, top }) => ({
      ...entry(token, logprob),
      top_logprobs: top.map(([id, value]) => entry(id, value)),
    })),
    refusal: null,
  }
}

const idName: Name = (token) => `token_id:${token}`

/** Makes the shapes for one request. @param nameOf the text of a token */
export function answerTo(request: TextsRequest, model: string, nameOf: Name): Answer {
  const { chat, prompts, n } = request
  const head = {
    id: `${chat ? 'chatcmpl' : 'cmpl'}-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model,
  }
  const name = request.namesAreIds ? idName : nameOf
  const logprobsOf = chat ? chatLogprobs : completionLogprobs
  const logprobs = (reported: readonly ReportedToken[]) =>
    request.logprobs === undefined ? null : logprobsOf(reported, name)
  const promptOf = (index: number) => prompts[Math.floor(index / n)]!
  const ends = (finish: Finish | null) => ({ finish_reason: finish, stop_reason: null })
  const usage = (completion: number) => {
    const prompt = prompts.reduce((sum, { length }) => sum + length, 0)
    return {
      usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
    }
  }
  const ids = (tokens: readonly number[]) => (request.tokenIds ? { token_ids: tokens } : {})
  const promptIds = (index: number) => (request.tokenIds ? { prompt_token_ids: promptOf(index) } : {})
  const streamed = { ...head, object: chat ? 'chat.completion.chunk' : 'text_completion' }
  const begun = new Set<number>()
  return {
    opening: (index) =>
      chat
        ? {
            ...streamed,
            ...promptIds(index),
            choices: [{ index, delta: { role: 'assistant', content: '' }, logprobs: null, ...ends(null) }],
          }
        : undefined,
    chunk({ index, text, tokens, reported, finish }) {
      const first = !chat && !begun.has(index)
      begun.add(index)
      const said = chat ? { delta: { content: text } } : { text }
      const choice = { index, ...said, logprobs: logprobs(reported), ...ends(finish), ...ids(tokens) }
      return { ...streamed, choices: [{ ...choice, ...(first ? promptIds(index) : {}) }] }
    },
    usageChunk: (completion) => ({ ...streamed, choices: [], ...usage(completion) }),
    whole: (choices) => ({
      ...head,
      object: chat ? 'chat.completion' : 'text_completion',
      ...(chat ? promptIds(0) : {}),
      choices: choices.map(({ index, text, tokens, reported, finish }) => ({
        index,
        ...(chat ? { message: { role: 'assistant', content: text, refusal: null } } : { text }),
        logprobs: logprobs(reported),
        ...ends(finish),
        ...ids(tokens),
        ...(chat ? {} : promptIds(index)),
      })),
      ...usage(choices.reduce((sum, { tokens }) => sum + tokens.length, 0)),
    }),
  }
}
