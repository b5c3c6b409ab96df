/** Puts names beside points: never over another name or point, with a thin line to the point where the room is further away. */
import { textWidth } from './draw.ts'

export interface Named {
  readonly x: number
  readonly y: number
  /** Half the size of the mark. */
  readonly r: number
  /** One name per line: several points may lie on one spot. */
  readonly lines: readonly string[]
}

type Box = readonly [left: number, top: number, right: number, bottom: number]

export interface Placed {
  /** The lines, and where each begins at its base line. */
  readonly lines: readonly { readonly text: string; readonly x: number; readonly y: number }[]
  /** From the edge of the mark to the text. */
  readonly leader?: readonly [number, number, number, number]
}

const apart = (a: Box, b: Box): boolean => a[2] <= b[0] || a[0] >= b[2] || a[3] <= b[1] || a[1] >= b[3]

/** Right, left, above and below first; then the directions between. */
const directions = [0, 8, 12, 4, 14, 2, 10, 6, 15, 1, 13, 3, 11, 9, 5, 7].map((i) => (i * Math.PI) / 8)
const distances = [3, 9, 16, 24, 34, 46, 60, 78, 100, 130, 165, 205, 250]

/** Turns in which names without room may choose first. */
const MAX_TURNS = 12

/** The box of a name of this size in a direction from the point. */
function boxAt({ x, y, r }: Named, wide: number, high: number, angle: number, distance: number): Box {
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  const [px, py] = [x + c * (r + distance), y + s * (r + distance)]
  const left = px - (wide / 2) * (1 - c)
  const top = py - (high / 2) * (1 - s)
  return [left, top, left + wide, top + high]
}

/** A line that does not run through marks or names. */
function clear([x1, y1, x2, y2]: readonly number[], boxes: readonly Box[]): boolean {
  return [0.15, 0.3, 0.45, 0.6, 0.75, 0.9].every((t) => {
    const [x, y] = [x1! + t * (x2! - x1!), y1! + t * (y2! - y1!)]
    return boxes.every(([left, top, right, bottom]) => x < left || x > right || y < top || y > bottom)
  })
}

interface Spot {
  readonly box: Box
  readonly far: boolean
  readonly leader: readonly [number, number, number, number]
}

/** Everywhere a name could stand, nearest first. */
const spotsOf = (p: Named, wide: number, high: number): Spot[] =>
  distances.flatMap((distance) =>
    directions.map((angle) => {
      const [c, s] = [Math.cos(angle), Math.sin(angle)]
      const end = [p.x + c * (p.r + distance), p.y + s * (p.r + distance)] as const
      const box = boxAt(p, wide, high, angle, distance)
      return { box, far: distance > 12, leader: [p.x + c * p.r, p.y + s * p.r, ...end] as const }
    }),
  )

/** A point with the box of its mark. */
interface Marked {
  readonly p: Named
  readonly mark: Box
}

/** Names in the order given, each in the best spot that is left. */
function placeInOrder(order: readonly Marked[], bounds: Box, size: number): Map<Named, Placed> {
  const inside = (box: Box) =>
    box[0] >= bounds[0] && box[1] >= bounds[1] && box[2] <= bounds[2] && box[3] <= bounds[3]
  const taken: Box[] = order.map(({ mark }) => mark)
  const placed = new Map<Named, Placed>()
  for (const { p, mark } of order) {
    const step = size + 2
    const others = taken.filter((box) => box !== mark)
    const find = (lines: readonly string[]) => {
      const wide = Math.max(...lines.map((text) => textWidth(text, size))) + 4
      const free = spotsOf(p, wide, step * lines.length).filter(
        ({ box }) => inside(box) && taken.every((other) => apart(box, other)),
      )
      const spot = free.find(({ far, leader }) => !far || clear(leader, others)) ?? free[0]
      return spot && { ...spot, lines }
    }
    const short = p.lines.length > 2 ? [p.lines[0]!, `and ${p.lines.length - 1} more`] : []
    const spot = find(p.lines) ?? (short.length > 0 ? find(short) : undefined)
    if (!spot) continue
    taken.push(spot.box)
    const [left, top] = spot.box
    placed.set(p, {
      lines: spot.lines.map((text, n) => ({ text, x: left + 2, y: top + (n + 1) * step - 0.28 * size })),
      ...(spot.far ? { leader: spot.leader } : {}),
    })
  }
  return placed
}

/** Names for all points that have room inside the bounds; those in a crowd choose first, then those that were left over. */
export function placeNames(points: readonly Named[], bounds: Box, size: number): Map<Named, Placed> {
  const near = (p: Named) => points.filter((q) => Math.hypot(p.x - q.x, p.y - q.y) < 60).length
  const marked = points.map((p, i) => ({
    p,
    i,
    near: near(p),
    mark: [p.x - p.r, p.y - p.r, p.x + p.r, p.y + p.r] as const,
  }))
  let order: readonly Marked[] = marked.sort((a, b) => b.near - a.near || a.i - b.i)
  let best = placeInOrder(order, bounds, size)
  for (let turn = 0, last = best; turn < MAX_TURNS && best.size < points.length; turn++) {
    const left = order.filter(({ p }) => !last.has(p))
    order = [...left, ...order.filter(({ p }) => last.has(p))]
    last = placeInOrder(order, bounds, size)
    if (last.size > best.size) best = last
  }
  return best
}
