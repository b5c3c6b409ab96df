/** A thread that tests batches of texts; see detect-pool.ts. */
import { parentPort } from 'node:worker_threads'
import type { DetectOptions } from '../detect/detect.ts'
import { outcomesOf } from '../detect/detect-many.ts'
import { expectToyKeys } from '../keys/short-key.ts'
import { isMethod } from '../method/define-method.ts'
import { type AnyWatermark, parseWatermark } from '../watermarks/index.ts'

/** Texts one after the other in shared memory. */
export interface TextBatch {
  readonly watermark: string
  /** The module that exports the watermark, unless it is a shipped one. */
  readonly module?: string
  readonly options: DetectOptions
  readonly tokens: Int32Array
  readonly lengths: Int32Array
}

export type BatchAnswer =
  /** The columns of `outcomesOf`. */
  { readonly outcomes: Float64Array } | { readonly error: string; readonly name: string }

const known = new Map<string, AnyWatermark>()
expectToyKeys() // whoever started this thread was warned

/** A watermark by its id. What models need is not imported here: threads start in a tenth of the time without. */
async function watermarkOf(id: string, module: string | undefined): Promise<AnyWatermark> {
  const name = `${module} ${id}`
  const found = known.get(name) ?? (module === undefined ? parseWatermark(id) : await exported(module, id))
  known.set(name, found)
  return found
}

async function exported(module: string, id: string): Promise<AnyWatermark> {
  const values = Object.values((await import(/* @vite-ignore */ module)) as Record<string, unknown>).flat()
  const all = values.flatMap((value) =>
    isMethod(value) ? value.shipped.map((options) => value(options)) : value,
  )
  const found = all.find((value) => (value as AnyWatermark | undefined)?.id === id)
  if (found === undefined) throw new TypeError(`module: expected a module that exports ${id}, got ${module}`)
  return found as AnyWatermark
}

parentPort?.on('message', async (batch: TextBatch) => {
  try {
    const { tokens, lengths, options } = batch
    const outcomes = outcomesOf(await watermarkOf(batch.watermark, batch.module), tokens, lengths, options)
    parentPort!.postMessage({ outcomes } satisfies BatchAnswer, [outcomes.buffer as ArrayBuffer])
  } catch (error) {
    const { message, name } = error instanceof Error ? error : new Error(String(error))
    parentPort!.postMessage({ error: message, name } satisfies BatchAnswer)
  }
})
