/**
 * Text generation. Every text has its own random stream and its own embedder, made from its seed and index alone, so the rest of
 * the batch does not affect it (except through the rounding of a neural model, which may depend on the batch size).
 */
import { embedder } from '../../core/embed/index.ts'
import { scratchP, scratchQ } from '../../core/kernels/index.ts'
import { checkSeed, seededRandom } from '../../core/keys/index.ts'
import { callable, integer, iterable, refuseUnknown, requireOptions, wrongType } from '../../input.ts'
import { requireWatermark, type Watermark } from '../../watermark.ts'
import { decodeBatch, type Loop, type Text } from './decode.ts'
import type { LanguageModel, Prompt } from './language-model.ts'
import { checkedTokens, promptTokens, requireModel, tokenLimit } from './prompt.ts'
import { type Sampling, warper } from './warp.ts'

/** One text to generate. Omitted fields default to the options of the call. */
export interface TextRequest {
  readonly prompt: Prompt
  readonly watermark?: Watermark
  readonly key?: string | Uint8Array
  readonly seed?: number | string
  /**
   * Distinguishes texts with the same seed: texts with the same seed and index share their randomness. Default: the position in the list,
   * or 0 for a request with a seed of its own. Where several calls or processes share a seed, give every text its own index.
   */
  readonly index?: number
}

/** A token that was just generated. */
export interface TokenEvent {
  /** Index of the text in the result. */
  readonly text: number
  readonly token: number
  /** Position among the generated tokens, from 0. */
  readonly position: number
}

export interface BatchOptions extends Sampling {
  readonly watermark?: Watermark
  /** The secret key; needed with a watermark. */
  readonly key?: string | Uint8Array
  /** Default 200, or as many as the model has room for if that is less. */
  readonly maxNewTokens?: number
  /** Tokens that end a text; the text includes them. Default: the model's end tokens. `[]`: every text has full length. */
  readonly stopTokens?: readonly number[]
  /** The same seed gives the same texts. Default: fresh, other texts in every call. */
  readonly seed?: number | string
  /** Texts generated side by side. Default 16. */
  readonly batchSize?: number
  readonly signal?: AbortSignal
  readonly onToken?: (event: TokenEvent) => void
}

export interface GenerateOptions extends BatchOptions {
  /** Number of texts. Default 1. */
  readonly count?: number
  /** Index of the first text: `{ seed, first: 3 }` repeats the fourth text of `{ seed, count: 8 }`. Default 0. */
  readonly first?: number
}

/** A generated text. */
export interface Generation {
  /** The prompt as the model saw it. */
  readonly prompt: readonly number[]
  /** Generated tokens only; a stop token is the last one. */
  readonly tokens: number[]
  readonly text: string
  readonly finish: 'stop' | 'length'
  /** Natural log of each token's probability under the warped model, before the watermark; empty where a server does not tell. */
  readonly logProbabilities: Float64Array
  /** Entropy in nats of each position's distribution under the warped model, before the watermark; empty for a model behind a server. */
  readonly entropies: Float64Array
}

/** The most texts of one call: all of them are in memory at once. */
const MAX_TEXTS = 1_000_000

const KNOWN: readonly (keyof BatchOptions)[] = [
  'watermark',
  'key',
  'maxNewTokens',
  'stopTokens',
  'seed',
  'batchSize',
  'signal',
  'onToken',
  'temperature',
  'topK',
  'topP',
]

export const freshSeed = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

/** Prepares a text: its prompt, token limit, random stream and embedder. */
export function openText(
  model: LanguageModel,
  request: TextRequest,
  position: number,
  options: BatchOptions & { readonly seed: number | string },
): Text {
  requireOptions('request', request, ['prompt', 'watermark', 'key', 'seed', 'index'])
  const prompt = promptTokens(model, request.prompt)
  const watermark = request.watermark ?? options.watermark
  const key = request.key ?? options.key
  const seed = request.seed ?? options.seed
  checkSeed(seed)
  const index = integer('index', request.index ?? (request.seed === undefined ? position : 0), 0)
  const { vocabSize } = model
  if (watermark !== undefined) requireWatermark(watermark)
  if (watermark !== undefined && key === undefined)
    throw wrongType('key', 'a secret key for the watermark', key)
  // the warpers guarantee a distribution, so the embedder need not check it
  const own = { key: key!, vocabSize, seed: `${typeof seed}:${seed}:${index}`, check: false }
  return {
    prompt,
    seen: model.kind === 'causal' ? [...prompt] : [],
    tokens: [],
    logProbabilities: [],
    entropies: [],
    maxTokens: tokenLimit(model, prompt, options.maxNewTokens),
    stream: seededRandom(seed, 'text', index),
    mark: watermark === undefined ? undefined : embedder(watermark, own),
  }
}

function close(model: LanguageModel, text: Text): Generation {
  return {
    prompt: text.prompt,
    tokens: text.tokens,
    text: model.tokenizer.decode(text.tokens),
    finish: text.finish!,
    logProbabilities: Float64Array.from(text.logProbabilities),
    entropies: Float64Array.from(text.entropies),
  }
}

/** Lets a server write the texts, which have the watermark of the server or none. */
function writtenElsewhere(
  { id, write }: LanguageModel,
  requests: readonly TextRequest[],
  options: BatchOptions,
): Promise<Generation[]> {
  for (const { watermark } of [options, ...requests])
    if (watermark !== undefined)
      throw wrongType('watermark', `none: ${id} is behind a server, which marks its own texts`, watermark)
  integer('batchSize', options.batchSize ?? 16, 1)
  warper(options) // checks the sampling
  return write!([...requests], options)
}

/**
 * Generates many texts, each with its own prompt, key, seed or watermark, in batches with prompts of similar length.
 * @example
 * const requests = [[1], [2], [3]].map((prompt, i) => ({ prompt, key: `key ${i}`, seed: i }))
 * const texts = await generateMany(markovModel(), requests, { watermark: gumbel(), maxNewTokens: 20 })
 * texts.map(({ tokens }) => tokens.length) // [20, 20, 20]
 */
export async function generateMany(
  model: LanguageModel,
  requests: readonly TextRequest[],
  options: BatchOptions = {},
): Promise<Generation[]> {
  // the vocabulary of a server may be unknown
  if (model?.write === undefined) requireModel(model)
  const all = [...iterable<TextRequest>('requests', requests, 'a list of texts to generate')]
  refuseUnknown('generateMany', options, KNOWN)
  if (model.write !== undefined) return writtenElsewhere(model, all, options)
  const batchSize = integer('batchSize', options.batchSize ?? 16, 1)
  const seeded = { ...options, seed: options.seed ?? freshSeed() }
  const texts = all.map((request, i) => openText(model, request, i, seeded))
  const at = new Map(texts.map((text, i) => [text, i]))
  const { onToken, signal } = options
  if (onToken !== undefined) callable('onToken', onToken, 'a function ({ text, token, position }) => void')
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw wrongType('signal', 'an AbortSignal', signal)
  const loop: Loop = {
    warp: warper(options),
    // used within one step only, between two awaits, so concurrent calls may share them
    p: scratchP(model.vocabSize),
    q: scratchQ(model.vocabSize),
    stops: new Set(checkedTokens('stopTokens', options.stopTokens ?? model.endTokens, model.vocabSize)),
    signal,
    onToken:
      onToken && ((text, token) => onToken({ text: at.get(text)!, token, position: text.tokens.length - 1 })),
  }
  const longestFirst = [...texts].sort((a, b) => b.prompt.length - a.prompt.length)
  for (let i = 0; i < longestFirst.length; i += batchSize)
    await decodeBatch(model, longestFirst.slice(i, i + batchSize), loop)
  return texts.map((text) => close(model, text))
}

/**
 * Generates `count` texts from one prompt, which is read once per batch.
 * @example
 * const model = markovModel({ vocabSize: 50 })
 * const [text] = await generate(model, [1, 2], { watermark: gumbel(), key: 'a long secret key', maxNewTokens: 100, seed: 1 })
 * text.tokens.length // 100: generated tokens only
 * detect(gumbel(), text.tokens, { key: 'a long secret key', vocabSize: model.vocabSize }).detected // true
 */
export async function generate(
  model: LanguageModel,
  prompt: Prompt,
  options: GenerateOptions = {},
): Promise<Generation[]> {
  if (model?.write === undefined) requireModel(model)
  refuseUnknown('generate', options, [...KNOWN, 'count', 'first'])
  const { count = 1, first = 0, ...rest } = options
  integer('count', count, 1, MAX_TEXTS)
  integer('first', first, 0)
  const tokens = model.write === undefined ? promptTokens(model, prompt) : prompt
  const requests = Array.from({ length: count }, (_, i) => ({ prompt: tokens, index: first + i }))
  return generateMany(model, requests, rest)
}
