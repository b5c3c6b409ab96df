/** Models with a name of our own, besides folders and hub ids. Once fetched, they are folders like any other. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type FetchedModel, fetchModel } from './fetched-model.ts'
import { MINILM_LAYER, minilm } from './minilm.ts'
import type { EncoderOptions, LoadOptions, ModelKind } from './onnx/options.ts'
import { stories15m } from './stories15m.ts'
import { TINYLLAMA_FILE, tinyllama } from './tinyllama.ts'

interface NamedModel {
  readonly kind: ModelKind
  /** Its folder, fetched first if need be. */
  folder(options: LoadOptions): Promise<string> | string
  /** The file in that folder that is the model, where it is not the folder. */
  readonly file?: string
  /** The source of a model that does not ship with the package. */
  readonly fetched?: FetchedModel
  /** Defaults, which the caller may override. */
  readonly options: EncoderOptions
}

/** The same from src/ and from dist/. */
const folder = fileURLToPath(new URL('../../../fixtures/models/uwbench-lm', import.meta.url))

/** Returns the folder of the model that ships with the package: see its card, `fixtures/models/uwbench-lm/README.md`. */
export function embeddedFolder(): string {
  if (!existsSync(folder)) throw new Error(`the embedded model is not in this installation: no ${folder}`)
  return folder
}

const fetched = (
  kind: ModelKind,
  model: FetchedModel,
  options: EncoderOptions,
  file?: string,
): [string, NamedModel] => [
  model.name,
  {
    kind,
    folder: (load) => fetchModel(model, load),
    fetched: model,
    ...(file === undefined ? {} : { file }),
    options: { name: model.name, ...options },
  },
]

export const namedModels: ReadonlyMap<string, NamedModel> = new Map([
  [
    'embedded',
    // one thread: a second gains little on so small a model, a second worker gains more
    {
      kind: 'decoder',
      folder: embeddedFolder,
      options: { name: 'uwbench-lm', appendOnly: true, threads: 1 },
    },
  ],
  fetched('decoder', stories15m, { appendOnly: true }),
  fetched('decoder', tinyllama, {}, TINYLLAMA_FILE),
  fetched('encoder', minilm, { dtype: 'q8', layer: MINILM_LAYER }),
])
