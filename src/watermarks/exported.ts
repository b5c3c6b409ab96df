/** Watermarks that a user's module exports. Every command, thread and worker finds them here, so all of them find the same. */
import { type AnyMethod, isMethod } from '../core/method/index.ts'
import type { AnyWatermark } from '../watermark.ts'
import { parseWatermark } from './parse.ts'

/** The exports of a module by name. */
export type Exports = Readonly<Record<string, unknown>>

const isWatermark = (value: unknown): value is AnyWatermark =>
  typeof value === 'object' && value !== null && 'id' in value && 'draw' in value && 'context' in value

/** Returns the methods and watermarks of a module in the order of its exports; lists of them count as well. */
export const declarationsIn = (exports: Exports): (AnyMethod | AnyWatermark)[] =>
  Object.values(exports)
    .flat()
    .filter((value): value is AnyMethod | AnyWatermark => isMethod(value) || isWatermark(value))

/** Returns the watermarks of a module, each id once: of a method, the variants that it ships. */
export function watermarksIn(exports: Exports): AnyWatermark[] {
  const all = declarationsIn(exports).flatMap((one) =>
    isMethod(one) ? one.shipped.map((options): AnyWatermark => one(options)) : [one],
  )
  return [...new Map(all.map((one) => [one.id, one])).values()]
}

/** Returns the watermark of a module with this id, or the one that a method of the module makes of it: `mine(strength=0.5)`. */
export function watermarkIn(exports: Exports, id: string): AnyWatermark | undefined {
  const found = watermarksIn(exports).find((one) => one.id === id)
  if (found !== undefined) return found
  const methods = declarationsIn(exports).filter(isMethod)
  const name = id.split('(')[0]!.trim()
  return methods.some((method) => method.name === name) ? parseWatermark(id, methods) : undefined
}
