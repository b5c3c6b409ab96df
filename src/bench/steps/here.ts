/** The parts of the benchmark's cells on this machine: for workers of a queue, which refuse cells that differ. */

import type { Cell, Json } from '../cells/cell.ts'
import { cellCode } from '../cells/cell-code.ts'
import { isNamed, MODEL_ROLES, modelsIn } from '../cells/cell-models.ts'
import { codeOf } from '../cells/code.ts'
import type { Here } from '../cells/queue/refusal.ts'
import { type Step, stepOf } from '../cells/step.ts'
import {
  datasetNames,
  type ModelRef,
  openResources,
  type ResourceOptions,
  type Resources,
} from './resources.ts'
import { keyDigest } from './scan.ts'

interface DataPart {
  readonly name: string
  readonly limit: number
}

/** Names the first model or data of a cell that this worker's settings do not name: a job may name any path. */
function notIn(
  { models, data }: NonNullable<ResourceOptions['only']>,
  inputs: Cell['inputs'],
): string | undefined {
  const model = modelsIn(inputs).find(({ id }) => !isNamed(id) && !models.includes(id))
  if (model) return `the settings of this worker do not name the model ${model.id}; name it with --model`
  const { name } = (inputs.data ?? {}) as unknown as Partial<DataPart>
  if (name === undefined || datasetNames.includes(name) || data.includes(name)) return undefined
  return `the settings of this worker do not name the data ${name}; name the file with --data`
}

/** Returns a function that gives cells the code and digests of this machine. */
export function hereOf(steps: { readonly [name: string]: Step<Resources> }) {
  return (options: Json) => {
    const resources = openResources(options)
    for (const { module } of Object.values(steps)) codeOf(module) // the first cell need not wait for it
    const { only } = (options ?? {}) as ResourceOptions
    return async (step: string, inputs: Cell['inputs'], theirs: string): Promise<Here> => {
      const { watermark } = inputs
      let own: string | undefined
      try {
        own = typeof watermark === 'string' ? await resources.watermarkCode(watermark) : undefined
      } catch {
        return {
          code: '',
          inputs,
          refuses: `this worker has no watermark '${watermark}'; name its module with --watermark`,
        }
      }
      const code = cellCode(stepOf({ steps }, step, 'this package'), own)
      if (code !== theirs) return { code, inputs }
      const refuses = only && notIn(only, inputs)
      if (refuses !== undefined) return { code, inputs, refuses }
      const mine: Record<string, Json> = { ...inputs }
      for (const name of MODEL_ROLES) {
        const part = inputs[name] as unknown as (ModelRef & { readonly digest: string }) | null | undefined
        if (!part) continue
        const { digest: _, ...ref } = part
        const digest = await resources.modelDigest(ref, name === 'encoder' ? 'encoder' : 'decoder')
        mine[name] = { ...ref, digest } as unknown as Json
      }
      const data = inputs.data as unknown as DataPart | undefined
      if (data) {
        const { digest, examples } = await resources.data(data.name, data.limit)
        mine.data = { ...data, limit: examples.length, digest }
      }
      if (inputs.key) {
        const { key } = resources
        mine.key = { ...(inputs.key as object), digest: key === undefined ? 'none' : keyDigest(key) }
      }
      return { code, inputs: mine }
    }
  }
}
