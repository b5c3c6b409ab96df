/** Watermarks by id, or from a user's own module. */
import { isMethod } from '../method/define-method.ts'
import type { Watermark } from '../watermark.ts'
import { type AnyWatermark, parseWatermark } from '../watermarks/index.ts'
import { UsageError } from './command.ts'
import { importModule } from './modules.ts'

const isWatermark = (value: unknown): value is Watermark =>
  typeof value === 'object' && value !== null && 'id' in value && 'draw' in value && 'context' in value

/** Ids have neither dots nor slashes outside their parentheses. */
export const isModule = (name: string): boolean => /[./\\]/.test(name.replace(/\(.*\)/s, ''))

/** A shipped watermark; an error about a parameter says whose it is. */
function shipped(id: string): AnyWatermark {
  try {
    return parseWatermark(id)
  } catch (error) {
    const { message } = error as Error
    const name = id.split('(')[0]!
    if (message.startsWith('watermark') || message.startsWith(name)) throw error
    throw new UsageError(`${name}: ${message}`)
  }
}

export interface Found {
  readonly watermarks: readonly AnyWatermark[]
  /** The module they come from. */
  readonly module?: string
}

/** The watermarks that a name stands for: an id, or a module with all it exports. */
export async function watermarksOf(name: string): Promise<Found> {
  if (!isModule(name)) return { watermarks: [shipped(name)] }
  const { url, exports } = await importModule(name)
  const found = Object.values(exports).flatMap((value) =>
    isMethod(value) ? value.shipped.map((options) => value(options)) : isWatermark(value) ? [value] : [],
  )
  const watermarks = [...new Map(found.map((one) => [one.id, one])).values()]
  if (watermarks.length === 0)
    throw new UsageError(
      `${name}: exports no watermark; export what defineWatermark or defineMethod returns (found: ${Object.keys(exports).join(', ') || 'nothing'})`,
    )
  return { watermarks, module: url }
}

/** One watermark: an id, a module that exports one, or `MODULE#ID`. */
export async function watermarkOf(name: string): Promise<AnyWatermark> {
  const [, file = name, id] = /^(.*[./\\].*?)#(.+)$/s.exec(name) ?? []
  if (id === undefined && !isModule(name)) return shipped(name)
  const { watermarks } = await watermarksOf(file)
  const ids = watermarks.map((one) => one.id)
  if (id !== undefined) {
    const found = watermarks.find((one) => one.id === id)
    if (found === undefined)
      throw new UsageError(`${file}: exports no watermark '${id}', but ${ids.join(', ')}`)
    return found
  }
  if (watermarks.length > 1)
    throw new UsageError(`${name}: exports several watermarks; choose one, such as '${name}#${ids[0]}'`)
  return watermarks[0]!
}
