/** Tests a batch of texts in a thread. What models need is not imported here: without it threads start in a tenth of the time. */
import type { DetectOptions } from '../../core/detect/index.ts'
import { outcomesOf } from '../../core/detect/index.ts'
import { expectToyKeys } from '../../core/keys/index.ts'
import { type AnyWatermark, type Exports, parseWatermark, watermarkIn } from '../../watermarks/index.ts'
import { defineStep } from './step.ts'

/** Texts one after the other in shared memory. */
export interface TextBatch {
  readonly watermark: string
  /** The module that exports the watermark, unless it is a shipped one. */
  readonly module?: string
  readonly options: DetectOptions
  readonly tokens: Int32Array
  readonly lengths: Int32Array
}

const known = new Map<string, AnyWatermark>()
expectToyKeys() // the thread that started this one has warned

async function watermarkOf({ watermark: id, module }: TextBatch): Promise<AnyWatermark> {
  const name = `${module} ${id}`
  const found = known.get(name) ?? (module === undefined ? parseWatermark(id) : await exported(module, id))
  known.set(name, found)
  return found
}

async function exported(module: string, id: string): Promise<AnyWatermark> {
  const found = watermarkIn((await import(/* @vite-ignore */ module)) as Exports, id)
  if (found === undefined) throw new TypeError(`module: expected a module that exports ${id}, got ${module}`)
  return found
}

export const steps = {
  batch: defineStep<TextBatch, [], Float64Array, undefined>({
    module: import.meta.url,
    run: async (batch) => outcomesOf(await watermarkOf(batch), batch.tokens, batch.lengths, batch.options),
  }),
}
