/** Token ids in a file: a sidecar of `uwbench generate`, a JSON list, or numbers separated by spaces or commas. */
import { MAX_VOCAB, type Tokens } from '../../core/keys/index.ts'
import { show } from '../../input.ts'
import { type AnyWatermark, parseWatermark } from '../../watermarks/index.ts'
import { UsageError } from './command.ts'

/** Token ids, with the facts that a sidecar adds. */
export interface Ids {
  readonly tokens: number[]
  readonly vocabSize?: number | undefined
  /** The id of the watermark, as written in the file. */
  readonly watermark?: string | undefined
  readonly model?: string | undefined
  /** The token ids before the text. */
  readonly prompt?: Tokens | undefined
}

/** Reads token ids; every error names the file. */
export function readIds(path: string, content: string): Ids {
  const where = path === '-' ? 'standard input' : path
  const text = content.trim()
  if (!/^[[{]/.test(text)) return { tokens: numbers(where, text, /[\s,]+/) }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${where}: not JSON: ${(error as Error).message}`)
  }
  if (Array.isArray(json)) return { tokens: tokensOf(where, 'entry', json) }
  return sidecar(where, json as Record<string, unknown>)
}

/** Shows a value of the file. Lists and objects are only named, since they may be nested too deeply to print. */
const shown = (value: unknown): string =>
  Array.isArray(value) ? 'a list' : typeof value === 'object' && value !== null ? 'an object' : show(value)

/** The largest token id: kernels count in 32 bits. */
const MAX_TOKEN = 2 ** 31 - 1

const isToken = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TOKEN

function tokensOf(where: string, what: string, list: readonly unknown[]): number[] {
  const wrong = list.findIndex((token) => !isToken(token))
  if (wrong >= 0)
    throw new UsageError(`${where}: ${what} ${wrong}: expected a token id, got ${shown(list[wrong])}`)
  return list as number[]
}

/** Returns the token ids of a record's prompt, as engines write them; undefined where it has none. */
export function promptIds(where: string, record: Readonly<Record<string, unknown>>): Tokens | undefined {
  const name = ['prompt_token_ids', 'prompt'].find(
    (field) => typeof record[field] === 'object' && record[field],
  )
  const ids = name === undefined ? undefined : Array.from(record[name] as ArrayLike<unknown>, Number)
  return ids && tokensOf(where, name!, ids)
}

function sidecar(where: string, json: Record<string, unknown>): Ids {
  const { tokens, vocabSize, watermark, model } = json
  const expect = (ok: boolean, name: string, expected: string) => {
    if (!ok) throw new UsageError(`${where}: ${name}: expected ${expected}, got ${shown(json[name])}`)
  }
  if (!Array.isArray(tokens)) throw new UsageError(`${where}: the JSON has no list \`tokens\``)
  const isSize = isToken(vocabSize) && vocabSize > 0 && vocabSize <= MAX_VOCAB
  expect(vocabSize === undefined || isSize, 'vocabSize', `an integer in [1, ${MAX_VOCAB}]`)
  expect(watermark == null || typeof watermark === 'string', 'watermark', 'the id of a watermark, or null')
  expect(model === undefined || typeof model === 'string', 'model', 'the name of a model')
  return {
    tokens: tokensOf(where, 'tokens', tokens),
    vocabSize: vocabSize as number | undefined,
    watermark: (watermark ?? undefined) as string | undefined,
    model: model as string | undefined,
    prompt: promptIds(where, json),
  }
}

/** Returns the shipped watermark that a file names. */
export function watermarkNamed(where: string, id: string): AnyWatermark {
  try {
    return parseWatermark(id)
  } catch (error) {
    throw new UsageError(`${where}: ${(error as Error).message}`)
  }
}

/** Reads token ids with separators between them. */
export function numbers(where: string, text: string, separator: RegExp): number[] {
  return text
    .split(separator)
    .filter(Boolean)
    .map((part) => {
      if (!/^\d+$/.test(part) || !isToken(Number(part)))
        throw new UsageError(`${where}: expected token ids, got ${show(part)}`)
      return Number(part)
    })
}
