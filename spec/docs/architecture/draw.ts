/** The import graph as a picture: the same bytes for the same graph. */
import type { Arrow, Graph } from './graph.ts'
import { type Layout, layOut } from './layout.ts'

/** The most that fits a page of documentation. */
const MAX_WIDTH = 900
const LAYER = 76
const BOX = { width: 100, height: 32 }
const MARGIN = 24

const round = (value: number): number => Math.round(value * 10) / 10

interface Place {
  readonly x: number
  readonly layer: number
}

/** Where things are on the page. */
function page({ layers, ways }: Layout) {
  const xs = [...ways.values()].flat().map(({ x }) => x)
  const left = Math.min(...xs) - BOX.width / 2 - MARGIN
  return {
    width: round(Math.max(...xs) + BOX.width / 2 + MARGIN - left),
    height: layers * LAYER + MARGIN,
    x: ({ x }: Place): number => round(x - left),
    y: ({ layer }: Place): number => round(MARGIN / 2 + (layers - layer - 0.5) * LAYER),
  }
}

/** From box to box: down through its bends, or from side to side within a layer. */
function pathOf(way: readonly Place[], { x, y }: ReturnType<typeof page>): string {
  const [first, last] = [way[0]!, way.at(-1)!]
  if (first.layer === last.layer) {
    const side = Math.sign(last.x - first.x)
    const height = y(first) - side * 8
    return `M${round(x(first) + (side * BOX.width) / 2)} ${height} H${round(x(last) - (side * BOX.width) / 2)}`
  }
  const half = BOX.height / 2
  const curves = way.slice(1).map((place, i) => {
    const [fromY, toY] = [y(way[i]!) + half, y(place) - half]
    const middle = round((fromY + toY) / 2)
    const bend = place === last ? '' : ` V${round(y(place) + half)}` // straight down beside the boxes of its layer
    return `C${x(way[i]!)} ${middle} ${x(place)} ${middle} ${x(place)} ${round(toY)}${bend}`
  })
  return `M${x(first)} ${round(y(first) + half)} ${curves.join(' ')}`
}

function boxOf(room: string, place: Place, { x, y }: ReturnType<typeof page>): string {
  const [left, top] = [round(x(place) - BOX.width / 2), round(y(place) - BOX.height / 2)]
  return [
    `<rect class="room" x="${left}" y="${top}" width="${BOX.width}" height="${BOX.height}" rx="6"/>`,
    `<text x="${x(place)}" y="${round(y(place) + 4)}">${room}</text>`,
  ].join('')
}

const nameOf = ({ from, to }: Arrow): string => `${from} uses ${to}`

export function draw(graph: Graph): string {
  const layout = layOut(graph, MAX_WIDTH - 2 * MARGIN, BOX.width + 24, 22)
  const at = page(layout)
  const arrows = [...layout.ways]
    .sort(([a], [b]) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .map(
      ([arrow, way]) =>
        `<path class="arrow" d="${pathOf(way, at)}" marker-end="url(#tip)"><title>${nameOf(arrow)}</title></path>`,
    )
  const boxes = [...graph.rooms].sort().map((room) => boxOf(room, layout.rooms.get(room)!, at))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${at.width} ${at.height}" width="${at.width}" height="${at.height}" role="img" aria-label="Rooms of src/ and which uses which">
<style>
.page { fill: #fff }
.room { fill: #f6f8fa; stroke: #57606a }
.arrow { fill: none; stroke: #0969da; stroke-width: 1.3 }
text { font: 600 13px system-ui, sans-serif; text-anchor: middle; fill: #1f2328 }
</style>
<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#0969da"/></marker>
<rect class="page" width="${at.width}" height="${at.height}"/>
${arrows.join('\n')}
${boxes.join('\n')}
</svg>
`
}
