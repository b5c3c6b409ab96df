/** docs/architecture.md and its picture say what the imports say. `npm run docs` writes them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../commands/program.ts'
import { fill, table } from '../parts.ts'
import { draw } from './draw.ts'
import { type Arrow, cycles, essential, floors, readGraph, roomOf } from './graph.ts'

const graph = await readGraph()
const file = join(root, 'docs/architecture.md')
const page = readFileSync(file, 'utf8')
const onFloors = [...graph.rooms].filter((room) => room.includes('/'))
const arrow = (from: string, to: string): Arrow => ({ from, to })

/** The rooms of the table, as `floor/room`. */
const listed = Object.entries(floors).flatMap(([floor, rooms]) =>
  Object.keys(rooms).map((room) => `${floor}/${room}`),
)

test('the picture fits a screen', async () => {
  const picture = draw()
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(picture)!.map(Number)
  expect(width).toBeLessThanOrEqual(900)
  expect(height).toBeLessThanOrEqual(640)
  await expect(picture).toMatchFileSnapshot(join(root, 'docs/architecture.svg'))
})

test('docs/architecture.md lists which room uses which', async () => {
  const rows = listed.toReversed().map((room) => [
    room.replace('/.', ''),
    graph.arrows
      .filter(({ from, to }) => from === room && to.includes('/'))
      .map(({ to }) => to.replace('/.', ''))
      .sort()
      .join(', ') || 'none',
  ])
  await expect(fill(page, { uses: table(['room', 'uses'], rows) })).toMatchFileSnapshot(file)
})

test('docs/architecture.md has one heading per floor, and one paragraph per room', () => {
  const described = page.split(/^## /m).flatMap((section) => {
    const floor = /^`(\w+)`/.exec(section)?.[1]
    const rooms = [...section.matchAll(/^\*\*(\w+)\*\* /gm)].map(([, room]) => room!)
    return floor === undefined ? [] : rooms.map((room) => `${floor}/${room === floor ? '.' : room}`)
  })
  expect(described.sort()).toEqual([...listed].sort())
})

test('the table of the lint rule has every room, and no other', () => {
  expect([...listed].sort()).toEqual(onFloors.sort())
})

test('the lint rule allows nothing that is not used', () => {
  const used = new Set(graph.arrows.map(({ from, to }) => `${from} -> ${to}`))
  const allowed = Object.entries(floors).flatMap(([floor, rooms]) =>
    Object.entries(rooms).flatMap(([room, may]) =>
      may.map((other) => `${floor}/${room} -> ${floor}/${other}`),
    ),
  )
  expect(allowed.filter((one) => !used.has(one))).toEqual([])
})

test('rooms use each other in one direction, types included', () => {
  expect(cycles(graph.arrows)).toEqual([])
})

test('a cycle is found, of two rooms or of more', () => {
  expect(cycles([arrow('a', 'b'), arrow('b', 'c')])).toEqual([])
  expect(cycles([arrow('a', 'b'), arrow('b', 'a'), arrow('b', 'c')])).toEqual(['a: a,b', 'b: a,b'])
  expect(cycles([arrow('a', 'b'), arrow('b', 'c'), arrow('c', 'a')])).toHaveLength(3)
})

test('arrows that others imply are left out of the picture, and only those', () => {
  const kept = essential([arrow('a', 'b'), arrow('b', 'c'), arrow('a', 'c'), arrow('b', 'a')])
  expect(kept.map(({ from, to }) => `${from} ${to}`).sort()).toEqual(['a b', 'b a', 'b c'])
})

test('a file is in the room of its folder', () => {
  expect(roomOf('src/gate/laws/check.ts')).toBe('gate/laws')
  expect(roomOf('src/cli/playground/browser/page.ts')).toBe('cli/playground')
  expect(roomOf('src/bench/entry.ts')).toBe('bench/.')
  expect(roomOf('src/input.ts')).toBe('input')
})
