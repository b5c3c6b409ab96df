/** What cells of the benchmark are made of on this machine: for workers of a queue, which refuse cells of another. */

import type { Cell, Json } from '../cell.ts'
import { cellCode } from '../cell-code.ts'
import { codeOf } from '../code.ts'
import type { Here } from '../queue/refusal.ts'
import { type ModelRef, openResources, type Resources } from '../resources.ts'
import { type Step, stepOf } from '../step.ts'
import { keyDigest } from './scan.ts'

const models = ['model', 'judge', 'encoder', 'paraphraser'] as const

interface DataPart {
  readonly name: string
  readonly limit: number
}

/** Digests of models are those of large files: each is read once. */
export function hereOf(steps: { readonly [name: string]: Step<Resources> }) {
  return (options: Json) => {
    const resources = openResources(options)
    for (const { module } of Object.values(steps)) codeOf(module) // the first cell need not wait for it
    const known = new Map<string, Promise<string>>()
    const digestOfModel = (ref: ModelRef, kind: 'decoder' | 'encoder'): Promise<string> => {
      const name = JSON.stringify([ref, kind])
      const digest = known.get(name) ?? resources.modelDigest(ref, kind)
      known.set(name, digest)
      return digest
    }
    return async (step: string, inputs: Cell['inputs']): Promise<Here> => {
      const mine: Record<string, Json> = { ...inputs }
      for (const name of models) {
        const part = inputs[name] as unknown as (ModelRef & { readonly digest: string }) | null | undefined
        if (!part) continue
        const { digest: _, ...ref } = part
        const digest = await digestOfModel(ref, name === 'encoder' ? 'encoder' : 'decoder')
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
      const { watermark } = inputs
      const own = typeof watermark === 'string' ? await resources.watermarkCode(watermark) : undefined
      return { code: cellCode(stepOf({ steps }, step, 'this package'), own), inputs: mine }
    }
  }
}
