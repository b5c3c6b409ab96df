/** The models, data and watermarks that all cells of one worker share, each opened once. */

import { outOfRange } from '../../input.ts'
import {
  c4,
  cnnDailyMail,
  type DatasetDeclaration,
  dolly,
  type Example,
  embeddedDataset,
  isEmbeddedDataset,
  isPromptFile,
  mmw,
  promptFile,
  type Reading,
  readBrown,
  readDataset,
  waterBench,
  wmt16,
} from '../../text/datasets/index.ts'
import {
  type Encoder,
  embeddedModel,
  type LanguageModel,
  type LoadOptions,
  loadEncoder,
  loadModel,
  loadTokenizer,
  markovModel,
  modelDigest,
  namedModels,
} from '../../text/models/index.ts'
import { type AnyWatermark, type Exports, parseWatermark, watermarkIn } from '../../watermarks/index.ts'
import type { Cell, Json } from '../cells/cell.ts'
import { shippedCode } from '../cells/cell-code.ts'
import { isNamed, kindOfDevice, modelsIn } from '../cells/cell-models.ts'
import { codeOf } from '../cells/code.ts'
import { Generator } from './generator.ts'
import { type GeneratorInfo, tokenizerAlone } from './generator-protocol.ts'

/** A model by name: `embedded`, `toy` (a Markov chain, for tests), a local folder or a hub id. */
export interface ModelRef
  extends Pick<
    LoadOptions,
    'dtype' | 'device' | 'revision' | 'sourceLanguage' | 'targetLanguage' | 'truncateSources'
  > {
  readonly id: string
  /** Wrap prompts in the model's chat template. */
  readonly chat?: boolean
  /** True where texts come from the generator of the run: only the tokenizer of the model is here. */
  readonly generator?: boolean
  /**
   * Left out where it cannot be fetched: the hidden states of the embedded model take the place of an encoder, and a study goes on
   * with its other models.
   */
  readonly optional?: boolean
}

/** The paper's datasets and the embedded ones, by the names that declarations use. */
const named: Record<string, () => DatasetDeclaration> = {
  c4: () => c4(),
  'mmw-book-reports': () => mmw('book-report'),
  'mmw-stories': () => mmw('story'),
  'mmw-fake-news': () => mmw('fake-news'),
  'dolly-cw': () => dolly(),
  'waterbench-2-1': () => waterBench('2-1'),
  'waterbench-2-2': () => waterBench('2-2'),
  'cnn-dailymail': () => cnnDailyMail(),
  'wmt16-ro-en': () => wmt16(),
}

/** Names that declarations use for data. */
export const datasetNames: readonly string[] = [
  'continuation',
  'translation',
  'stories',
  'instructions',
  'brown',
  'toy',
  ...Object.keys(named),
]

/** The sources of models, data and watermarks. */
export interface ResourceOptions {
  /** Paths of datasets that do not ship with the package, by name; otherwise the hub's cache is searched. */
  readonly data?: { readonly [name: string]: string }
  /** URLs of modules that export your own watermarks; shipped ones are found by their id. */
  readonly modules?: readonly string[]
  /** Threads of one model session; the embedded model has one by default. */
  readonly threads?: number
  /** The device, of several, for models that run on a device of its kind: `cuda:1`. */
  readonly device?: string
  /** The models and files of data that jobs of a queue may name, besides those with a name of our own; without it, any. */
  readonly only?: { readonly models: readonly string[]; readonly data: readonly string[] }
  /** The secret key of detection, in base64; for workers that test the texts of others. */
  readonly key?: string
  /** The program that writes the texts of models with `generator`. */
  readonly generator?: { readonly command: readonly string[]; readonly info: GeneratorInfo }
}

/** Numbers as prompts, for the toy model. */
const toyExamples = (limit: number): Example[] =>
  Array.from({ length: limit }, (_, i) => ({
    id: `toy-${i}`,
    prompt: `${i % 60} ${(7 * i) % 60} ${(13 * i + 5) % 60}`,
    reference: Array.from({ length: 24 }, (_, j) => (11 * i + 17 * j) % 60).join(' '),
  }))

/** Models whose own hidden states serve as an encoder. */
const hasHiddenStates = ({ id }: ModelRef): boolean => id === 'embedded' || id === 'toy'

export class Resources {
  readonly #options: ResourceOptions
  readonly #models = new Map<string, Promise<LanguageModel>>()
  readonly #encoders = new Map<string, Promise<Encoder & { dispose(): Promise<void> }>>()
  readonly #digests = new Map<string, Promise<string>>()
  readonly #data = new Map<string, Promise<Reading>>()
  readonly #watermarks = new Map<string, Promise<Found>>()
  readonly #generators = new Map<string, Promise<Generator>>()

  constructor(options: ResourceOptions = {}) {
    this.#options = options
  }

  /** Returns the secret key of detection, where this worker was given one. */
  get key(): Uint8Array | undefined {
    const { key } = this.#options
    return key === undefined ? undefined : Buffer.from(key, 'base64')
  }

  model(ref: ModelRef): Promise<LanguageModel> {
    return once(this.#models, JSON.stringify(ref), () => {
      if (ref.generator) return this.#tokenizerAlone(ref)
      if (ref.id === 'embedded') return embeddedModel({ threads: this.#options.threads ?? 1 })
      if (ref.id === 'toy') return Promise.resolve(markovModel({ vocabSize: 64, order: 2, entropy: 1.5 }))
      const { id, chat: _, optional: __, ...options } = ref
      // small models gain little from a second thread: a second worker gains more
      const threads = this.#options.threads ?? (namedModels.has(id) ? 1 : undefined)
      return loadModel(id, { ...options, ...this.#place(ref), ...(threads ? { threads } : {}) })
    })
  }

  /** Returns a generated model as the steps after generation see it: its tokenizer and what the generator says about it. */
  async #tokenizerAlone({ id }: ModelRef): Promise<LanguageModel> {
    const { tokenizer } = id === 'toy' ? await this.model({ id }) : await loadTokenizer(id)
    return tokenizerAlone(id, tokenizer, this.#options.generator!.info)
  }

  /** Returns the generator of the run, started at first use. */
  generator(): Promise<Generator> {
    const { command } = this.#options.generator!
    return once(this.#generators, command.join('\n'), () => Generator.shared(command))
  }

  /** Returns the worker's own device for a model that is for one of its kind. */
  #place({ device }: ModelRef): { device?: string } {
    const own = this.#options.device
    return own !== undefined && device !== undefined && kindOfDevice(own) === kindOfDevice(device)
      ? { device: own }
      : {}
  }

  /**
   * Frees the models that a cell does not use: a worker has the models of one cell in memory. Those with a name of our own are small,
   * and stay.
   */
  async moveOn(inputs: Cell['inputs']): Promise<void> {
    const used = new Set(modelsIn(inputs).map((ref) => JSON.stringify(ref)))
    for (const loaded of [this.#models, this.#encoders])
      for (const [name, model] of loaded) {
        const { id } = JSON.parse(name) as ModelRef
        if (used.has(name) || isNamed(id)) continue
        loaded.delete(name)
        // one that could not be loaded has nothing to free
        await model.then((one) => one.dispose()).catch(() => {})
      }
  }

  /** Returns the digest of a model's files, which are read once; without opening it where they are in a folder. */
  modelDigest(ref: ModelRef, kind: 'decoder' | 'encoder' = 'decoder'): Promise<string> {
    return once(this.#digests, JSON.stringify([ref, kind]), async () => {
      if (ref.id === 'toy' || ref.generator) return (await this.model(ref)).digest()
      const { id, chat: _, optional: __, ...options } = ref
      return modelDigest(id, hasHiddenStates(ref) ? 'decoder' : kind, options)
    })
  }

  /** Returns what BERTScore compares texts with: an encoder of its own, or the model's hidden states. */
  async encoder(ref: ModelRef): Promise<Encoder> {
    if (hasHiddenStates(ref)) {
      const { hidden, id } = await this.model(ref)
      if (!hidden) throw new Error(`${id} gives no hidden states, which BERTScore needs`)
      return hidden
    }
    const { id, chat: _, optional: __, ...options } = ref
    return once(this.#encoders, JSON.stringify(ref), () =>
      loadEncoder(id, { ...options, ...this.#place(ref), threads: this.#options.threads ?? 1 }),
    )
  }

  /** Reads the first `limit` examples of a dataset, with the digest of what was read. */
  data(name: string, limit: number): Promise<Reading> {
    return once(this.#data, `${name} ${limit}`, () => {
      if (isEmbeddedDataset(name)) return embeddedDataset(name, { limit })
      if (name === 'brown') return readBrown({ limit })
      if (name === 'toy')
        return Promise.resolve({ id: 'toy', examples: toyExamples(limit), digest: `toy ${limit}` })
      if (isPromptFile(name)) return readDataset(promptFile(name), { limit, path: name })
      const declaration = named[name]
      if (!declaration) throw outOfRange('data', `one of ${datasetNames.join(', ')}`, name)
      const path = this.#options.data?.[name]
      return readDataset(declaration(), { limit, ...(path === undefined ? {} : { path }) })
    })
  }

  /** Finds a watermark by its id: from the modules given, else a shipped one. */
  async watermark(id: string): Promise<AnyWatermark> {
    return (await this.#found(id)).watermark
  }

  /** Returns the identity of the code behind a watermark's id. */
  async watermarkCode(id: string): Promise<string> {
    const { watermark, module } = await this.#found(id)
    return module === undefined ? shippedCode(watermark) : codeOf(module)
  }

  #found(id: string): Promise<Found> {
    return once(this.#watermarks, id, async () => {
      for (const module of this.#options.modules ?? []) {
        const watermark = watermarkIn((await import(/* @vite-ignore */ module)) as Exports, id)
        if (watermark) return { watermark, module }
      }
      return { watermark: parseWatermark(id) }
    })
  }
}

/** A watermark, and the module that exports it unless it is a shipped one. */
interface Found {
  readonly watermark: AnyWatermark
  readonly module?: string
}

function once<T>(known: Map<string, Promise<T>>, name: string, make: () => Promise<T>): Promise<T> {
  const kept = known.get(name)
  if (kept) return kept
  const made = make()
  known.set(name, made)
  return made
}

/** For workers: the options travel as JSON. */
export const openResources = (options: Json): Resources => new Resources((options ?? {}) as ResourceOptions)
