/** Answers of an OpenAI-style server: texts, token ids and the probabilities that it reports. */
import { ServerFailure, textOf } from '../../text/models/index.ts'

/** The most probable tokens of one position, most probable first. */
export interface Step {
  readonly ids: readonly number[]
  readonly p: readonly number[]
}

/** One text that the server wrote. */
export interface Completion {
  readonly text: string
  /** Numbers that stand for tokens: their ids where `idsFrom` is not 'text', else words. */
  readonly tokens: readonly number[]
  /** The source of `tokens`: `return_token_ids`, the tokens of `logprobs`, or the text split into words. */
  readonly idsFrom: 'ids' | 'logprobs' | 'text'
  /** Token ids as `return_token_ids` gives them, also where `tokens` are names. */
  readonly ids?: readonly number[] | undefined
  readonly promptIds?: readonly number[] | undefined
  /** Reported probabilities, one step per token; absent where the server gives none. */
  readonly steps?: readonly Step[] | undefined
  readonly logprobs?: readonly number[] | undefined
  readonly finish: string
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of a server, every field of which is checked before use
type Json = any

/** Numbers for tokens that the server names by text: negative, so that they never meet an id. */
const named = new Map<string, number>()

/** Returns the number of a token: `token_id:17` is 17, any other text gets a number of its own. */
function numberOf(token: string): number {
  const id = /^token_id:(\d+)$/.exec(token)?.[1]
  if (id !== undefined) return Number(id)
  const known = named.get(token) ?? -1 - named.size
  named.set(token, known)
  return known
}

/** The largest logarithm of a probability, with rounding. */
const LARGEST_LOG = 1e-3

/** Returns the number of an entry of `content`: its id where the server gives one, as llama.cpp does. */
const numberIn = ({ id, token }: Json): number =>
  Number.isSafeInteger(id) && id >= 0 ? id : numberOf(String(token))

/** Reads the logarithm of a probability; NaN for anything else. JSON has no -Infinity: servers write null for a probability of 0. */
const logOf = (value: unknown): number =>
  value === null ? Number.NEGATIVE_INFINITY : typeof value === 'number' ? value : Number.NaN

type Entry = readonly [token: number, log: number]

/** Sorts the entries of a position, most probable first. Without tokens where an entry is no probability. */
function stepOf(entries: readonly Entry[], keep: (sorted: readonly Entry[]) => readonly Entry[]): Step {
  if (!entries.every(([, log]) => log <= LARGEST_LOG)) return { ids: [], p: [] }
  const kept = keep(entries.toSorted((a, b) => (a[1] < b[1] ? 1 : a[1] > b[1] ? -1 : 0)))
  return { ids: kept.map(([token]) => token), p: kept.map(([, log]) => Math.exp(log)) }
}

/** Completions add the drawn token where it is not among the `top` most probable: dropped again, or the list would tell what was drawn. */
const withoutDrawn = (drawn: number, top: number) => (sorted: readonly Entry[]) =>
  sorted.length > top ? sorted.filter(([token]) => token !== drawn).slice(0, top) : sorted

/**
 * vLLM's chats put the drawn token in the place of the last of the `top` where it is not among them. The first `top` - 1 probabilities are
 * the same whatever was drawn, and so are the tokens above the least of these: only they are kept of a full list.
 */
const aboveLast = (top: number) => (sorted: readonly Entry[]) =>
  sorted.length < top ? sorted : sorted.filter(([, log]) => log > sorted[top - 2]![1])

interface Probabilities {
  readonly tokens: readonly number[]
  readonly logprobs: readonly number[]
  readonly steps?: readonly Step[]
}

/** Reads `logprobs` of completions (`tokens`, `top_logprobs`) and of chats (`content`). */
function probabilitiesOf(logprobs: Json, top: number): Probabilities | undefined {
  const content = logprobs?.content
  if (Array.isArray(content) && content.length > 0) {
    const steps = content.map((one: Json) =>
      stepOf(
        (one.top_logprobs ?? []).map((other: Json) => [numberIn(other), logOf(other.logprob)]),
        aboveLast(top),
      ),
    )
    return {
      tokens: content.map(numberIn),
      logprobs: content.map((one: Json) => logOf(one.logprob)),
      ...(steps.every(({ ids }) => ids.length > 0) && { steps }),
    }
  }
  if (!Array.isArray(logprobs?.tokens)) return undefined
  const tops: Json[] = Array.isArray(logprobs.top_logprobs) ? logprobs.top_logprobs : []
  const named = (one: Json) =>
    Object.entries(one ?? {}).map(([token, log]) => [numberOf(token), logOf(log)] as const)
  const tokens: number[] = logprobs.tokens.map((token: unknown) => numberOf(String(token)))
  const steps = tops.map((one, t) => stepOf(named(one), withoutDrawn(tokens[t]!, top)))
  return {
    tokens,
    logprobs: (logprobs.token_logprobs ?? []).map(logOf),
    ...(steps.length === tokens.length && steps.every(({ ids }) => ids.length > 0) && { steps }),
  }
}

const areIds = (value: unknown): value is number[] => Array.isArray(value) && value.every(Number.isInteger)

function completionOf(choice: Json, promptIds: unknown, top: number): Completion {
  const text = textOf(choice)
  const found = probabilitiesOf(choice?.logprobs, top)
  const ids = choice?.token_ids
  if (text === undefined && !areIds(ids))
    throw new ServerFailure('malformed answer: a choice has neither `text` nor `message.content`')
  const words = text ?? ''
  const tokens = areIds(ids) ? ids : (found?.tokens ?? (words.match(/\S+/g) ?? []).map(numberOf))
  // ids of the answer and names of its probabilities must speak of the same tokens
  const agrees = found !== undefined && found.tokens.length === tokens.length
  const byId = !areIds(ids) || found === undefined || found.tokens.every((token, t) => token === ids[t])
  const steps = agrees ? found.steps : undefined
  return {
    text: words,
    tokens: steps !== undefined && !byId ? found!.tokens : tokens,
    idsFrom: areIds(ids) && (byId || steps === undefined) ? 'ids' : found ? 'logprobs' : 'text',
    ids: areIds(ids) ? ids : undefined,
    promptIds: areIds(promptIds) ? promptIds : undefined,
    steps,
    logprobs:
      agrees && found.logprobs.every((log) => Number.isFinite(log) && log <= LARGEST_LOG)
        ? found.logprobs
        : undefined,
    finish: String(choice.finish_reason ?? ''),
  }
}

/** Returns the texts of an answer to a request for the `top` most probable tokens; a ServerFailure where it is not one. */
export function completionsOf(json: Json, top: number): Completion[] {
  if (!Array.isArray(json?.choices) || json.choices.length === 0)
    throw new ServerFailure('malformed answer: expected a list `choices`, found none')
  try {
    return json.choices.map((choice: Json) =>
      completionOf(choice, choice?.prompt_token_ids ?? json.prompt_token_ids, top),
    )
  } catch (error) {
    if (error instanceof TypeError) throw new ServerFailure('malformed answer: a choice of another shape')
    throw error
  }
}
