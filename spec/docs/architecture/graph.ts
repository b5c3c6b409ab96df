/** The import graph of src/ as the linter sees it: rooms, and which uses which. Type imports count. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import { root } from '../../commands/program.ts'

export interface Arrow {
  readonly from: string
  readonly to: string
  /** Files of the room that is used, below src/. */
  readonly files: ReadonlySet<string>
}

export interface Graph {
  readonly rooms: ReadonlySet<string>
  readonly arrows: readonly Arrow[]
}

const require = createRequire(import.meta.url)

/** What each room may import: the table of the lint rule. */
export const allowed = require(join(root, 'scripts/rooms.cjs')) as Readonly<Record<string, readonly string[]>>

/** `src/laws/check.ts` is in `laws`, `src/watermark.ts` is a room of its own. */
const roomOf = (file: string): string => file.split(/[/.]/)[1]!

/** In everybody's reach: checks of arguments. Entries and the command line use, and are used by none. */
const apart = new Set(['input', 'index', 'cli'])

export async function readGraph(): Promise<Graph> {
  const { output } = await cruise(['src'], {
    baseDir: root,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'src/kernels/assembly' },
    includeOnly: '^src/',
    tsPreCompilationDeps: true,
  })
  const { modules } = output as ICruiseResult
  const rooms = new Set<string>()
  const arrows = new Map<string, Arrow & { files: Set<string> }>()
  for (const { source, dependencies } of modules) {
    const from = roomOf(source)
    if (apart.has(from)) continue
    rooms.add(from)
    for (const { resolved } of dependencies) {
      const to = roomOf(resolved)
      if (to === from || apart.has(to)) continue
      const arrow = arrows.get(`${from} ${to}`) ?? { from, to, files: new Set<string>() }
      arrow.files.add(resolved.replace(/^src\//, ''))
      arrows.set(`${from} ${to}`, arrow)
    }
  }
  return { rooms, arrows: [...arrows.values()] }
}

/** Rooms that can be reached from each, itself not unless through others. */
export function reachable(arrows: readonly Arrow[]): Map<string, Set<string>> {
  const direct = new Map<string, string[]>()
  for (const { from, to } of arrows) direct.set(from, [...(direct.get(from) ?? []), to])
  const walk = (room: string, seen: Set<string>): Set<string> => {
    for (const next of direct.get(room) ?? []) if (!seen.has(next)) walk(next, seen.add(next))
    return seen
  }
  return new Map([...direct.keys()].map((room) => [room, walk(room, new Set())]))
}
