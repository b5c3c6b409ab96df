/** The server under test: its address and its requests, checked, with every default filled in. */
import {
  boolean,
  integer,
  iterable,
  number,
  outOfRange,
  requireOptions,
  text,
  wrongType,
} from '../../input.ts'
import type { LanguageModel, Tokenizer } from '../../text/decode/index.ts'
import { baseOf } from '../../text/models/index.ts'
import { type AnyWatermark, requireWatermark } from '../../watermark.ts'
import { SHIPPED_PROMPTS, shippedPrompt } from './prompts.ts'

/** Fields of a request, such as `{ temperature: 0.7 }`. */
export type Fields = Readonly<Record<string, unknown>>

/** An OpenAI-style server, and how to ask it. */
export interface ServerUnderTest {
  /** The address, such as `http://127.0.0.1:8000/v1`. */
  readonly url: string
  readonly model: string
  /** Different prompts; by default openings of stories that ship with the package. */
  readonly prompts?: Iterable<string>
  /** Fields of a request that switch the watermark off. Default `{ watermarking: false }`, unless `reference` is given. */
  readonly off?: Fields
  /** Another server with the same model and no watermark. */
  readonly reference?: string
  /** Tokens in the context of the watermark's code. Default: the watermark's own, else 2: a number that is too small costs power, one that is too large costs validity. */
  readonly context?: number
  /** The watermark with its codes, for detection. */
  readonly watermark?: AnyWatermark
  readonly key?: string | Uint8Array
  /** The width of the model's logits, for detection. Default: as the server lists it, where it does. */
  readonly vocabSize?: number
  /** Requests to spend. Default 2000. */
  readonly requests?: number
  /** Minutes after which nothing new is asked for. Default: no limit. */
  readonly minutes?: number
  /** Requests side by side. Default 16. */
  readonly concurrency?: number
  /** Tokens of one text. Default 100. */
  readonly maxTokens?: number
  /** Ways to sample, by turns. Default: temperature 1; temperature 0.7 and top-p 0.9; top-k 20. Those that the server refuses are left out. */
  readonly sampling?: readonly Fields[]
  /** Ask `/chat/completions`. Default: `/completions`. */
  readonly chat?: boolean
  /** A bearer token. */
  readonly token?: string
  /** Turns texts into token ids where the server gives none. */
  readonly tokenizer?: Pick<Tokenizer, 'encode'>
  /** A model that scores texts by their likelihood, over the server's token ids. */
  readonly scorer?: Pick<LanguageModel, 'logLikelihood'>
  /** A file (JSON Lines) for all answers. If it exists, answers in it are not asked for again. */
  readonly out?: string
}

const KNOWN: readonly (keyof ServerUnderTest)[] = [
  'url',
  'model',
  'prompts',
  'off',
  'reference',
  'context',
  'watermark',
  'key',
  'vocabSize',
  'requests',
  'minutes',
  'concurrency',
  'maxTokens',
  'sampling',
  'chat',
  'token',
  'tokenizer',
  'scorer',
  'out',
]

/** Different temperatures and cutoffs show in which order server and mark apply them. */
const SAMPLING: readonly Fields[] = [
  { temperature: 1 },
  { temperature: 0.7, top_p: 0.9 },
  { temperature: 1, top_k: 20 },
]

/** Fewest requests that are worth sending. */
const FEWEST = 16

export type Asked = ReturnType<typeof askedOf>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Checks the description of a server and fills in defaults. */
export function askedOf(server: ServerUnderTest) {
  requireOptions('checkServer', server, KNOWN)
  const { watermark, key, vocabSize, off, reference, sampling = SAMPLING, prompts } = server
  if (off !== undefined && !isFields(off))
    throw wrongType('off', 'fields of a request such as { watermarking: false }', off)
  if (off !== undefined && reference !== undefined)
    throw outOfRange('reference', 'only one of `off` and `reference`', reference)
  if (!Array.isArray(sampling) || sampling.length === 0 || !sampling.every(isFields))
    throw wrongType('sampling', 'a list of fields such as [{ temperature: 1 }]', sampling)
  if (watermark !== undefined) requireWatermark(watermark)
  if (key !== undefined && watermark === undefined)
    throw wrongType('watermark', 'one to go with `key`, for detection', watermark)
  if (vocabSize !== undefined) integer('vocabSize', vocabSize, 1)
  const own =
    prompts === undefined
      ? undefined
      : [...new Set(iterable<string>('prompts', prompts, 'a list of prompts'))]
  for (const [i, prompt] of (own ?? []).entries()) text(`prompts[${i}]`, prompt)
  if (own?.length === 0) throw outOfRange('prompts', 'at least one prompt', prompts)
  const base = baseOf('url', text('url', server.url))
  const path = boolean('chat', server.chat ?? false) ? '/chat/completions' : '/completions'
  return {
    ...server,
    base,
    model: text('model', server.model),
    chat: server.chat ?? false,
    url: `${base}${path}`,
    plainUrl:
      reference === undefined
        ? `${base}${path}`
        : `${baseOf('reference', text('reference', reference))}${path}`,
    off: off ?? (reference === undefined ? { watermarking: false } : {}),
    width: integer('context', server.context ?? watermark?.context.window ?? 2, 0, 64),
    requests: integer('requests', server.requests ?? 2000, FEWEST, 10_000_000),
    concurrency: integer('concurrency', server.concurrency ?? 16, 1, 4096),
    maxTokens: integer('maxTokens', server.maxTokens ?? 100, 1, 1_000_000),
    minutes: number('minutes', server.minutes ?? 1e6, 0, 1e6),
    sampling: sampling as readonly Fields[],
    prompt: (i: number): string => (own ? own[i % own.length]! : shippedPrompt(i % SHIPPED_PROMPTS)),
    prompts: own?.length ?? SHIPPED_PROMPTS,
  }
}
