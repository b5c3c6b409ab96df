/** Inputs and outputs of a decoder's graph, read from the graph itself rather than assumed from the kind of model. */
import { outOfRange } from '../../../input.ts'
import type { OrtSession } from './runtime.ts'
import type { FloatType } from './tensor.ts'

/** One tensor of the key-value cache, `[rows, heads, length, size]`. */
export interface Slot {
  readonly input: string
  readonly output: string
  readonly heads: number
  readonly size: number
  readonly type: FloatType
}

export interface Graph {
  readonly session: OrtSession
  /** Names of the inputs, optional ones included. */
  readonly inputs: ReadonlySet<string>
  readonly slots: readonly Slot[]
  /** Width of the logits. */
  readonly vocabSize: number
  readonly logitsType: FloatType
}

/** Sizes in config.json that a graph may leave open. */
export interface Config {
  readonly vocab_size?: number
  readonly num_attention_heads?: number
  readonly num_key_value_heads?: number
  readonly hidden_size?: number
  readonly head_dim?: number
}

type Metadata = OrtSession['inputMetadata'][number]

function dimension(metadata: Metadata, at: number, fallback: number | undefined): number {
  const found = metadata.isTensor ? metadata.shape.at(at) : undefined
  if (typeof found === 'number') return found
  if (fallback !== undefined) return fallback
  throw outOfRange(`the graph's ${metadata.name}`, 'a known size', found)
}

/** Returns the width of the hidden states that a graph outputs; undefined where it outputs none or leaves the width open. */
export function hiddenWidth({ outputMetadata }: OrtSession): number | undefined {
  const output = outputMetadata.find(({ name }) => name === 'last_hidden_state')
  const width = output?.isTensor ? output.shape.at(-1) : undefined
  return typeof width === 'number' ? width : undefined
}

function floatType(metadata: Metadata): FloatType {
  if (metadata.isTensor && (metadata.type === 'float32' || metadata.type === 'float16')) return metadata.type
  throw outOfRange(`the graph's ${metadata.name}`, 'float32 or float16', metadata.isTensor && metadata.type)
}

const PAST = /^past_key_values\./
const KNOWN = new Set([
  'input_ids',
  'attention_mask',
  'position_ids',
  'use_cache_branch',
  'num_logits_to_keep',
  'encoder_hidden_states',
  'encoder_attention_mask',
])

/** Returns the width of the logits; config.json must agree with the graph where both state it, or watermarks would see two vocabularies. */
function widthOf(id: string, logits: Metadata, config: Config): number {
  const width = dimension(logits, -1, config.vocab_size)
  if (config.vocab_size !== undefined && config.vocab_size !== width)
    throw vocabularyMismatch(id, width, config.vocab_size)
  return width
}

/** Makes the error for a folder whose graph and config.json disagree. */
export const vocabularyMismatch = (id: string, graph: number, config: number): RangeError =>
  new RangeError(
    `${id}: the graph has ${graph} logits, but config.json says vocab_size ${config}; they must agree: correct config.json`,
  )

export function readGraph(id: string, session: OrtSession, config: Config = {}): Graph {
  const logits = session.outputMetadata.find(({ name }) => name === 'logits')
  if (logits === undefined)
    throw new RangeError(
      `${id}: expected a language model, whose graph has an output 'logits'; this one has ${session.outputNames.join(', ')}: try loadEncoder`,
    )
  const strange = session.inputNames.filter((name) => !KNOWN.has(name) && !PAST.test(name))
  if (strange.length > 0)
    throw outOfRange(
      `${id}: the graph's inputs`,
      `only ${[...KNOWN].join(', ')} and past_key_values.*`,
      strange,
    )
  const { num_attention_heads: heads, hidden_size: width } = config
  const headSize = config.head_dim ?? (heads && width ? width / heads : undefined)
  const slots = session.inputMetadata
    .filter(({ name }) => PAST.test(name))
    .map((metadata) => ({
      input: metadata.name,
      output: metadata.name.replace(PAST, 'present.'),
      heads: dimension(metadata, 1, config.num_key_value_heads ?? heads),
      size: dimension(metadata, 3, headSize),
      type: floatType(metadata),
    }))
  return {
    session,
    inputs: new Set(session.inputNames),
    slots,
    vocabSize: widthOf(id, logits, config),
    logitsType: floatType(logits),
  }
}
