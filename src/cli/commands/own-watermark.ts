/** Watermarks by id, or from a user's own module. */
import { type AnyWatermark, parseWatermark, watermarkIn, watermarksIn } from '../../watermarks/index.ts'
import { UsageError } from './command.ts'
import { importModule } from './modules.ts'

/** Ids have neither dots nor slashes outside their parentheses. */
export const isModule = (name: string): boolean => /[./\\]/.test(name.replace(/\(.*\)/s, ''))

/** Returns a shipped watermark; an error about a parameter names the method. */
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
  /** The URL of the module they come from. */
  readonly module?: string
}

/** Returns the watermarks that a name stands for: an id, a module with all that it exports, or `MODULE#ID`. */
export async function watermarksOf(name: string): Promise<Found> {
  if (!isModule(name)) return { watermarks: [shipped(name)] }
  const [, file = name, id] = /^(.*[./\\].*?)#(.+)$/s.exec(name) ?? []
  const { url, exports } = await importModule(file)
  const watermarks = watermarksIn(exports)
  if (watermarks.length === 0)
    throw new UsageError(
      `${file}: exports no watermark; export what defineWatermark or defineMethod returns (found: ${Object.keys(exports).join(', ') || 'nothing'})`,
    )
  if (id === undefined) return { watermarks, module: url }
  const found = watermarkIn(exports, id)
  if (found === undefined)
    throw new UsageError(
      `${file}: exports no watermark '${id}', but ${watermarks.map((one) => one.id).join(', ')}`,
    )
  return { watermarks: [found], module: url }
}

/** Returns one watermark: an id, a module that exports one, or `MODULE#ID`. */
export async function watermarkOf(name: string): Promise<AnyWatermark> {
  return (await watermarkAndModule(name)).watermark
}

/** Returns one watermark, and the URL of the module that it comes from. */
export async function watermarkAndModule(
  name: string,
): Promise<{ watermark: AnyWatermark; module?: string }> {
  const { watermarks, ...rest } = await watermarksOf(name)
  if (watermarks.length > 1)
    throw new UsageError(
      `${name}: exports several watermarks; choose one, such as '${name}#${watermarks[0]!.id}'`,
    )
  return { watermark: watermarks[0]!, ...rest }
}
