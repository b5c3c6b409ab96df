/** A language model in a browser: the graph and the decode loop of `uwbench/models`, on onnxruntime-web. */
import type { LanguageModel, Tokenizer } from '../../../text/decode/language-model.ts'
import { appendOnlyGraph } from '../../../text/models/onnx/append-only-graph.ts'
import { causalModel } from '../../../text/models/onnx/causal.ts'
import { type Config as GraphConfig, readGraph } from '../../../text/models/onnx/graph.ts'
import { json, unpacked } from './kept-files.ts'
import type { Address, ModelInfo } from './protocol.ts'
import type { Runtime } from './web-runtime.ts'

interface Config extends GraphConfig {
  readonly max_position_embeddings: number
  readonly bos_token_id: number
  readonly eos_token_id: number
}

/** The library inside `@huggingface/transformers`. */
type Tokenizers = typeof import('@huggingface/tokenizers')

interface TokenizerConfig {
  readonly add_bos_token?: boolean
  readonly bos_token?: string
}

/** Wraps a tokenizer in the hub's layout. */
function webTokenizer(inner: InstanceType<Tokenizers['Tokenizer']>, config: TokenizerConfig): Tokenizer {
  const ids = (text: string, special: boolean): number[] =>
    inner.encode(text, { add_special_tokens: special }).ids
  const begin = config.add_bos_token && config.bos_token ? inner.token_to_id(config.bos_token) : undefined
  const missing = begin === undefined || ids('a', true)[0] === begin ? [] : [begin]
  return {
    encode: (text) => (text === '' ? [] : ids(text, false)),
    encodePrompt: (text) => [...missing, ...ids(text, true)],
    decode: (tokens) =>
      tokens.length === 0
        ? ''
        : inner.decode(Array.from(tokens), {
            skip_special_tokens: true,
            clean_up_tokenization_spaces: false,
          }),
  }
}

export async function webModel(
  runtime: Runtime,
  { name, folder }: ModelInfo,
  at: Address,
  onProgress: (bytes: number) => void,
): Promise<LanguageModel> {
  const inFolder = (file: string): string => at(`${folder}/${file}`)
  const [config, tokenizerJson, tokenizerConfig, file, library] = await Promise.all([
    json<Config>(inFolder('config.json')),
    json<object>(inFolder('tokenizer.json')),
    json<TokenizerConfig>(inFolder('tokenizer_config.json')),
    unpacked(inFolder('model.onnx.gz'), onProgress),
    import(/* @vite-ignore */ at('vendor/tokenizers.mjs')) as Promise<Tokenizers>,
  ])
  const session = await runtime.open(appendOnlyGraph(file))
  return causalModel({
    id: name,
    ort: runtime.ort,
    graph: readGraph(name, session, config),
    appendOnly: true,
    tokenizer: webTokenizer(new library.Tokenizer(tokenizerJson, tokenizerConfig), tokenizerConfig),
    endTokens: [config.eos_token_id],
    beginToken: config.bos_token_id,
    maxLength: config.max_position_embeddings,
    digest: () => Promise.reject(new Error('not computed in a browser')),
  })
}
