/** A thread that tests batches of texts; see detect-pool.ts. */
import { parentPort } from 'node:worker_threads'
import type { DetectOptions } from '../detect/detect.ts'
import { detectMany } from '../detect/detect-many.ts'
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

/** Columns of the answer, text after text: statistic, ln p, number of scored tokens. */
export const COLUMNS = 3

export type BatchAnswer =
  | { readonly outcomes: Float64Array }
  | { readonly error: string; readonly name: string }

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

async function test({
  watermark: id,
  module,
  options,
  tokens,
  lengths,
}: TextBatch): Promise<Float64Array<ArrayBuffer>> {
  const watermark = await watermarkOf(id, module)
  const texts: Int32Array[] = []
  let at = 0
  for (const length of lengths) {
    texts.push(tokens.subarray(at, at + length))
    at += length
  }
  const outcomes = new Float64Array(COLUMNS * texts.length)
  for (const [i, { statistic, logPValue, scored }] of detectMany(watermark, texts, options).entries())
    outcomes.set([statistic, logPValue, scored], COLUMNS * i)
  return outcomes
}

parentPort?.on('message', async (batch: TextBatch) => {
  try {
    const outcomes = await test(batch)
    parentPort!.postMessage({ outcomes } satisfies BatchAnswer, [outcomes.buffer])
  } catch (error) {
    const { message, name } = error instanceof Error ? error : new Error(String(error))
    parentPort!.postMessage({ error: message, name } satisfies BatchAnswer)
  }
})
