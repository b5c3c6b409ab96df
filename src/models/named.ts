/** Models with a name of our own, besides folders and hub ids. They are folders like any other once they are there. */
import { embeddedFolder } from './embedded-folder.ts'
import type { LoadOptions } from './onnx/options.ts'
import { stories15mFolder } from './stories15m.ts'

interface NamedModel {
  /** Its folder, fetched first if need be. */
  folder(options: LoadOptions): Promise<string> | string
  /** Defaults, which the caller may override. */
  readonly options: LoadOptions
}

export const namedModels: ReadonlyMap<string, NamedModel> = new Map<string, NamedModel>([
  [
    'embedded',
    // one thread: a second gains little on so small a model, a second worker gains more
    { folder: embeddedFolder, options: { name: 'uwbench-lm', appendOnly: true, threads: 1 } },
  ],
  ['stories15m', { folder: stories15mFolder, options: { name: 'stories15m', appendOnly: true } }],
])
