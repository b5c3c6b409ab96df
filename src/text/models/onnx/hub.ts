/** Models from the hub, downloaded and cached by `@huggingface/transformers`. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { outOfRange } from '../../../input.ts'
import { parseDevice, sessionOptions } from './device.ts'
import { digestModel } from './digest.ts'
import type { ModelFiles, PreTrainedTokenizer, RawConfig } from './files.ts'
import { once } from './once.ts'
import { openGraph } from './open-graph.ts'
import { DTYPES, type EncoderOptions, type ModelKind } from './options.ts'
import { type OrtSession, transformers } from './runtime.ts'

/** Puts the library's errors into one line, with what to do. */
function explained(id: string, cause: unknown): Error {
  const message = cause instanceof Error ? cause.message : String(cause)
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : undefined
  const code = (inner as { code?: string } | undefined)?.code ?? inner?.message
  const [line = message] = message.split('\n')
  if (/fetch failed|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|network/i.test(`${message} ${code}`))
    return new Error(
      `cannot reach the hub for '${id}' (${code ?? line}): pass a local folder, or retry with a network`,
      { cause },
    )
  if (/unauthorized|forbidden|could not locate|not found|\b40[134]\b/i.test(message))
    return new Error(`no model '${id}' on the hub, or no ONNX files or no access there (${line})`, { cause })
  return new Error(`cannot load '${id}' (${line})`, { cause })
}

const placeOf = ({ revision = 'main', cacheDir }: EncoderOptions) => ({
  revision,
  ...(cacheDir !== undefined && { cache_dir: cacheDir }),
})

/** Loads the configuration of a hub id, from the cache or the hub. */
export async function hubConfig(id: string, options: EncoderOptions): Promise<RawConfig> {
  const { AutoConfig } = await transformers()
  try {
    return (await AutoConfig.from_pretrained(id, placeOf(options))) as unknown as RawConfig
  } catch (cause) {
    throw explained(id, cause)
  }
}

export async function hubTokenizer(id: string, options: EncoderOptions): Promise<PreTrainedTokenizer> {
  const { AutoTokenizer } = await transformers()
  try {
    return await AutoTokenizer.from_pretrained(id, placeOf(options))
  } catch (cause) {
    throw explained(id, cause)
  }
}

export async function fromHub(id: string, kind: ModelKind, options: EncoderOptions): Promise<ModelFiles> {
  const { dtype = 'fp32', device, threads, revision = 'main', cacheDir } = options
  const library = await transformers()
  const config = await hubConfig(id, options)
  const seq2seq = kind === 'decoder' && config.is_encoder_decoder === true
  if (seq2seq && parseDevice(device).kind === 'webgpu')
    throw outOfRange('device', 'cpu or cuda for a sequence-to-sequence model of the hub', device)
  const tokenizer = await hubTokenizer(id, options)
  try {
    const loader = seq2seq
      ? library.AutoModelForSeq2SeqLM
      : kind === 'decoder'
        ? library.AutoModelForCausalLM
        : library.AutoModel
    const model = await loader.from_pretrained(id, {
      ...placeOf(options),
      dtype,
      device: parseDevice(device).kind as 'cpu',
      // with WebGPU the library itself leaves the cache on the device
      session_options: sessionOptions({ device, threads }),
    })
    const { sessions } = model as unknown as { sessions: Record<string, OrtSession> }
    const kept = (name: string) =>
      join(cacheDir ?? library.env.cacheDir ?? '', id, revision === 'main' ? '' : revision, name)
    if ((options.appendOnly || options.layer !== undefined) && !seq2seq) {
      await sessions.model!.release()
      sessions.model = await openGraph(kept(`onnx/model${DTYPES[dtype]}.onnx`), options)
    }
    const decoder = sessions.decoder_model_merged
    const names = seq2seq ? ['encoder_model', 'decoder_model_merged'] : ['model']
    return {
      id: options.name ?? id,
      config,
      generation: ((model as { generation_config?: RawConfig | null }).generation_config ?? {}) as RawConfig,
      tokenizer,
      sessions: seq2seq
        ? { encoder: sessions.model!, first: decoder!, next: decoder! }
        : { model: sessions.model! },
      digest: once(() => {
        const graphs = names.map((name) => kept(`onnx/${name}${DTYPES[dtype]}.onnx`))
        // without a file cache the name and revision are all there is to hash
        if (![...graphs, kept('tokenizer.json')].every(existsSync))
          return Promise.resolve(createHash('sha256').update(`${id}@${revision}:${dtype}`).digest('hex'))
        return digestModel(kept(''), graphs)
      }),
    }
  } catch (cause) {
    throw explained(id, cause)
  }
}
