/** Models from a local folder in the hub's layout. */
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keepsCache } from './device.ts'
import { digestModel } from './digest.ts'
import type { ModelFiles, PreTrainedTokenizer, RawConfig } from './files.ts'
import { once } from './once.ts'
import { outputWidth } from './onnx-file.ts'
import { openGraph } from './open-graph.ts'
import { DTYPES, type EncoderOptions, type ModelKind } from './options.ts'
import { type OrtSession, transformers } from './runtime.ts'

export async function readJson(path: string): Promise<RawConfig> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw new SyntaxError(`${path} is not valid JSON`, { cause })
  }
}

/** Loads the tokenizer of a folder; the error names its file. */
export async function folderTokenizer(folder: string): Promise<PreTrainedTokenizer> {
  const { AutoTokenizer } = await transformers()
  try {
    return await AutoTokenizer.from_pretrained(folder, { local_files_only: true })
  } catch (cause) {
    const [reason] = String(cause instanceof Error ? cause.message : cause).split('\n')
    throw new RangeError(`${join(folder, 'tokenizer.json')}: expected a tokenizer (${reason})`, { cause })
  }
}

function graphsIn(folder: string): string {
  const list = (place: string) => (existsSync(join(folder, place)) ? readdirSync(join(folder, place)) : [])
  const found = [...list('.'), ...list('onnx').map((name) => `onnx/${name}`)].filter((name) =>
    name.endsWith('.onnx'),
  )
  return found.length === 0 ? 'no .onnx file at all' : found.join(', ')
}

/** Returns the path of a graph: in onnx/, or at the top level as some exporters write it. */
function graphPath(folder: string, name: string, dtype: keyof typeof DTYPES): string | undefined {
  const file = `${name}${DTYPES[dtype]}.onnx`
  return [join(folder, 'onnx', file), join(folder, file)].find(existsSync)
}

/** Finds the graphs to load, by the names they get. A decoder may be merged, or split into its first and later steps. */
function layout(
  folder: string,
  config: RawConfig,
  kind: ModelKind,
  dtype: keyof typeof DTYPES,
): Map<string, string> {
  const seq2seq = kind === 'decoder' && config.is_encoder_decoder === true
  const merged = graphPath(folder, 'decoder_model_merged', dtype) !== undefined
  const names: Record<string, string> = !seq2seq
    ? { model: merged && kind === 'decoder' ? 'decoder_model_merged' : 'model' }
    : merged
      ? { encoder: 'encoder_model', first: 'decoder_model_merged' }
      : { encoder: 'encoder_model', first: 'decoder_model', next: 'decoder_with_past_model' }
  const paths = new Map<string, string>()
  for (const [name, graph] of Object.entries(names)) {
    const path = graphPath(folder, graph, dtype)
    if (path === undefined)
      throw new Error(
        `${folder}: expected onnx/${graph}${DTYPES[dtype]}.onnx (dtype '${dtype}'), found ${graphsIn(folder)}`,
      )
    paths.set(name, path)
  }
  return paths
}

/** Returns the width of the logits as the graph of a decoder in the folder states it, if there is one: where models take theirs from. */
export async function logitsWidth(folder: string): Promise<number | undefined> {
  for (const name of ['decoder_model_merged', 'decoder_model', 'model']) {
    for (const dtype of Object.keys(DTYPES) as (keyof typeof DTYPES)[]) {
      const path = graphPath(folder, name, dtype)
      if (path !== undefined) return outputWidth(await readFile(path), 'logits')
    }
  }
  return undefined
}

/** Reads the configuration of a model folder and finds its graphs, without opening them; refuses a folder that lacks a file. */
export async function readFolder(
  folder: string,
  kind: ModelKind,
  { dtype = 'fp32' }: EncoderOptions,
): Promise<{ readonly config: RawConfig; readonly graphs: ReadonlyMap<string, string> }> {
  for (const name of ['config.json', 'tokenizer.json'])
    if (!existsSync(join(folder, name)))
      throw new Error(`${folder}: expected a model folder, found no ${name} in it`)
  const config = await readJson(join(folder, 'config.json'))
  return { config, graphs: layout(folder, config, kind, dtype) }
}

/** Returns the digest of a model in a folder, without opening its graphs. */
export const folderDigest = async (
  folder: string,
  kind: ModelKind,
  options: EncoderOptions,
): Promise<string> => digestModel(folder, [...(await readFolder(folder, kind, options)).graphs.values()])

export async function fromFolder(
  folder: string,
  kind: ModelKind,
  options: EncoderOptions,
): Promise<ModelFiles> {
  const { config, graphs } = await readFolder(folder, kind, options)
  const settings = join(folder, 'generation_config.json')
  const generation = existsSync(settings) ? await readJson(settings) : {}
  const tokenizer = await folderTokenizer(folder)
  const isCausal = kind === 'decoder' && !graphs.has('encoder')
  const sessions: Record<string, OrtSession> = {}
  for (const [name, path] of graphs)
    sessions[name] = await openGraph(path, options, keepsCache(options) && isCausal)
  if (sessions.first) sessions.next ??= sessions.first
  return {
    id: options.name ?? folder.split(/[\\/]/).filter(Boolean).at(-1) ?? folder,
    config,
    generation,
    tokenizer,
    sessions,
    digest: once(() => digestModel(folder, [...graphs.values()])),
  }
}
