/** The import graph of src/ as the linter sees it: floors, their rooms, and which room uses which. Type imports count. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import { root } from '../../commands/program.ts'

/** A room as `floor/room`; files directly on a floor are the room `floor/.`, files directly in src/ a room each, such as `input`. */
export type Room = string

export interface Arrow {
  readonly from: Room
  readonly to: Room
}

export interface Graph {
  readonly rooms: ReadonlySet<Room>
  readonly arrows: readonly Arrow[]
}

const require = createRequire(import.meta.url)

/** The table of the lint rule: floors, lowest first, and for each of their rooms the rooms of the floor that it may import. */
export const { floors } = require(join(root, 'scripts/rooms.cjs')) as {
  readonly floors: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
}

/** `src/gate/laws/check.ts` is in `gate/laws`, `src/bench/entry.ts` in `bench/.`, `src/input.ts` in `input`. */
export function roomOf(file: string): Room {
  const [, first, second, ...rest] = file.split('/')
  if (second === undefined) return first!.replace(/\.ts$/, '')
  return rest.length === 0 ? `${first}/.` : `${first}/${second}`
}

/** Reads the graph. `index.ts`, the entry that gathers what others hold, is no room. */
export async function readGraph(): Promise<Graph> {
  const { output } = await cruise(['src'], {
    baseDir: root,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'src/core/kernels/assembly' },
    includeOnly: '^src/',
    tsPreCompilationDeps: true,
  })
  const { modules } = output as ICruiseResult
  const rooms = new Set<Room>()
  const arrows = new Map<string, Arrow>()
  for (const { source, dependencies } of modules) {
    const from = roomOf(source)
    if (from === 'index') continue
    rooms.add(from)
    for (const { resolved } of dependencies) {
      const to = roomOf(resolved)
      if (to !== from) arrows.set(`${from} ${to}`, { from, to })
    }
  }
  return { rooms, arrows: [...arrows.values()] }
}

/** Returns, for each room, the rooms that it reaches; itself only where it is on a cycle. */
function reachable(arrows: readonly Arrow[]): Map<Room, Set<Room>> {
  const direct = new Map<Room, Room[]>()
  for (const { from, to } of arrows) direct.set(from, [...(direct.get(from) ?? []), to])
  const walk = (room: Room, seen: Set<Room>): Set<Room> => {
    for (const next of direct.get(room) ?? []) if (!seen.has(next)) walk(next, seen.add(next))
    return seen
  }
  return new Map([...direct.keys()].map((room) => [room, walk(room, new Set())]))
}

/** Returns the rooms on cycles, each with the rooms that it shares a cycle with. */
export function cycles(arrows: readonly Arrow[]): string[] {
  const reach = reachable(arrows)
  return [...reach]
    .filter(([room, reached]) => reached.has(room))
    .map(
      ([room, reached]) => `${room}: ${[...reached].filter((other) => reach.get(other)?.has(room)).sort()}`,
    )
    .sort()
}

/** Returns the fewest arrows with the same reach: one by one, those go that a longer way implies. */
export function essential(arrows: readonly Arrow[]): Arrow[] {
  let kept = [...arrows].sort((a, b) => (`${a.from} ${a.to}` < `${b.from} ${b.to}` ? -1 : 1))
  for (const arrow of kept) {
    const others = kept.filter((other) => other !== arrow)
    if (reachable(others).get(arrow.from)?.has(arrow.to)) kept = others
  }
  return kept
}
