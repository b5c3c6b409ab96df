/**
 * A layered drawing (Sugiyama et al., 1981). Rooms stand in layers, each above all it uses; rooms that use each other share a layer.
 * An arrow over several layers gets a bend in each, which takes part in the ordering, so that no arrow runs through a box.
 */
import { type Arrow, type Graph, reachable } from './graph.ts'

/** A room, or the bend of an arrow. */
interface Node {
  readonly layer: number
  readonly width: number
  readonly above: Node[]
  readonly below: Node[]
  /** Rooms that use each other, itself included. */
  readonly circle: Node[]
  x: number
}

export interface Layout {
  readonly layers: number
  readonly rooms: ReadonlyMap<string, { readonly x: number; readonly layer: number }>
  /** For each arrow the places it passes, from the user to the used. */
  readonly ways: ReadonlyMap<Arrow, readonly { readonly x: number; readonly layer: number }[]>
}

/** The fewest arrows with the same reach: one by one, those go that a longer way implies. */
export function essential(arrows: readonly Arrow[]): Arrow[] {
  let kept = [...arrows].sort((a, b) => (`${a.from} ${a.to}` < `${b.from} ${b.to}` ? -1 : 1))
  for (const arrow of kept) {
    const others = kept.filter((other) => other !== arrow)
    if (reachable(others).get(arrow.from)?.has(arrow.to)) kept = others
  }
  return kept
}

/** The layer of each room, 0 at the bottom: above everything it uses, but for rooms that use it too. */
function layersOf({ rooms, arrows }: Graph, mutual: (a: string, b: string) => boolean): Map<string, number> {
  const layer = new Map([...rooms].map((room) => [room, 0]))
  for (let changed = true; changed; ) {
    changed = false
    for (const { from, to } of arrows) {
      const least = layer.get(to)! + (mutual(from, to) ? 0 : 1)
      if (layer.get(from)! >= least) continue
      layer.set(from, least)
      changed = true
    }
  }
  return layer
}

const mean = (nodes: readonly Node[], otherwise: number): number =>
  nodes.length === 0 ? otherwise : nodes.reduce((sum, { x }) => sum + x, 0) / nodes.length

/** Moves the nodes of a row towards their neighbours, in order and apart from each other. */
function settle(row: readonly Node[], wanted: (node: Node) => number, width: number): void {
  const gap = (a: Node, b: Node): number => (a.width + b.width) / 2
  for (const node of row) node.x = Math.min(width - node.width / 2, Math.max(node.width / 2, wanted(node)))
  for (let i = 1; i < row.length; i++)
    row[i]!.x = Math.max(row[i]!.x, row[i - 1]!.x + gap(row[i - 1]!, row[i]!))
  for (let i = row.length - 1; i >= 0; i--) {
    const next = row[i + 1]
    const most = next ? next.x - gap(row[i]!, next) : width - row[i]!.width / 2
    row[i]!.x = Math.min(row[i]!.x, most)
  }
}

const SWEEPS = 40

export function layOut(graph: Graph, width: number, box: number, bend: number): Layout {
  const reach = reachable(graph.arrows)
  const mutual = (a: string, b: string): boolean => (reach.get(a)?.has(b) && reach.get(b)?.has(a)) ?? false
  const layer = layersOf(graph, mutual)
  const layers = Math.max(...layer.values()) + 1
  const rows: Node[][] = Array.from({ length: layers }, () => [])
  const add = (at: number, size: number): Node => {
    const node: Node = { layer: at, width: size, above: [], below: [], circle: [], x: 0 }
    node.circle.push(node)
    rows[at]!.push(node)
    return node
  }
  const rooms = new Map([...graph.rooms].sort().map((room) => [room, add(layer.get(room)!, box)]))
  for (const [a, node] of rooms)
    for (const [b, other] of rooms) if (a !== b && mutual(a, b)) node.circle.push(other)
  const ways = new Map<Arrow, Node[]>()
  for (const arrow of essential(graph.arrows)) {
    const way = [rooms.get(arrow.from)!]
    for (let at = layer.get(arrow.from)! - 1; at > layer.get(arrow.to)!; at--) way.push(add(at, bend))
    way.push(rooms.get(arrow.to)!)
    for (let i = 1; i < way.length; i++) {
      if (way[i]!.layer === way[i - 1]!.layer) continue
      way[i - 1]!.below.push(way[i]!)
      way[i]!.above.push(way[i - 1]!)
    }
    ways.set(arrow, way)
  }
  for (const row of rows) for (const [i, node] of row.entries()) node.x = ((i + 0.5) / row.length) * width
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0
    for (const row of down ? [...rows].reverse() : rows) {
      const wanted = (node: Node): number => mean(down ? node.above : node.below, node.x)
      const together = ({ circle }: Node): number =>
        circle.reduce((sum, node) => sum + wanted(node), 0) / circle.length
      row.sort((a, b) => together(a) - together(b))
      settle(row, wanted, width)
    }
  }
  return { layers, rooms, ways }
}
