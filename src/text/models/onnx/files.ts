/** The settings of a model in the hub's layout, under the names that different architectures use. */
import { type Config, hiddenWidth, readGraph } from './graph.ts'
import type { OrtSession, Transformers } from './runtime.ts'

export type PreTrainedTokenizer = InstanceType<Transformers['PreTrainedTokenizer']>

/** config.json and generation_config.json. */
export interface RawConfig {
  readonly [name: string]: unknown
  readonly model_type?: string
  readonly is_encoder_decoder?: boolean
}

/** The parts of a model, from a folder or from the hub. */
export interface ModelFiles {
  readonly id: string
  readonly config: RawConfig
  readonly generation: RawConfig
  readonly tokenizer: PreTrainedTokenizer
  /** `model` for a causal model or an encoder; `encoder`, `first` and `next` for a sequence-to-sequence model. */
  readonly sessions: Readonly<Record<string, OrtSession>>
  digest(): Promise<string>
}

/** Returns the first of these settings that is a number. */
export function setting(config: RawConfig, ...names: string[]): number | undefined {
  for (const name of names) if (typeof config[name] === 'number') return config[name]
  return undefined
}

function sizes(config: RawConfig): Config {
  const heads = setting(config, 'num_attention_heads', 'n_head', 'decoder_attention_heads', 'num_heads')
  const width = setting(config, 'hidden_size', 'n_embd', 'd_model')
  const found = {
    vocab_size: setting(config, 'vocab_size'),
    num_attention_heads: heads,
    num_key_value_heads: setting(config, 'num_key_value_heads'),
    hidden_size: width,
    head_dim: setting(config, 'head_dim', 'd_kv'),
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

/** Returns the end tokens, which may be one number, a list or absent. */
export function endTokens({ config, generation }: ModelFiles): number[] {
  const found = generation.eos_token_id ?? config.eos_token_id ?? []
  return (Array.isArray(found) ? found : [found]).filter((token) => typeof token === 'number')
}

/** Returns a number that generation_config.json may override. */
export const tokenSetting = ({ config, generation }: ModelFiles, name: string): number | undefined =>
  setting(generation, name) ?? setting(config, name)

/** Returns the maximum length in tokens; unlimited if positions are relative (T5) or nothing is stated. */
export function maxLength({ config }: Pick<ModelFiles, 'config'>): number {
  const relative = config.relative_attention_num_buckets !== undefined
  const stated = setting(config, 'max_position_embeddings', 'n_positions', 'n_ctx', 'max_seq_len')
  return relative ? Number.MAX_SAFE_INTEGER : (stated ?? Number.MAX_SAFE_INTEGER)
}

/** Returns the width of an encoder's states: from its graph, or from the configuration if the graph leaves it open. */
export function stateWidth({ id, config, sessions }: ModelFiles, name: string): number {
  const { outputNames } = sessions[name]!
  const width = hiddenWidth(sessions[name]!) ?? setting(config, 'd_model', 'hidden_size', 'dim')
  if (!outputNames.includes('last_hidden_state') || width === undefined)
    throw new RangeError(
      `${id}: expected an encoder, whose graph has an output 'last_hidden_state' of known width; this one has ${outputNames.join(', ')}`,
    )
  return width
}

export const graphOf = (files: ModelFiles, name: string) =>
  readGraph(files.id, files.sessions[name]!, sizes(files.config))
