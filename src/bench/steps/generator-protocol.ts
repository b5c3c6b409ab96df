/** The generator protocol (docs/generator.md): requests, what a generator says about itself, and the check of a written text. */
import { integer, outOfRange, show } from '../../input.ts'
import type { ChatMessage, Generation, LanguageModel, Tokenizer } from '../../text/models/index.ts'
import { canonical, digestOf } from '../cells/cell.ts'

/** The place where the generator finds a key. `public`: the key itself, for keys that protect nothing. */
type KeyReference = ({ readonly env: string } | { readonly file: string } | { readonly public: string }) & {
  readonly suffix?: string
}

/** One text to write. */
export interface GeneratorText {
  readonly prompt: string | readonly number[] | readonly ChatMessage[]
  /** A watermark's id; null for none. */
  readonly watermark: string | null
  readonly key?: KeyReference
  readonly seed: number | string
  readonly index: number
}

/** Settings that all texts of a call share. */
export interface GeneratorSampling {
  readonly maxNewTokens: number
  /** Default: the model's end tokens. */
  readonly stopTokens?: readonly number[]
  readonly temperature?: number
  readonly topK?: number
  readonly topP?: number
}

/** A generator's description of itself. */
export interface GeneratorInfo {
  readonly protocol: 1
  readonly model: string
  readonly backend: string
  readonly vocabSize: number
  readonly endTokens: readonly number[]
  readonly maxLength: number
  readonly chat: boolean
  readonly methods: readonly string[]
}

/** Slack for a probability that float32 rounded above 1, and for an entropy below 0. */
const SLACK = 1e-5

/** A list of finite numbers in [low, high], one per token. */
function numbersIn(name: string, value: unknown, length: number, low: number, high: number): Float64Array {
  if (!Array.isArray(value) || value.length !== length)
    throw outOfRange(name, `${length} numbers, one for each token`, value)
  const wrong = value.findIndex((x) => typeof x !== 'number' || !(x >= low && x <= high))
  if (wrong >= 0) throw outOfRange(`${name}[${wrong}]`, `a number in [${low}, ${high}]`, value[wrong])
  return Float64Array.from(value as number[])
}

function tokenIds(name: string, value: unknown, vocabSize: number): number[] {
  if (!Array.isArray(value)) throw outOfRange(name, 'a list of token ids', value)
  return value.map((id, i) => integer(`${name}[${i}]`, id, 0, vocabSize - 1))
}

/** Returns a written text, or throws what is wrong with it given its request. */
export function checkedText(
  given: unknown,
  { prompt: sent }: GeneratorText,
  { maxNewTokens, stopTokens }: GeneratorSampling,
  { vocabSize, endTokens }: GeneratorInfo,
): Generation {
  const { prompt, tokens, text, finish, logProbabilities, entropies } = Object(given) as Record<
    string,
    unknown
  >
  const seen = tokenIds('prompt', prompt, vocabSize)
  const asIds = typeof sent !== 'string' && typeof sent[0] !== 'object'
  if (asIds && seen.join() !== sent.join()) throw outOfRange('prompt', `the prompt that was sent`, seen)
  const ids = tokenIds('tokens', tokens, vocabSize)
  if (ids.length < 1 || ids.length > maxNewTokens)
    throw outOfRange('tokens', `1 to ${maxNewTokens} tokens`, `${ids.length} of them`)
  const stops = new Set(stopTokens ?? endTokens)
  const stopped = ids.findIndex((id) => stops.has(id))
  if (stopped >= 0 && stopped < ids.length - 1)
    throw outOfRange('tokens', 'a stop token only at the end', `one at position ${stopped}`)
  const expected = stopped >= 0 ? 'stop' : 'length'
  if (finish !== expected || (expected === 'length' && ids.length < maxNewTokens))
    throw outOfRange(
      'finish',
      `${expected}, after ${expected === 'stop' ? 'a stop token' : `${maxNewTokens} tokens`}`,
      `${show(finish)} after ${ids.length}`,
    )
  if (typeof text !== 'string') throw outOfRange('text', 'a string', text)
  return {
    prompt: seen,
    tokens: ids,
    text,
    finish: expected,
    logProbabilities: numbersIn('logProbabilities', logProbabilities, ids.length, -1e4, SLACK),
    entropies: numbersIn('entropies', entropies, ids.length, -SLACK, Math.log(vocabSize) + SLACK),
  }
}

/** Returns a model that runs elsewhere, for steps that need no logits. Its digest covers the generator's description of it. */
export function tokenizerAlone(id: string, tokenizer: Tokenizer, info: GeneratorInfo): LanguageModel {
  const { vocabSize, endTokens, maxLength } = info
  const elsewhere = (): never => {
    throw new Error(
      `${id}: it runs in the generator, which gives texts and no logits; leave out reports that need them`,
    )
  }
  return {
    id,
    kind: 'causal',
    tokenizer,
    vocabSize,
    endTokens,
    maxLength,
    begin: elsewhere,
    logLikelihood: elsewhere,
    digest: async () => digestOf(canonical(info)),
    dispose: async () => {},
  }
}
