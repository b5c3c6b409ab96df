/** Models with a name of our own, besides folders and hub ids. They are folders like any other once they are there. */
import { embeddedFolder } from './embedded-folder.ts'
import { type FetchedModel, fetchModel } from './fetched-model.ts'
import { MINILM_LAYER, minilm } from './minilm.ts'
import type { EncoderOptions, LoadOptions } from './onnx/options.ts'
import { stories15m } from './stories15m.ts'

interface NamedModel {
  readonly kind: 'decoder' | 'encoder'
  /** Its folder, fetched first if need be. */
  folder(options: LoadOptions): Promise<string> | string
  /** Where it is fetched from, unless it ships with the package. */
  readonly fetched?: FetchedModel
  /** Defaults, which the caller may override. */
  readonly options: EncoderOptions
}

const fetched = (
  kind: NamedModel['kind'],
  model: FetchedModel,
  options: EncoderOptions,
): [string, NamedModel] => [
  model.name,
  {
    kind,
    folder: (load) => fetchModel(model, load),
    fetched: model,
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
  fetched('encoder', minilm, { dtype: 'q8', layer: MINILM_LAYER }),
])
