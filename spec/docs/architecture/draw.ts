/**
 * The floors of src/ as a picture that fits a screen: a band per floor, the lowest at the bottom, with its rooms. A band uses all below it,
 * so arrows are drawn only between rooms of one floor, and of those only the ones that no longer way implies.
 */
import { type Arrow, essential, floors, type Room } from './graph.ts'

const WIDTH = 900
const LABEL = 116
const BOX = { width: 86, height: 26 }
const ROW = 31
const PADDING = 12
const GAP = 10

/** Columns of a floor from left to right: a room stands right of all it uses, and as close to its users as that allows. */
function columnsOf(rooms: readonly Room[], arrows: readonly Arrow[]): Room[][] {
  const users = (room: Room): Room[] => arrows.filter(({ to }) => to === room).map(({ from }) => from)
  const used = (room: Room): Room[] => arrows.filter(({ from }) => from === room).map(({ to }) => to)
  const depth = (room: Room): number => Math.max(-1, ...used(room).map(depth)) + 1
  const column = (room: Room): number =>
    users(room).length === 0 ? depth(room) : Math.min(...users(room).map(column)) - 1
  const columns = Array.from({ length: Math.max(...rooms.map(depth)) + 1 }, (): Room[] => [])
  for (const room of rooms) columns[column(room)]!.push(room)
  // in the order of the rooms that they use, so that arrows cross less
  const place = (room: Room): number => columns.find((list) => list.includes(room))!.indexOf(room)
  const mean = (places: readonly number[]): number =>
    places.reduce((sum, x) => sum + x, 0) / (places.length || 1)
  for (const list of columns) {
    const wanted = new Map(list.map((room) => [room, mean(used(room).map(place))]))
    list.sort((a, b) => wanted.get(a)! - wanted.get(b)!)
  }
  return columns
}

interface Place {
  readonly x: number
  readonly y: number
}

function boxOf(title: string, { x, y }: Place): string {
  const [left, top] = [x - BOX.width / 2, y - BOX.height / 2]
  return `<rect class="room" x="${left}" y="${top}" width="${BOX.width}" height="${BOX.height}" rx="5"/><text x="${x}" y="${y + 4}">${title}</text>`
}

function arrowOf({ from, to }: Arrow, places: ReadonlyMap<Room, Place>): string {
  const [start, end] = [places.get(from)!, places.get(to)!]
  const [x, toX] = [start.x - BOX.width / 2, end.x + BOX.width / 2]
  const middle = (x + toX) / 2
  return `<path class="arrow" d="M${x} ${start.y} C${middle} ${start.y} ${middle} ${end.y} ${toX} ${end.y}" marker-end="url(#tip)"><title>${from} uses ${to}</title></path>`
}

/** One floor, with its top at `top`. */
function band(name: string, rooms: readonly Room[], arrows: readonly Arrow[], top: number) {
  const drawn = essential(arrows)
  const columns = columnsOf(rooms, drawn)
  const height = Math.max(...columns.map((column) => column.length)) * ROW + PADDING
  const step = (WIDTH - LABEL - PADDING) / Math.max(6, columns.length)
  const places = new Map<Room, Place>()
  for (const [i, column] of columns.entries())
    for (const [j, room] of column.entries()) {
      const y = top + height / 2 + (j - (column.length - 1) / 2) * ROW
      places.set(room, { x: Math.round(LABEL + (i + 0.5) * step), y })
    }
  const lines = [
    `<rect class="floor" x="0.5" y="${top + 0.5}" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>`,
    `<text class="name" x="${PADDING}" y="${top + height / 2 + 5}">${name}</text>`,
    ...drawn.map((arrow) => arrowOf(arrow, places)),
    ...[...places].map(([room, place]) => boxOf(room === '.' ? name : room, place)),
  ]
  return { height, lines }
}

/** Draws the table of the lint rule, which holds every room and allows no arrow that is not there. */
export function draw(): string {
  const lines: string[] = []
  let top = 0
  for (const [floor, rooms] of Object.entries(floors).reverse()) {
    const arrows = Object.entries(rooms).flatMap(([from, uses]) => uses.map((to) => ({ from, to })))
    const { height, lines: drawn } = band(floor, Object.keys(rooms), arrows, top)
    lines.push(...drawn)
    top += height + GAP
  }
  const height = top - GAP
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Floors of src/ and the rooms on each">
<style>
.floor { fill: #f6f8fa; stroke: #d0d7de }
.room { fill: #fff; stroke: #57606a }
.arrow { fill: none; stroke: #0969da; stroke-width: 1.3 }
text { font: 600 11.5px system-ui, sans-serif; text-anchor: middle; fill: #1f2328 }
.name { font-size: 15px; text-anchor: start }
</style>
<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#0969da"/></marker>
${lines.join('\n')}
</svg>
`
}
