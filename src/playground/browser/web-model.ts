/** A language model in a browser: the graph and the decode loop of `uwbench/models`, on onnxruntime-web. */
import type { LanguageModel } from '../../models/language-model.ts'
import { appendOnlyGraph } from '../../models/onnx/append-only-graph.ts'
import { causalModel } from '../../models/onnx/causal.ts'
import { readGraph } from '../../models/onnx/graph.ts'
import { json, unpacked } from './kept-files.ts'
import type { Address, ModelInfo } from './protocol.ts'
import type { Runtime } from './web-runtime.ts'
import { type TokenizerConfig, webTokenizer } from './web-tokenizer.ts'

interface Config {
  readonly vocab_size: number
  readonly num_attention_heads: number
  readonly num_key_value_heads: number
  readonly hidden_size: number
  readonly head_dim: number
  readonly max_position_embeddings: number
  readonly bos_token_id: number
  readonly eos_token_id: number
}

type Tokenizers = typeof import('@huggingface/tokenizers')

export async function webModel(
  runtime: Runtime,
  { name, folder }: ModelInfo,
  at: Address,
  onProgress: (bytes: number) => void,
): Promise<LanguageModel> {
  const inFolder = (file: string): string => at(`${folder}/${file}`)
  const [config, tokenizerJson, tokenizerConfig, file, { Tokenizer }] = await Promise.all([
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
    tokenizer: webTokenizer(new Tokenizer(tokenizerJson, tokenizerConfig), tokenizerConfig),
    endTokens: [config.eos_token_id],
    beginToken: config.bos_token_id,
    maxLength: config.max_position_embeddings,
    digest: () => Promise.reject(new Error('not computed in a browser')),
  })
}
