/**
 * An OpenAI-style server as a model: it writes texts, with the watermark that it has or none, and gives no logits. The address names
 * the model behind `#`, and fields of every request in its query: `http://127.0.0.1:8000/v1?watermarking=false#stories15m`.
 */
import { createHash } from 'node:crypto'
import { labelSeed } from '../../../core/keys/index.ts'
import { outOfRange } from '../../../input.ts'
import type { BatchOptions, Generation, TextRequest } from '../../decode/generate.ts'
import type { LanguageModel, Prompt, Tokenizer } from '../../decode/language-model.ts'
import type { LoadedTokenizer } from '../load-tokenizer.ts'
import type { LoadOptions } from '../onnx/options.ts'
import { baseOf, type ClientOptions, modelCard, ServerFailure, send, textOf } from './client.ts'

/** Tells whether the name of a model is the address of a server. */
export const isServer = (name: unknown): name is string =>
  typeof name === 'string' && /^https?:\/\//i.test(name)

/** Milliseconds for the texts of one request. */
const TIMEOUT_MS = 600_000
const RETRIES = 6

type Fields = Readonly<Record<string, unknown>>
// biome-ignore lint/suspicious/noExplicitAny: JSON of a server, every field of which is checked before use
type Json = any

/** Reads the query of an address: `watermarking=false` is a boolean, what is not JSON a string. */
function fieldsOf(url: URL): Fields {
  const read = (value: string): unknown => {
    try {
      return JSON.parse(value)
    } catch {
      return value
    }
  }
  return Object.fromEntries([...url.searchParams].map(([name, value]) => [name, read(value)]))
}

/** The server of a model, and what is known of its tokens. */
interface Remote {
  readonly base: string
  readonly model: string
  readonly fields: Fields
  readonly client: ClientOptions
  readonly vocabSize: number | undefined
  readonly tokenizer: Tokenizer | undefined
}

const isChat = (prompt: Prompt): boolean => typeof prompt !== 'string' && typeof prompt[0] === 'object'

/** The fields of a request for one text. */
function bodyOf(
  { model, fields }: Remote,
  request: TextRequest,
  index: number,
  options: BatchOptions,
): Fields {
  const { prompt } = request
  const { maxNewTokens = 200, temperature = 1, topP = 1, topK = 0, stopTokens } = options
  if (stopTokens !== undefined && stopTokens.length > 0)
    throw outOfRange(
      'stopTokens',
      'none, or [] for texts of full length: the server decides what ends a text',
      stopTokens,
    )
  const seed = request.seed ?? options.seed
  const chat = isChat(prompt)
  return {
    model,
    ...(chat
      ? { messages: prompt }
      : { prompt: typeof prompt === 'string' ? prompt : Array.from(prompt as number[]) }),
    ...{ max_tokens: maxNewTokens, temperature, top_p: topP },
    ...(topK > 0 && { top_k: topK }),
    ...(stopTokens !== undefined && { ignore_eos: true }),
    // servers take an integer: one of 31 bits from the seed and the index of the text
    ...(seed !== undefined && { seed: labelSeed('server', seed, request.index ?? index)[0]! >>> 1 }),
    ...(chat ? { logprobs: true } : { logprobs: 0 }),
    return_token_ids: true,
    ...fields,
  }
}

const areIds = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((id) => Number.isSafeInteger(id) && id >= 0)

/** Returns the token ids of a choice, checked against what is known of the vocabulary. */
function tokensOf({ base, tokenizer, vocabSize }: Remote, text: string, choice: Json): number[] {
  const { token_ids: ids, message } = choice
  if (!areIds(ids)) {
    if (tokenizer) return tokenizer.encode(text)
    throw new ServerFailure(
      `${base}: the answer has no token_ids; give the model's tokenizer (--tokenizer DIR_OR_ID)`,
    )
  }
  const foreign = ids.find((id) => id >= (vocabSize ?? Number.POSITIVE_INFINITY))
  if (foreign !== undefined)
    throw new ServerFailure(`${base}: another tokenizer: token id ${foreign} in a vocabulary of ${vocabSize}`)
  // a text may end before its last tokens, at a stop string; where the model was thinking it also begins after its first ones
  const at = tokenizer?.decode(ids).trim().indexOf(text.trim()) ?? 0
  const isThinking = typeof (message?.reasoning_content ?? message?.reasoning) === 'string'
  if (isThinking ? at < 0 : at !== 0)
    throw new ServerFailure(`${base}: another tokenizer: the token ids of a text decode to another text`)
  return ids
}

/** Reads the one text of an answer. */
function generationOf(remote: Remote, json: Json): Generation {
  const choice = json?.choices?.[0]
  const text = textOf(choice) ?? (areIds(choice?.token_ids) ? '' : undefined)
  if (text === undefined) throw new ServerFailure(`${remote.base}: malformed answer: no choice with a text`)
  const prompt = choice.prompt_token_ids ?? json.prompt_token_ids
  const tokens = tokensOf(remote, text, choice)
  const content = choice.logprobs?.content
  const reported: unknown[] = Array.isArray(content)
    ? content.map((one) => one?.logprob)
    : (choice.logprobs?.token_logprobs ?? [])
  const known = reported.length === tokens.length && reported.every((value) => typeof value === 'number')
  return {
    prompt: areIds(prompt) ? prompt : [],
    ...{ text, tokens },
    finish: choice.finish_reason === 'length' ? 'length' : 'stop',
    logProbabilities: Float64Array.from(known ? (reported as number[]) : []),
    entropies: new Float64Array(0),
  }
}

/** Fields that some servers do not know; without them they answer less. */
const OPTIONAL = ['return_token_ids', 'logprobs'] as const

/** Asks for one text; a field that the server refuses by its name is left out from then on. */
async function ask(
  remote: Remote,
  body: Fields,
  refused: Set<string>,
  signal?: AbortSignal,
): Promise<Generation> {
  const path = body.messages === undefined ? 'completions' : 'chat/completions'
  const client = { ...remote.client, signal }
  while (true) {
    const fields = Object.entries(body).filter(([name]) => !refused.has(name))
    try {
      return generationOf(remote, await send(`${remote.base}/${path}`, Object.fromEntries(fields), client))
    } catch (error) {
      const { message } = error as Error
      const field = OPTIONAL.find((name) => name in body && !refused.has(name) && message.includes(name))
      if (field === undefined || !/status 4(00|22)/.test(message)) throw error
      refused.add(field)
    }
  }
}

/** Writes texts, `batchSize` requests at a time. */
async function write(
  remote: Remote,
  requests: readonly TextRequest[],
  options: BatchOptions,
  refused: Set<string>,
): Promise<Generation[]> {
  const bodies = requests.map((request, i) => bodyOf(remote, request, i, options))
  const done: Generation[] = new Array(bodies.length)
  let next = 0
  const lane = async (): Promise<void> => {
    for (let i = next++; i < bodies.length; i = next++) {
      done[i] = await ask(remote, bodies[i]!, refused, options.signal)
      for (const [position, token] of done[i]!.tokens.entries())
        options.onToken?.({ text: i, token, position })
    }
  }
  await Promise.all(Array.from({ length: options.batchSize ?? 16 }, lane))
  return done
}

/** Opens a server; the tokenizer is needed where answers have no token ids. */
export async function serverModel(
  address: string,
  { name }: LoadOptions,
  known: LoadedTokenizer | undefined,
): Promise<LanguageModel> {
  const base = baseOf('idOrFolder', address)
  const url = new URL(address)
  const asked = decodeURIComponent(url.hash.slice(1)) || undefined
  const client = { timeout: TIMEOUT_MS, retries: RETRIES, token: process.env.UWBENCH_API_KEY }
  const { id, vocab_size: stated, max_model_len: room } = await modelCard(base, asked, client)
  const vocabSize = known?.vocabSize ?? (Number.isSafeInteger(stated) ? (stated as number) : undefined)
  const tokenizer = known?.tokenizer
  const remote: Remote = { base, model: id as string, fields: fieldsOf(url), client, vocabSize, tokenizer }
  const refused = new Set<string>()
  const where = `${base}#${remote.model}`
  const texts = (): never => {
    throw new TypeError(
      `${where}: a server writes texts with the watermark that it has; it gives no logits for one of yours`,
    )
  }
  const unknown = (): never => {
    throw new TypeError(`${where}: the server does not say its tokenizer; give it (--tokenizer DIR_OR_ID)`)
  }
  return {
    id: name ?? remote.model,
    kind: 'causal',
    tokenizer: tokenizer ?? { encode: unknown, encodePrompt: unknown, decode: unknown },
    get vocabSize() {
      return vocabSize ?? unknown()
    },
    endTokens: [],
    maxLength: Number.isSafeInteger(room) ? (room as number) : Number.MAX_SAFE_INTEGER,
    begin: async () => texts(),
    logLikelihood: async () => texts(),
    write: (requests, options) => write(remote, requests, options, refused),
    // nothing else can be known of what is behind the address
    digest: async () =>
      createHash('sha256')
        .update(`${where} ${JSON.stringify(remote.fields)}`)
        .digest('hex'),
    dispose: async () => {},
  }
}
